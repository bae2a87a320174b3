"""The program of a sender that reads the reports about its own datagrams."""

from __future__ import annotations

import weir

from .frames import PORT_REPORT, PORT_TCP_REPORT, Report, read_report


class ReportReader(weir.HostProgram):
    """Reads the reports that arrive at its ports."""

    def __init__(self) -> None:
        self.reports: list[tuple[int, weir.Datagram, Report]] = []
        """For each report: its arrival in ns, the datagram that carries it, and its content."""
        self.bad_reports = 0
        """The number of datagrams to the reports' ports that were not reports."""

    def on_datagram(self, datagram: weir.Datagram) -> None:
        """Records a report, or counts a datagram that is not a report."""
        try:
            self.reports.append((datagram.time_ns, datagram, read_report(datagram.payload)))
        except ValueError:
            self.bad_reports += 1


def read_reports(net: weir.Network, host: str = "h1") -> ReportReader:
    """Starts a program that reads reports on a host."""
    return net.host(host).run(ReportReader(), udp=(PORT_REPORT, PORT_TCP_REPORT))
