"""Measures a switch while a flow passes through it."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import polars as pl

import weir

from . import flows
from .network import network, wait_until_it_forwards
from .power import Meter, meter
from .sampler import processors
from .switches.kind import MissingSwitch, RunningSwitch, SwitchKind
from .switches.known import find_switch
from .usage import Sampler, Usage

WARM_UP: Final = 0.3
"""The seconds at the beginning of each flow that are not measured; pings warm up the switch before
the flow."""

_WITHOUT_PINGS_S: Final = 0.1
"""The seconds at the end of a flow without new pings, so that each ping shares the switch with the
flow."""

_IDLE_PINGS: Final = 30
_PING_INTERVAL_S: Final = 0.02

_absent: Final[dict[str, str]] = {}
"""For each missing switch that was tried, the reason why it cannot be measured."""


@dataclass
class Flow:
    """A flow that has passed the switch, with its measurements.

    Attributes:
        plan: the flow's plan.
        delivered: the results of the arrived traffic.
        begin_ns: the end of its warm-up, on the monotonic clock. Goodput, processor time, round
            trips and power are measured from here to the end.
        end_ns: the end of the flow, on the same clock.
        rtts: the median and 99th percentile of the round trips of pings during the flow, in
            milliseconds, and the lost pings in per cent.
        power: the meter's readings at start and end.
    """

    plan: flows.Plan
    delivered: flows.FlowFigures
    begin_ns: int
    end_ns: int
    rtts: tuple[float | None, float | None, float]
    power: tuple[Any, Any]


class SwitchUnderTest:
    """A running switch that is being measured.

    Args:
        net: the network of the switch.
        running: the running switch.
        kind: the description of the switch.
        folder: the folder for the measurement's files.
        energy: see :func:`weir_labs.switch_comparison.power.meter`.

    Attributes:
        version: the version of the switch.
        idle_rtt_us: the median round trip before any flow.
        others_percent: the time in per cent that the processors were busy before any flow.
    """

    def __init__(
        self, net: weir.Network, running: RunningSwitch, kind: SwitchKind, folder: Path, energy: str
    ) -> None:
        self._net, self._energy = net, energy
        self.version = running.version
        wait_until_it_forwards(net, running.processes, running.log)
        net.host("client").ping("server", count=10, interval="1ms")
        begin, (_, busy) = time.monotonic_ns(), processors()
        idle = net.host("client").ping("server", count=_IDLE_PINGS, interval="3ms")
        spent = (time.monotonic_ns() - begin) * (os.cpu_count() or 1)
        self.others_percent = min(100.0, 100 * (processors()[1] - busy) / spent)
        self.idle_rtt_us = 1e3 * idle.rtts.percentile(50) if idle.received else None
        node = "client" if kind.place == "nowhere" else "switch"
        self._sampler = Sampler(net, node, running.processes, folder / "usage")
        self._meters: dict[int, Meter] = {}
        self._has_process = bool(running.processes)

    def flow(self, plan: flows.Plan) -> Flow:
        """Sends a flow and, after the warm-up, a ping every 20 ms; returns the flow with its
        measurements."""
        power = meter(self._energy)
        try:
            return self._run_plan(plan, power)
        finally:
            power.stop()

    def _run_plan(self, plan: flows.Plan, power: Meter) -> Flow:
        started = flows.start_flow(self._net, plan)
        time.sleep(plan.warm_up)
        begin, energy_before = time.monotonic_ns(), power.read()
        counted = plan.seconds - plan.warm_up
        pinging = self._net.host("client").start_ping(
            "server",
            count=int((counted - _WITHOUT_PINGS_S) / _PING_INTERVAL_S),
            interval=f"{_PING_INTERVAL_S}s",
            timeout="200ms",
        )
        time.sleep(max(0.0, begin / 1e9 + counted - time.monotonic()))
        end, after = time.monotonic_ns(), power.read()
        self._net.wait(pinging)
        pings = pinging.result()
        self._meters[begin] = power
        rtts = (pings.rtts.percentile(50), pings.rtts.percentile(99)) if pings.received else (None, None)
        lost = 100 * (pings.sent - pings.received) / pings.sent
        return Flow(plan, started.result(), begin, end, (*rtts, lost), (energy_before, after))

    def finish(self) -> None:
        """Ends the measurement of the switch, after which its figures are available."""
        self._sampler.finish()

    def figures(self, flow: Flow) -> dict[str, float | str | None]:
        """Returns the measured numbers of a flow, by column."""
        usage = self._sampler.usage(flow.begin_ns, flow.end_ns)
        delivered, power = flow.delivered, self._meters[flow.begin_ns]
        median, late, lost = flow.rtts
        joules = power.joules(*flow.power, usage)
        return {
            "goodput_mbps": delivered.goodput_mbps,
            "sent_mbps": delivered.sent_mbps,
            "packets_per_s": delivered.packets_per_s,
            "loss_percent": delivered.loss_percent,
            "jitter_ms": delivered.jitter_ms,
            "retransmits": delivered.retransmits,
            "loaded_rtt_us": None if median is None else 1e3 * median,
            "loaded_rtt_p99_us": None if late is None else 1e3 * late,
            "pings_lost_percent": lost,
            **_usage_row(usage, delivered.goodput_mbps, self._has_process),
            "watts": 1e9 * joules / (flow.end_ns - flow.begin_ns),
            "energy_source": power.source,
        }

    def series(self) -> pl.DataFrame:
        """Builds a table of the switch's memory and processor time over time, from the sampler's
        start on."""
        looks = self._sampler.looks
        return pl.DataFrame(
            {
                "time_s": [(look.time_ns - looks[0].time_ns) / 1e9 for look in looks],
                "rss_mb": [look.rss_kb / 1e3 if self._has_process else None for look in looks],
                "cpu_s": [
                    (look.cpu_ns - looks[0].cpu_ns) / 1e9 if self._has_process else None for look in looks
                ],
            }
        )

    def warm_up_end_s(self, flow: Flow) -> float:
        """Returns the time at which a flow's warm-up ended, on the time axis of :meth:`series`."""
        return (flow.begin_ns - self._sampler.looks[0].time_ns) / 1e9


