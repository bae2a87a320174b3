"""The program of the collector: reads telemetry reports."""

from __future__ import annotations

import weir

from .chain import PORT_REPORT
from .formats import Report, read_reports


class Collector(weir.HostProgram):
    """Reads the reports that arrive."""

    def __init__(self) -> None:
        self.reports: list[tuple[int, Report]] = []
        """Of each report: arrival in ns, content."""
        self.bad: list[tuple[int, str]] = []
        """Of each datagram that is no report: arrival in ns, what is wrong."""

    def on_datagram(self, datagram: weir.Datagram) -> None:
        """Notes reports."""
        try:
            self.reports += [(datagram.time_ns, report) for report in read_reports(datagram.payload)]
        except ValueError as problem:
            self.bad.append((datagram.time_ns, str(problem)))


def collect(net: weir.Network, host: str = "h3") -> Collector:
    """Starts a collector on a host."""
    return net.host(host).run(Collector(), udp=PORT_REPORT)
