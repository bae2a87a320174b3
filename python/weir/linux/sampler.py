"""Samples of the queues at ends of links, in the kernel or in the link process."""

from __future__ import annotations

import struct
from array import array
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from weir.linux import wiring
from weir.linux.agent import Agent
from weir.measure.series import numbers

if TYPE_CHECKING:
    from weir.linux.network_base import NetworkBase
    from weir.topology import Endpoint

_COLUMNS: Final = 6
"""The columns of a source: time, waiting packets, sent packets, sent bytes, dropped packets, marked
packets. Those after the second count from the start of the source."""

_COUNTS: Final = range(2, _COLUMNS)


class LinuxSampler:
    """A sampler of links' ends, with the methods of ``weir._core.Sampler``."""

    def __init__(self, network: NetworkBase, ends: Sequence[tuple[str, int]], every_ns: int) -> None:
        self._ends = [_EndSampler(network, network.end(node, number), every_ns) for node, number in ends]
        network.samplers.append(self)

    def columns(self, end: int) -> list[bytes]:
        return self._ends[end].columns()

    def waiting(self, end: int) -> list[bytes]:
        return []

    def pause(self, end: Endpoint) -> None:
        """Stops sampling at an end if its packets will wait in the link process instead of the
        kernel, or the reverse."""
        for sampler in self._ends:
            if sampler.end == end:
                sampler.pause()

    def follow(self, end: Endpoint) -> None:
        """Samples an end again at the place where its packets now wait."""
        for sampler in self._ends:
            if sampler.end == end:
                sampler.follow()

    def stop(self) -> None:
        for sampler in self._ends:
            sampler.stop()


class _EndSampler:
    """A sampler of one end, whose packets may wait in the kernel and later in the link process.

    Args:
        network: the network that contains the link.
        link_end: the end of the link whose queue is sampled.
        every_ns: the time between two samples in nanoseconds.
    """

    def __init__(self, network: NetworkBase, link_end: Endpoint, every_ns: int) -> None:
        self.end = link_end
        self._network, self._every, self._rate = network, every_ns, network.rate_at(link_end)
        self._stopped = self._paused = False
        self._sources: list[_KernelSource | _LinkSource] = []
        self._start()

    def _start(self) -> None:
        self._in_link = self.end in self._network.in_link
        kind = _LinkSource if self._in_link else _KernelSource
        self._sources.append(kind(self._network, self.end, self._every))

    def pause(self) -> None:
        """Stops the source if packets will wait in another place, before the kernel's counts start
        from 0; see :meth:`LinuxSampler.pause`."""
        if not self._stopped and not self._paused and self._in_link != (self.end in self._network.in_link):
            self._sources[-1].stop()
            self._paused = True

    def follow(self) -> None:
        """Starts another source after a pause."""
        if not self._stopped and self._paused:
            self._paused = False
            self._start()

    def columns(self) -> list[bytes]:
        """Returns all samples, with counts that continue from one source to the next."""
        all_columns = [array("Q") for _ in range(_COLUMNS)]
        for number, source in enumerate(self._sources):
            is_later_link = number > 0 and isinstance(source, _LinkSource)
            for place, (column, new_column) in enumerate(zip(all_columns, source.columns(), strict=True)):
                # The link process has also counted the frames before packets waited there. The
                # kernel counts from 0, because it has a new discipline.
                count_before = column[-1] if column and place in _COUNTS else 0
                first = new_column[0] if new_column and is_later_link and place in _COUNTS else 0
                column.extend(count_before + value - first for value in new_column)
        times, sizes = all_columns[0], all_columns[3]
        busy = _busy_time(times, sizes, self._rate)
        return [*(column.tobytes() for column in all_columns), busy]

    def stop(self) -> None:
        self._stopped = True
        self._sources[-1].stop()


class _KernelSource:
    """Samples of the queue of an interface, which a process in its node takes.

    Args:
        network: the network that contains the link.
        link_end: the end of the link that has the interface.
        every_ns: the time between two samples in nanoseconds.
    """

    def __init__(self, network: NetworkBase, link_end: Endpoint, every_ns: int) -> None:
        arguments = "queue_state.QueueSampler", network.origin, wiring.device(link_end), every_ns
        self._agent = Agent(network.namespaces, link_end.node, *arguments)

    def columns(self) -> Sequence[Sequence[int]]:
        counts: list[Sequence[int]] = [numbers(column) for column in self._agent.ask("columns")]
        # The kernel's disciplines report marks in forms of their own, which are not read.
        return [*counts, array("Q", bytes(8 * len(counts[0])))]

    def stop(self) -> None:
        self._agent.ask("stop")


class _LinkSource:
    """Samples of a queue in the link process, which this process takes itself.

    Args:
        network: the network that contains the link.
        link_end: the end of the link whose queue is sampled.
        every_ns: the time between two samples in nanoseconds.
    """

    def __init__(self, network: NetworkBase, link_end: Endpoint, every_ns: int) -> None:
        wire = network.wire_at(link_end)
        assert wire is not None
        self._process, self._origin = network.link_process, network.origin
        self._number = self._process.sample(str(wire.spec), wiring.direction(wire, link_end), every_ns)

    def columns(self) -> Sequence[Sequence[int]]:
        rows = self._process.samples(self._number)
        times = [row[0] - self._origin for row in rows]
        return [times, *([row[place] for row in rows] for place in range(1, _COLUMNS))]

    def stop(self) -> None:
        self._process.stop_sampler(self._number)


def _busy_time(times: Sequence[int], sizes: Sequence[int], rate: int | None) -> bytes:
    """Computes how many nanoseconds an end has been sending until each sample, from the bytes sent
    by then."""
    busy: list[int] = []
    total, previous_time = 0, times[0] if times else 0
    for time, size in zip(times, sizes, strict=True):
        sent = 0 if rate is None else size * 8_000_000_000 // rate
        total = min(sent, total + time - previous_time) if busy else sent
        previous_time = time
        busy.append(total)
    return struct.pack(f"<{len(busy)}Q", *busy)