def _usage_row(usage: Usage, mbps: float, has_process: bool) -> dict[str, float | None]:
    """Converts the usage to a row of a table.

    A switch without a process has no processor time and memory of its own.
    """
    process_figures = {
        "cpu_percent": usage.cpu_percent,
        "cpu_us_per_mbit": 1e4 * usage.cpu_percent / mbps if mbps else None,
        "cpu_us_per_frame": usage.cpu_us_per_frame,
        "switches_per_s": usage.switches_per_s,
        "rss_mb": usage.rss_mb,
        "rss_max_mb": usage.rss_max_mb,
        "pss_mb": usage.pss_mb,
    }
    shared = {
        "softirq_percent": usage.softirq_percent,
        "busy_percent": usage.busy_percent,
        "frames_per_s": usage.frames_per_s,
    }
    return {**(process_figures if has_process else dict.fromkeys(process_figures)), **shared}


@contextmanager
def switch_under_test(
    switch: str,
    *,
    size: int,
    energy: str,
    seed: int,
    offloads: bool = False,
    start: Callable[[weir.Network, Path], RunningSwitch] | None = None,
) -> Iterator[SwitchUnderTest]:
    """Starts a network with a switch, and yields the switch.

    Args:
        switch: the switch's name.
        size: bytes of the longest IP packet.
        energy: see :func:`weir_labs.switch_comparison.power.meter`.
        seed: the seed of the run.
        offloads: whether the hosts send large frames with partial checksums.
        start: a function that starts the switch in a special way; ``None`` for the usual way.

    Raises:
        MissingSwitch: the switch is not installed, or does not support the options.
    """
    kind = find_switch(switch)
    if offloads and not kind.offloads:
        raise MissingSwitch("it does not accept large frames")
    if switch in _absent:
        raise MissingSwitch(_absent[switch])
    with (
        tempfile.TemporaryDirectory(prefix="weir-switch-") as name,
        network(size, offloads, kind.place != "nowhere", seed) as net,
    ):
        try:
            running = (start or kind.start)(net, Path(name))
        except MissingSwitch as missing:
            _absent[switch] = str(missing)
            raise
        yield SwitchUnderTest(net, running, kind, Path(name), energy)


def missing_row(missing: MissingSwitch) -> Mapping[str, Any]:
    """Builds the row of a run with a switch that is not installed."""
    return {"available": False, "missing": str(missing)}
