"""The numbers in the slides' captures of experiment 2: lengths of frames and times between them."""

from __future__ import annotations

from typing import Any, Final

from weir.lab import Arithmetic, NoValue, Published

from .slides import PUBLICATION

SEGMENT: Final = 9000
"""The number that the slides call the MTU, although their frames show that it is TCP's maximum
segment size."""

HEADERS: Final = 14 + 20 + 20
"""The bytes of the Ethernet, IPv4 and TCP headers without options; TCP options are part of the
segment size."""

TELEMETRY: Final = 4
"""The bytes of the telemetry header between Ethernet and IPv4."""

_RATE_BPS: Final = 10e6
_PLAIN_BYTES: Final = SEGMENT + HEADERS
_TELEMETRY_FRAME_BYTES: Final = _PLAIN_BYTES + TELEMETRY

_FRAME_NOTE: Final = "a maximum segment of 9000 bytes and headers of 54 bytes. With an MTU of 9000, as in the lab, frames have 9014 bytes"

_CONSECUTIVE_GAPS: Final = (0.007032607, 0.007539520, 0.007150316)


def _capture_number(
    names: tuple[str, ...], quantity: str, value: float | str, unit: str, ours: Any, **more: Any
) -> Published:
    return Published(
        ids=tuple(f"lb.{name}" for name in names),
        publication=PUBLICATION,
        place="screenshots of experiment 2",
        experiment="telemetry inside the network",
        quantity=quantity,
        value=value,
        unit=unit,
        ours=ours,
        **more,
    )


def _length_number(name: str, frame: int, in_bits: bool, conditions: str) -> Published:
    unit, factor = ("bit", 8) if in_bits else ("bytes", 1)
    published = {"telemetry": 9058, "plain": 9054}[name] * factor
    return _capture_number(
        (f"frame.{name}{'.bits' if in_bits else ''}",),
        "length of a full frame",
        published,
        unit,
        Arithmetic(value=frame * factor, absolute=0),
        conditions=conditions,
        note=_FRAME_NOTE,
    )


_UNUSABLE: Final = NoValue(
    reason="the numbers are from a screenshot of an unnamed run; single digits are not reliable, and between frames "
    "there are pauses of unknown "
    "cause"
)

CAPTURES: Final = [
    *(
        _length_number(name, frame, in_bits, conditions)
        for name, frame, conditions in (
            ("telemetry", _TELEMETRY_FRAME_BYTES, "between switches"),
            ("plain", _PLAIN_BYTES, "at a host"),
        )
        for in_bits in (False, True)
    ),
    _capture_number(
        ("frame.delta.eth5", "frame.delta.eth4"),
        "time since the frame before",
        "one time at each of two interfaces",
        "",
        _UNUSABLE,
    ),
    _capture_number(
        tuple(f"capture.eth5.{number}" for number in (4, 5, 6)),
        "time between frames, mean of three in a row",
        1e3 * sum(_CONSECUTIVE_GAPS) / 3,
        "ms",
        Arithmetic(value=_TELEMETRY_FRAME_BYTES * 8e3 / _RATE_BPS, relative=0.05),
        conditions="between switches",
        note="our value is the time of a full frame at 10 Mbit/s, the rate of experiment 1; the slides do not give a rate for experiment 2",
    ),
    _capture_number(
        tuple(f"capture.eth5.{number}" for number in (2, 3, *range(7, 15), *range(23, 27))),
        "time between frames",
        "14 times, from 7 ms to 1.3 s",
        "",
        _UNUSABLE,
        conditions="between switches",
    ),
    _capture_number(
        tuple(f"capture.eth4.{number}" for number in range(19, 45)),
        "time between frames",
        "26 times, of data and acknowledgements",
        "",
        _UNUSABLE,
        conditions="at a host",
    ),
]
"""All numbers in the screenshots of the slides."""
