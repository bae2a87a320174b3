"""The collector as a program on a host of a virtual network."""

from __future__ import annotations

from weir.hostprogram import Datagram, HostProgram
from weir.telemetry.report import Report, read_reports


class Collector(HostProgram):
    """Reads the telemetry reports that arrive; what is no report is kept apart.

    >>> collector = net.host("h3").run(Collector(), udp=6000)       # doctest: +SKIP
    """

    def __init__(self) -> None:
        self.reports: list[tuple[int, Report]] = []
        """Of each report: arrival in virtual ns, content."""
        self.bad: list[tuple[int, str]] = []
        """Of each datagram that is no report: arrival in virtual ns, what is wrong."""

    def on_datagram(self, datagram: Datagram) -> None:
        """Reads a datagram."""
        try:
            self.reports += [(datagram.time_ns, report) for report in read_reports(datagram.payload)]
        except ValueError as problem:
            self.bad.append((datagram.time_ns, str(problem)))
