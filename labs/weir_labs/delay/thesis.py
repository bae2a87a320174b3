"""The numbers in the thesis's text: BMv2 in Mininet, on a virtual machine and on a Linux server.

The thesis's other values are curves in figures, without numbers, and are not repeated here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

CITATION: Final = (
    "The thesis: Farhad Fathi, Delay Control with Programmable Data Planes, Master's thesis, "
    "Politecnico di Torino, academic year 2023–2024 (supervisors Paolo Giaccone and Andrea Bianco); "
    "measurements in section 5.2."
)
"""The publication from which the numbers come."""

COUNTED_BYTES: Final = 1228
"""The bytes of a ping that the thesis counts: 1200 data, 8 ICMP and 20 IPv4, without Ethernet."""


@dataclass(frozen=True)
class PublishedNumbers:
    """The thesis's numbers for one of its machines.

    Attributes:
        name: the machine's name in the thesis.
        a_ms: round trip without recirculation, links unlimited, in milliseconds.
        b_ms: the time that each recirculation adds, in milliseconds.
        rtt_min_ms: minimum round trips in milliseconds, by link rate and recirculations.
    """

    name: str
    a_ms: float
    b_ms: float
    rtt_min_ms: dict[tuple[str, int], float]


PUBLISHED: Final = {
    "bmv2-vm": PublishedNumbers(
        name="virtual machine",
        a_ms=0.98,
        b_ms=0.68,
        rtt_min_ms={
            ("unlimited", 0): 0.97,
            ("unlimited", 1): 1.66,
            ("unlimited", 3): 2.97,
            ("unlimited", 7): 5.36,
            ("1Mbit", 0): 41.7,
            ("1Mbit", 1): 42.63,
            ("1Mbit", 7): 46.25,
            ("100kbit", 0): 399.26,
            ("100kbit", 1): 400.86,
            ("100kbit", 7): 405.72,
            ("10kbit", 0): 3977.94,
            ("10kbit", 1): 3980.38,
            ("10kbit", 7): 3985.69,
        },
    ),
    "bmv2-server": PublishedNumbers(
        name="server",
        a_ms=2.16,
        b_ms=2.11,
        rtt_min_ms={
            ("unlimited", 0): 2.16,
            ("unlimited", 1): 4.27,
            ("unlimited", 3): 8.3,
            ("unlimited", 7): 16.13,
        },
    ),
}
"""The published numbers, by the name of the profile that models the machine."""

TCP_ONE_SWITCH_MBPS: Final = {"unlimited": 25.0}
"""TCP throughput over one switch without recirculation ("about 25"), in Mbit/s, by link rate."""

TCP_TWO_SWITCHES_MBPS: Final = {"unlimited": 23.03, "25Mbit": 21.7, "10Mbit": 9.39}
"""TCP throughput over two switches without recirculation, in Mbit/s, by link rate."""

RTT_TWO_SWITCHES_MS: Final = 1.66
"""The minimum round trip over two switches without recirculation, over unlimited links, in
milliseconds."""
