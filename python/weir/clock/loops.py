"""Warnings about packets that stay in a network forever."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from weir import units
from weir.errors import NetworkError, WeirWarning
from weir.measure.dropped_frame import describe

if TYPE_CHECKING:
    from collections.abc import Sequence

    from weir._core import Loop

_STACK_LEVEL = 6
"""The number of stack frames from the warning up to the user's code, in most cases."""


def report(loop: Loop | None) -> None:
    """Warns about a loop that the simulator found.

    Raises:
        NetworkError: the packets multiply so fast that the run cannot continue.
    """
    if loop is None:
        return
    names, device = loop.devices, loop.device
    span = units.format_time(loop.span_ns)
    packet = describe(loop.frame) if loop.frame else "a packet"
    if device is None:
        pass_on = "passes" if len(names) == 1 else "pass"
        warnings.warn(
            f"{_list_names(names)} {pass_on} a packet round: {packet} or a copy of it arrived "
            f"{loop.arrivals} times in {span} of virtual time. The links of these devices form a loop without a time "
            "to live or a spanning tree to end it. Ctrl-C ends the run",
            WeirWarning,
            stacklevel=_STACK_LEVEL,
        )
        return
    copies_text = f" and copied packets {_times(device.copies)}" if device.copies else ""
    text = (
        f"{names[0]} seems to repeat packets forever: in {span} of virtual time it recirculated or "
        f"resubmitted packets {_times(device.repeated)}{copies_text}, though {_arrived_text(device.received)}. "
        f"{_inside_text(device.inside)}, such as {packet}"
    )
    if device.is_hopeless:
        raise NetworkError(
            f"{text}. The copies multiply so fast that a virtual second takes minutes, so the run ends "
            "here. With fewer passes per second, as in the profile bmv2-vm, the run could continue"
        )
    warnings.warn(f"{text}. Ctrl-C ends the run", WeirWarning, stacklevel=_STACK_LEVEL)


def _list_names(names: Sequence[str]) -> str:
    """Joins names to a text such as "s1 and s2"; of more than six names, it lists only the first
    five."""
    if len(names) > 6:
        return f"{', '.join(names[:5])} and {len(names) - 5} more switches"
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def _arrived_text(packets: int) -> str:
    if packets == 0:
        return "no packet arrived"
    return "only 1 packet arrived" if packets == 1 else f"only {packets} packets arrived"


def _inside_text(packets: int) -> str:
    return "1 packet is inside" if packets == 1 else f"{packets} packets are inside"


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number} times"
