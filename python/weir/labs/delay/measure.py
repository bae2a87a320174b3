"""Measures one cell: creates a network, sets its links and X, and pings."""

from __future__ import annotations

from pathlib import Path

import weir
from weir.labs.delay.cells import DATA_BYTES, Cell
from weir.labs.delay.profiles import Machine
from weir.measure import PingResult
from weir.units import format_rate

_FOLDER = Path(__file__).parent


class Bench:
    """The parts that all cells share: the compiled program, the topology and the timing.

    Args:
        machine: the machine that the network models.
        executor: the executor of the program, see `weir.compile`.
    """

    def __init__(self, machine: Machine, executor: str | None = None) -> None:
        self._profile = weir.Profile.named(machine.switch_profile)
        self._program = weir.compile(_FOLDER / "delay.p4", executor=executor)
        self._topology = weir.Topology.load(_FOLDER / "topology.json")
        for host in self._topology.hosts.values():
            host.processing_ns = machine.host_ns

    @property
    def pass_ns(self) -> int:
        """One pass through the switch, in nanoseconds."""
        return self._profile.pass_latency_ns

    @property
    def processing_ns(self) -> int:
        """Processing time of both hosts in a round trip, in nanoseconds."""
        return sum(self._topology.hosts[name].processing_ns for name in ("h1", "h2"))

    def ping(self, cell: Cell, expected_ms: float, captures: Path | None) -> PingResult:
        """Pings h2 from h1 as the cell describes.

        Args:
            cell: the settings and the number of pings.
            expected_ms: the expected round-trip time; a reply counts as lost after ten times as
                long, or after a second.
            captures: a folder for a capture of each link.
        """
        timeout = f"{max(1000, round(10 * expected_ms))}ms"
        with weir.Network(
            self._topology, self._program, seed=cell.seed, profile=self._profile, pcap=captures
        ) as network:
            for link in network.links:
                link.rate = None if cell.rate_bps is None else format_rate(cell.rate_bps)
            network.switch("s1").table("recirculations").set_default("set_limit", {"x": cell.recirculations})
            return network.host("h1").ping(
                "h2", count=cell.pings, size=DATA_BYTES, interval=f"{cell.interval_ms}ms", timeout=timeout
            )
