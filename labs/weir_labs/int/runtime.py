"""Control at run time: one entry of one watchlist changes the treatment of a running flow."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import polars as pl

import weir

from .chain import FROM_H1, PATH, chain, program
from .collector import collect
from .metadata import watch

STEPS = ("off", "XD", "MX", "MD", "off")
"""The entries of the watchlists, one after the other."""

BIN_MS = 50


@weir.experiment(switches=[5], rate=["10Mbit"], mbps=[4.0], data_bytes=[1000], step_s=[0.5])
def runtime(
    switches: int, rate: str, mbps: float, data_bytes: int, step_s: float, seed: int
) -> dict[str, Any]:
    """Does a change of entries change what happens to the next packet, and to no other?

    A flow is sent all the time. Every ``step_s`` the watchlists of all switches change: no
    telemetry, XD, MX, MD, none.
    """
    with weir.Network(chain(switches, rate), program(), seed=seed, noise="realistic") as net:
        collector = collect(net)
        handles: list[tuple[str, int]] = []
        changed: list[int] = []

        def change(mode: str) -> None:
            changed.append(net.now_ns)
            for switch, handle in handles:
                net.switch(switch).table("watchlist").delete(handle)
            handles.clear()
            for entry in watch(mode, PATH):
                for switch in [node.name for node in net.switches]:
                    action = entry["action_name"].rpartition(".")[2]
                    table = net.switch(switch).table("watchlist")
                    handles.append(
                        (switch, table.insert(FROM_H1, action, entry["action_params"], priority=1))
                    )

        for number, mode in enumerate(STEPS):
            net.at(f"{round(number * step_s * 1e9)}ns", partial(change, mode))
        end = net.sniff("s1-p1", "udp")
        flow = net.host("h1").start_iperf(
            "h2",
            udp=True,
            rate=f"{mbps}Mbit",
            length=f"{data_bytes}B",
            duration=f"{len(STEPS) * step_s}s",
            interval=None,
            packets=True,
        )
        net.run_for(f"{len(STEPS) * step_s + 1}s")
        result = flow.result()
        sent = np.array([frame.time_ns for frame in end.frames if not frame.outbound])
    step = np.searchsorted(changed, sent, side="right") - 1
    packets = np.bincount(step, minlength=len(STEPS))
    modes_over_time = [(time, _mode(report), report.node) for time, report in collector.reports]
    expected = {"XD": switches * packets[1], "MX": switches * packets[2], "MD": packets[3]}
    reports = {mode: sum(one == mode for _, one, _ in modes_over_time) for mode in expected}
    return {
        "sent": result.sent,
        "lost": result.lost,
        **{f"{mode.lower()}_reports": count for mode, count in reports.items()},
        **{f"{mode.lower()}_expected": int(count) for mode, count in expected.items()},
        "over_time": _reports_over_time(modes_over_time, round(len(STEPS) * step_s * 1000)),
    }


def _mode(report: weir.telemetry.Report) -> str:
    return report.embedded.mode if report.embedded is not None else "XD"


def _reports_over_time(reports: list[tuple[int, str, int]], length_ms: int) -> pl.DataFrame:
    """Counts the reports in each step of time, by mode."""
    rows: dict[str, Any] = {"time_s": np.arange(0, length_ms, BIN_MS) / 1e3}
    for mode in ("XD", "MX", "MD"):
        times = [time // (BIN_MS * 10**6) for time, report_mode, _ in reports if report_mode == mode]
        counts = np.bincount(times, minlength=len(rows["time_s"]))
        rows[mode] = counts[: len(rows["time_s"])] * 1000 / BIN_MS
    return pl.DataFrame(rows)
