"""The experiment "causes": measures the effects of machine code, batches, threads and packet I/O
one at a time."""

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
    """A pair of switches that differ in one property.

    Attributes:
        name: the difference between the two switches.
        one: the switch that is expected to be faster.
        other: the other switch.
        same: the properties that both switches have in common.
        unanswered: the question that the comparison cannot answer.
    """

    name: str
    one: str
    other: str
    same: str
    unanswered: str


CAUSES: Final[Sequence[Cause]] = (
    Cause(
        name="machine code instead of an interpreter",
        one="weir",
        other="weir-interp",
        same="program, entries, ports, batches and thread",
        unanswered="how slow another interpreter is, such as BMv2's; the program is a table and two "
        "assignments, and a longer one gains more",
    ),
    Cause(
        name="64 frames per system call instead of one",
        one="copy",
        other="copy-single",
        same="sockets, buffers and one thread; there is no P4 program",
        unanswered="batches within a switch, between parser and tables; batches form only while frames "
        "arrive faster than they leave",
    ),
    Cause(
        name="one thread instead of two, with batches",
        one="copy",
        other="copy-threads",
        same="sockets, buffers and batches of 64 frames, each handed over as a whole",
        unanswered="the gain from threads with processors of their own; here, senders and receivers use the same processors",
    ),
    Cause(
        name="one thread instead of two, frame by frame",
        one="copy-single",
        other="copy-single-threads",
        same="sockets, buffers and one frame at a time",
        unanswered="pipelines of more threads, as in BMv2, and locks on tables",
    ),
    Cause(
        name="packet I/O: sockets instead of a shared ring",
        one="weir",
        other="weir-ring",
        same="program, machine code, entries and thread",
        unanswered="the effect of drivers in the process itself (DPDK), which T4P4S can use; there are none here",
    ),
    Cause(
        name="packet I/O: direct instead of sockets",
        one="weir-direct",
        other="weir",
        same="program, machine code, entries and thread",
        unanswered="the effect of drivers in the process itself (DPDK), which T4P4S can use; there are none here",
    ),
    Cause(
        name="in the kernel instead of in a process",
        one="redirect",
        other="copy",
        same="each frame is sent to the other interface without being read",
        unanswered="the processor time of a frame, because the kernel's time belongs to no process",
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

    The sender sends datagrams as fast as it can.
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
