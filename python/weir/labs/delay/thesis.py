"""The thesis's measurements on BMv2 in Mininet (sections 5.2.1 and 5.2.2).

The machines are a virtual machine and a Linux server.

All are minimum round-trip times of pings with 1200 data bytes. Only numbers in the thesis' text;
the others are curves in its figures.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

CITATION: Final = (
    "The thesis: Farhad Fathi, Delay Control with Programmable Data Planes, Master's thesis, Politecnico di Torino, academic year "
    "2023–2024 (supervisors Paolo Giaccone and Andrea Bianco); measurements in sections 5.2.1 and 5.2.2."
)
"""The source of the published numbers."""

COUNTED_BYTES: Final = 1228
"""Bytes of a packet as the thesis counts them: 1200 data, 8 ICMP, 20 IPv4, no Ethernet."""


@dataclass(frozen=True)
class Machine:
    """One of the thesis' machines.

    Attributes:
        name: its name in the thesis.
        a_ms: the round trip without recirculation, links unlimited, in milliseconds.
        b_ms: the time that each recirculation adds, in milliseconds.
        rtt_min_ms: the minimum round trips given, in milliseconds, by (link rate in bit/s or None,
            recirculations).
    """

    name: str
    a_ms: float
    b_ms: float
    rtt_min_ms: dict[tuple[int | None, int], float]


VIRTUAL_MACHINE: Final = Machine(
    name="virtual machine",
    a_ms=0.98,
    b_ms=0.68,
    rtt_min_ms={
        (None, 0): 0.97,
        (None, 1): 1.66,
        (None, 3): 2.97,
        (None, 7): 5.36,
        (10**6, 0): 41.7,
        (10**6, 1): 42.63,
        (10**6, 7): 46.25,
        (10**5, 0): 399.26,
        (10**5, 1): 400.86,
        (10**5, 7): 405.72,
        (10**4, 0): 3977.94,
        (10**4, 1): 3980.38,
        (10**4, 7): 3985.69,
    },
)

SERVER: Final = Machine(
    name="server",
    a_ms=2.16,
    b_ms=2.11,
    rtt_min_ms={(None, 0): 2.16, (None, 1): 4.27, (None, 3): 8.3, (None, 7): 16.13},
)
