"""The state that all parts of a Linux network share: namespaces, links and the clock."""

from __future__ import annotations

import os
import subprocess
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from time import monotonic_ns
from typing import Final, Protocol

from weir.errors import NetworkError
from weir.linux import wiring
from weir.linux.link_process import LinkProcess
from weir.linux.namespaces import Namespaces, finish
from weir.linux.queue import DEFAULT
from weir.linux.servers import Servers
from weir.topology import Endpoint, Topology

_SOCKET_PATH: Final = 107
_SHORT_FOLDER: Final = "/tmp"


class PolledSource(Protocol):
    """A source of events that a run waits for, such as :class:`weir.linux.source.Source`."""

    polls: bool

    def fileno(self) -> int:
        """Returns the file descriptor that becomes readable when something has happened."""

    def close_sockets(self) -> None:
        """Closes the sockets of the source."""


class QueueFollower(Protocol):
    """A sampler that follows where the packets of an end wait."""

    def pause(self, end: Endpoint) -> None:
        """Stops sampling an end until :meth:`follow`, if its packets will wait elsewhere."""

    def follow(self, end: Endpoint) -> None:
        """Continues to sample after a pause."""


class NetworkBase(ABC):
    """The part of a network that its hosts, links, switches and observers use.

    Args:
        topology: the topology to build.
        first_device: the P4Runtime device number of the first switch, for other controllers;
            ``None`` if there are no other controllers and each switch has the number 0.
        as_root: whether processes have the rights of root outside their namespaces.

    Raises:
        NetworkError: this computer does not allow namespaces, or a part of the topology cannot be
            made.

    Attributes:
        topology: the topology that is built.
        folder: the folder for files that live as long as the network.
        namespaces: the namespaces of the nodes.
        sources: the sources of events for which runs wait.
        servers: services that flows share.
        wires: all links.
        rates: the current rate of each link, by the link's number; ``None`` for no limit.
        in_link: the queueing disciplines that the link process applies because this kernel lacks
            them, by the end of the link.
        samplers: the samplers of queues.
        origin: the start of the network, in nanoseconds of the monotonic clock.
    """

    servers: Servers
    wires: list[wiring.Wire]
    origin: int
    started_ns: int

    def __init__(self, topology: Topology, first_device: int | None, as_root: bool = False) -> None:
        wiring.check(topology)
        self.topology, self.first_device = topology, first_device
        self.sources: list[PolledSource] = []
        self._folder = tempfile.TemporaryDirectory(
            prefix="weir-", dir=_place(topology), ignore_cleanup_errors=True
        )
        self.folder = Path(self._folder.name)
        try:
            self.namespaces = Namespaces(self.folder, as_root)
        except BaseException:
            self._folder.cleanup()
            raise
        self.rates: dict[int, int | None] = {}
        self._link_process: LinkProcess | None = None
        self._captured = 0
        self._known_kinds: dict[str, bool] = {}
        self.in_link: dict[Endpoint, str] = {}
        self.samplers: list[QueueFollower] = []

    @abstractmethod
    def rate_switch(self, end: Endpoint, rate_bps: int | None, queue: str) -> None:
        """Sets the rate of a link in the switch at its end, so that packets wait there.

        This has an effect only if the switch's program reads queue metadata and the link is slow.

        Args:
            end: an end of a link.
            rate_bps: the link's rate; ``None`` for no limit.
            queue: the queueing discipline at the end, as ``tc`` writes it.
        """

    @abstractmethod
    def capture(self, ends: list[tuple[str, int]], filter: str, path: str) -> None:
        """Writes the frames that pass these ends of links to a capture file."""

    def now(self) -> int:
        """Returns the nanoseconds since the network's start."""
        return monotonic_ns() - self.origin

    @property
    def link_process(self) -> LinkProcess:
        """The process that delays and drops frames of links."""
        assert self._link_process is not None
        return self._link_process

    def mtu(self, end: Endpoint) -> int:
        """Returns the bytes of the longest packet that a link's end sends by default."""
        hosts = self.topology.hosts
        if end.node in hosts:
            return hosts[end.node].interfaces[end.interface].mtu
        return max((interface.mtu for host in hosts.values() for interface in host.interfaces), default=1500)

    def end(self, node: str, number: int) -> Endpoint:
        """Returns the end of a link at a node's port or interface."""
        return Endpoint(node, number) if node in self.topology.switches else Endpoint(node, None, number)

    def wire_at(self, end: Endpoint) -> wiring.Wire | None:
        """Finds the link at an end; returns ``None`` if there is none."""
        return next((wire for wire in self.wires if end in (wire.spec.a, wire.spec.b)), None)

    def rate_at(self, end: Endpoint) -> int | None:
        """Returns the current rate of the link at an end, in bits per second; ``None`` for no
        limit."""
        wire = self.wire_at(end)
        return None if wire is None else self.rates[wire.number]

    def p4runtime_device(self, name: str) -> int:
        """Returns the P4Runtime device number of a switch."""
        return (
            0 if self.first_device is None else self.first_device + list(self.topology.switches).index(name)
        )

    def next_capture_number(self) -> int:
        """Returns the number for the next capture."""
        self._captured += 1
        return self._captured

    def tool(self, node: str | None, words: Sequence[str]) -> str:
        """Runs a program in a node, and returns what it prints.

        Raises:
            NetworkError: the program failed; the message has its error output.
        """
        process = self.namespaces.run(node, words, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        return finish(process, " ".join([*([] if node is None else [f"{node}:"]), *words]))

    def kernel_lacks(self, queue: str) -> bool:
        """Returns whether this kernel lacks a queueing discipline that Weir's own process has."""
        kind = queue.partition(" ")[0]
        if kind not in wiring.OPTIONAL_DISCIPLINES:
            return False
        if kind not in self._known_kinds:
            needed = " limit 100000 avpkt 1000 bandwidth 10mbit" if kind == "red" else ""
            command = ["tc", "qdisc", "replace", "dev", "lo", "root", *f"{kind}{needed}".split()]
            process = self.namespaces.run(None, command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            errors = process.communicate()[1]
            self._known_kinds[kind] = "kind is unknown" not in errors
            if process.returncode == 0:
                self.tool(None, ["tc", "qdisc", "delete", "dev", "lo", "root"])
        return not self._known_kinds[kind]

    def shape(self, end: Endpoint, rate_bps: int | None, queue: str) -> None:
        """Sets the rate and the queue at an end of a link.

        Packets wait in the kernel, or in the link process if the kernel lacks the discipline.

        Args:
            end: the end of the link.
            rate_bps: bits per second; ``None`` for no limit.
            queue: the queueing discipline, as ``tc`` writes it.

        Raises:
            NetworkError: the discipline cannot be set.
        """
        wire = self.wire_at(end)
        if wire is not None and not wire.uses_link_process and self.kernel_lacks(queue):
            raise NetworkError(
                f"{wire.spec}: this kernel lacks {queue.partition(' ')[0]}. Weir provides it on links "
                "that had a rate up to 100Mbit, delay, jitter or loss at the start: give this link a "
                "delay in the topology, such as "
                'add_link(…, delay="1us")'
            )
        kernel_queue = self.kernel_queue(end, rate_bps, queue)
        for sampler in self.samplers:
            sampler.pause(end)
        try:
            finish(
                self.namespaces.batch(
                    end.node, "tc", wiring.rate_commands(end, *kernel_queue, self.mtu(end))
                ),
                str(end),
            )
            if wire is not None and wire.uses_link_process:
                self.link_process.change(
                    str(wire.spec), wiring.end_settings(wire, end, rate_bps, self.in_link.get(end))
                )
        finally:
            for sampler in self.samplers:
                sampler.follow(end)
        self.rate_switch(end, *kernel_queue)

    def kernel_queue(self, end: Endpoint, rate_bps: int | None, queue: str) -> tuple[int | None, str]:
        """Returns the rate and the queue that the kernel applies at an end; the link process
        applies the rest.

        The arguments are those of :meth:`shape`.
        """
        wire = self.wire_at(end)
        self.in_link.pop(end, None)
        if wire is None or not wire.uses_link_process or not self.kernel_lacks(queue):
            return rate_bps, queue
        self.in_link[end] = queue
        return None, DEFAULT

    @property
    def process_wires(self) -> Sequence[wiring.Wire]:
        """The links whose frames pass through the link process."""
        return [wire for wire in self.wires if wire.uses_link_process]


def _place(topology: Topology) -> str | None:
    """Chooses the folder in which to create the network's folder; ``None`` for the system's
    temporary folder.

    The network's folder contains sockets named after switches, and the path of a socket has at most
    107 bytes; see unix(7).
    """
    longest = max(map(len, topology.switches), default=0)
    path = f"{tempfile.gettempdir()}/weir-12345678/{'s' * longest}.sock"
    return None if len(os.fsencode(path)) <= _SOCKET_PATH else _SHORT_FOLDER
