"""The thesis's findings on T4P4S and BMv2 on a Raspberry Pi 4, which contain no measured
numbers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import polars as pl

from weir.lab import NoValue, Predicted, Published, Tables

from .report.points import BUSY_PERCENT

_NO_PAIR: Final = (
    "T4P4S was not installed where Weir was measured, and no other switch can replace it; where "
    "T4P4S and BMv2 are installed, the lab's own tables compare them"
)
_NO_METER: Final = (
    "a power meter is needed, and T4P4S; power that a model computes from processor time decides nothing"
)


def _means_are_lower(part: str, one: str, other: str, *columns: str) -> Callable[[Tables], bool | None]:
    """Returns a function that checks whether the means of these numbers are lower for one way or
    switch than for another."""

    def measure(tables: Tables) -> bool | None:
        name = "way" if part == "mechanisms" else "switch"
        runs = tables.runs.filter(tables.runs["available"])
        sums = [
            [runs.filter(runs[name] == which)[column].drop_nulls() for which in (one, other)]
            for column in columns
        ]
        if any(values.is_empty() for pair in sums for values in pair):
            return None
        return all(float(first.sum()) / len(first) < float(its.sum()) / len(its) for first, its in sums)

    return measure


def _all(*findings: Callable[[Tables], bool | None]) -> Callable[[Tables], bool | None]:
    """Returns a function that checks whether all findings hold; that function returns ``None`` if
    the result of one finding is ``None``."""

    def measure(tables: Tables) -> bool | None:
        holds = [finding(tables) for finding in findings]
        return None if None in holds else all(holds)

    return measure


def _one_thread_costs_less(tables: Tables) -> bool | None:
    """Returns whether the loop of one thread needs less processor time and fewer context switches
    for a frame than the loop of two threads; ``None`` if other programs kept the processors busy.

    On busy processors a thread always finds frames when its turn comes, so it hardly ever sleeps,
    and the loops do not show what threads cost.
    """
    runs = tables.runs.filter(tables.runs["available"])
    means = []
    for switch in ("copy-single", "copy-single-threads"):
        switch_runs = runs.filter(pl.col("switch") == switch)
        if switch_runs.is_empty() or float(switch_runs["others_percent"].to_numpy().mean()) > BUSY_PERCENT:
            return None
        means.append(
            (
                float(switch_runs["cpu_us_per_frame"].to_numpy().mean()),
                float((switch_runs["switches_per_s"] / switch_runs["frames_per_s"]).to_numpy().mean()),
            )
        )
    return all(one < other for one, other in zip(*means, strict=True))


def _finding(name: str, place: str, experiment: str, quantity: str, value: str, ours: Predicted | NoValue,
             note: str = "") -> Published:  # fmt: skip
    return Published(
        ids=[f"wifi.rel.{name}"],
        publication="Pimparkar 2023",
        place=place,
        experiment=experiment,
        quantity=quantity,
        value=value,
        ours=ours,
        note=note,
    )


def _pair(name: str, place: str, experiment: str, quantity: str, value: str) -> Published:
    return _finding(name, place, experiment, quantity, value, NoValue(reason=_NO_PAIR))


PUBLISHED: Final[Sequence[Published]] = (
    _pair("thr", "Figure 4.2", "throughput", "throughput", "T4P4S clearly above BMv2"),
    _pair("thr.conclusion", "chapter 5", "throughput", "throughput", "T4P4S above BMv2"),
    _finding("lockfree", "section 4.4", "throughput", "tables of two copies, without locks", "faster than locked tables",
             Predicted(part="mechanisms", value=_means_are_lower("mechanisms", "snapshot", "locked", "ns_per_packet")),
             "the thesis argues so; ours is processor time of lookups in memory while a writer changes the table, not of a switch"),
    _finding("wait", "section 4.4", "throughput", "threads of a pipeline", "wait for each other, and lose throughput by it",
             Predicted(part="mechanisms",
                       value=_all(_means_are_lower("mechanisms", "pipeline", "completion", "million_per_s"),
                                  _means_are_lower("mechanisms", "completion", "pipeline", "switches_per_million"))),
             "the thesis argues so; ours is packets per second and context switches of work in memory, not of a switch"),
    _pair("cpu", "Figure 4.4", "CPU", "use of the hardware", "T4P4S better than BMv2"),
    _pair("cpu.cause", "section 4.5", "CPU", "processor time", "BMv2 above T4P4S, whose threads do not compete for caches"),
    _finding("energy", "Figure 4.3", "energy", "energy", "T4P4S below BMv2", NoValue(reason=_NO_METER)),
    _finding("energy.cause", "section 4.5", "energy", "energy", "BMv2 above T4P4S", NoValue(reason=_NO_METER)),
    _finding("cpuenergy.conclusion", "chapter 5", "CPU and energy", "processor time and energy",
             "lower if a packet runs to completion, by fewer context switches",
             Predicted(part="causes", value=_one_thread_costs_less),
             "ours is processor time of bare loops, frame by frame, in one thread and in two, on a computer that does little else; "
             "energy is not tested"),
    _pair("mem", "Figure 4.5", "memory", "memory", "T4P4S slightly below BMv2"),
    _pair("mem.rate", "Figure 4.5", "memory", "memory of both", "grows with the rate"),
    _pair("mem.size", "Figure 4.5", "memory", "memory of both", "grows with the packet size"),
    _finding("mem.bmv2", "section 4.5", "memory", "memory of a general-purpose allocator", "more than that of a pool",
             Predicted(part="mechanisms", value=_means_are_lower("mechanisms", "pool", "allocation", "rss_kb"),
                       because="a pool keeps a buffer as long as the longest packet for each packet, and an allocator only what it needs"),
             "the thesis argues so, and measures no cause"),
    _pair("thr.intro", "chapter 1", "throughput and resources", "throughput and resources", "T4P4S better in both"),
    _pair("res.abstract", "abstract", "throughput and resources", "running P4 programs", "T4P4S better than BMv2"),
    Published(
        ids=[f"wifi.cited.{name}" for name in ("ovs.2g", "lagopus.20m", "ovsdpdk.lo", "ovsdpdk.hi", "bess", "vp", "ovsdpdk.pps")],
        publication="Pimparkar 2023",
        place="chapter 2",
        experiment="results of others",
        quantity="throughput of software switches",
        value="Open vSwitch below 2 Gbit/s, and OVS-DPDK 3 to 10 times that; Lagopus below 20, BESS 24.52, VP 19.17, OVS-DPDK "
        "16.45 million packets a second",
        ours=NoValue(reason="measured by others, on other computers"),
        own=False,
        note="three are above the 14.88 million of 64 bytes that 10 Gbit/s carry one way",
    ),
)  # fmt: skip
"""All findings of the thesis."""
