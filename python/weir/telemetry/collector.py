"""A program that collects telemetry reports on a host of a virtual network."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from weir.host.program.arrivals import Datagram
from weir.hostprogram import HostProgram
from weir.telemetry.inbox import Inbox
from weir.telemetry.report import Report, records

if TYPE_CHECKING:
    from weir.telemetry.store import Store


_MAX_BYTES: Final = 32 << 20
"""The maximum memory in bytes of a batch's datagrams."""


class Collector(HostProgram):
    """A host program that collects telemetry reports, and stores other datagrams separately.

    >>> collector = net.host("h3").run(Collector(), udp=6000)       # doctest: +SKIP

    If there is a store, the collector adds reports to it in batches, and does not keep them as
    objects. :meth:`flush` adds the last reports.

    >>> store = Store("run1")                                       # doctest: +SKIP
    >>> collector = net.host("h3").run(Collector(store), udp=6000)  # doctest: +SKIP
    >>> net.host("h1").iperf("h2")                                  # doctest: +SKIP
    >>> collector.flush()                                           # doctest: +SKIP
    >>> store.latencies()                                           # doctest: +SKIP

    Args:
        store: the store for reports; ``None`` to keep them as objects in :attr:`reports`.
        batch: the number of datagrams in a batch for the store; a batch of large datagrams has
            fewer.
    """

    def __init__(self, store: Store | None = None, *, batch: int = 10_000) -> None:
        self._store, self._batch = store, batch
        self._inbox = Inbox()
        self._reports: list[tuple[int, Report]] = []
        self._bad: list[tuple[int, str]] = []

    @property
    def reports(self) -> list[tuple[int, Report]]:
        """The reports that have arrived, each with its virtual arrival time in nanoseconds, if
        there is no store."""
        self._read()
        return self._reports

    @property
    def bad(self) -> list[tuple[int, str]]:
        """The problems of datagrams that are not reports, each with its virtual arrival time in
        nanoseconds, if there is no store."""
        self._read()
        return self._bad

    def on_datagram(self, datagram: Datagram) -> None:
        """Stores a datagram until its batch is complete; then adds the batch to the store, if there
        is a store."""
        self._inbox.add(datagram.time_ns, datagram.payload)
        if len(self._inbox) >= self._batch or self._inbox.size >= _MAX_BYTES:
            self.flush()

    def flush(self) -> None:
        """Adds the reports that have arrived to the store.

        Raises:
            FileError: the store cannot be written; the reports that have arrived are lost.
        """
        if self._store is not None and len(self._inbox):
            self._store.add(*self._inbox.take())

    def stop(self) -> None:
        """Flushes the last reports, and stops the collector."""
        self.flush()
        super().stop()

    def _read(self) -> None:
        """Decodes the datagrams that have arrived, if reports are kept as objects."""
        if self._store is None and len(self._inbox):
            payloads, times = self._inbox.take()
            reports, problems = records(payloads)
            self._reports += [(times[index], report) for index, report in reports]
            self._bad += [(times[index], problems[index]) for index in sorted(problems)]
