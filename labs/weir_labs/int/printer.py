"""A program for the collector of ``topology.json``, so it has no relative imports."""

from __future__ import annotations

import weir
from weir.telemetry import Collector


class Printer(Collector):
    """Collects reports, and prints each path: nodes, hop latencies, queues."""

    def on_datagram(self, datagram: weir.Datagram) -> None:
        """Prints the reports in a datagram."""
        count_before = len(self.reports)
        super().on_datagram(datagram)
        for time_ns, report in self.reports[count_before:]:
            path = ", ".join(
                f"s{hop.node} {hop.latency_us} us behind {hop.queue_packets}" for hop in report.hops
            )
            mode = f"INT-{report.embedded.mode}" if report.embedded is not None else "INT-XD"
            print(f"{time_ns / 1e9:.6f} {mode} {path}")
