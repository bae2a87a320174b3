"""One change at a time: what a switch gains by machine code, batches, threads and packet I/O."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import weir

from . import flows
from .measure import WARM_UP, missing_row, switch_under_test
from .switches.kind import MissingSwitch


@dataclass(frozen=True, kw_only=True)
class Cause:
    """Two switches that differ in one thing.

    Attributes:
        name: the difference between the two switches.
        one: the switch that is thought to be faster.
        other: the other switch.
        same: the properties that both have in common.
        untold: the question that the pair cannot answer.
    """

    name: str
    one: str
    other: str
    same: str
    untold: str


CAUSES: Final[Sequence[Cause]] = (
    Cause(
        name="machine code, not an interpreter",
        one="weir",
        other="weir-interp",
        same="program, entries, ports, batches and thread",
        untold="how slow another interpreter is, such as BMv2's; the program is a table and two assignments, and a longer one "
        "gains more",
    ),
    Cause(
        name="64 frames a system call, not one",
        one="copy",
        other="copy-single",
        same="sockets, buffers and one thread; there is no P4 program",
        untold="batches within a switch, between parser and tables; batches form only while frames arrive faster than they leave",
    ),
    Cause(
        name="one thread, not two, by batches",
        one="copy",
        other="copy-threads",
        same="sockets, buffers and batches of 64 frames, which are handed over together",
        untold="what threads gain where each has a processor of its own: here senders and receivers take part in the same ones",
    ),
    Cause(
        name="one thread, not two, frame by frame",
        one="copy-single",
        other="copy-single-threads",
        same="sockets, buffers and one frame at a time",
        untold="pipelines of more threads, as BMv2's, and locks of tables",
    ),
    Cause(
        name="packet I/O: sockets, not a shared ring",
        one="weir",
        other="weir-ring",
        same="program, machine code, entries and thread",
        untold="drivers in the process itself (DPDK), which T4P4S can use: there is none here",
    ),
    Cause(
        name="packet I/O: direct, not sockets",
        one="weir-direct",
        other="weir",
        same="program, machine code, entries and thread",
        untold="drivers in the process itself (DPDK), which T4P4S can use: there is none here",
    ),
    Cause(
        name="in the kernel, not through a process",
        one="redirect",
        other="copy",
        same="each frame goes to the other interface, and nothing reads it",
        untold="the processor time of a frame, as the kernel's is that of no process",
    ),
)

_SWITCHES: Final = tuple(dict.fromkeys(name for cause in CAUSES for name in (cause.one, cause.other)))


@weir.experiment(
    switch=[*_SWITCHES],
    size=[100, 1500],
    seconds=[2],
    energy=["auto"],
    seeds=3,
)
def causes(switch: str, size: int, seconds: int, energy: str, seed: int) -> Mapping[str, Any]:
    """How many datagrams does each switch of a pair forward, and for how much processor time?

    Datagrams come as fast as the sender can.
    """
    plan = flows.Plan(protocol="udp", size=size, rate_mbps=None, seconds=seconds, warm_up=WARM_UP)
    try:
        with switch_under_test(switch, size=size, energy=energy, seed=seed) as test:
            flow = test.flow(plan)
            test.finish()
            figures = test.figures(flow)
    except MissingSwitch as missing:
        return missing_row(missing)
    return {
        "available": True,
        "missing": None,
        "release": test.version,
        "others_percent": test.others_percent,
        **figures,
    }
