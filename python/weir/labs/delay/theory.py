"""The predicted round-trip time, from the configured times alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from weir.labs.delay.thesis import COUNTED_BYTES

ETHERNET_BYTES: Final = 14
IPV4_BYTES: Final = 20
ICMP_BYTES: Final = 8

CROSSINGS: Final = 4
"""Links that a request and its reply cross: two in each direction."""


def wire_bytes(data_bytes: int) -> int:
    """The bytes of a ping on the wire, including the Ethernet header."""
    return data_bytes + ICMP_BYTES + IPV4_BYTES + ETHERNET_BYTES


@dataclass(frozen=True)
class Theory:
    """The parts of the round-trip time.

    Attributes:
        pass_ns: one pass through the switch, in nanoseconds.
        processing_ns: processing time of all hosts in one round trip, in nanoseconds.
        wire_bytes: a ping's bytes on the wire.
    """

    pass_ns: int
    processing_ns: int
    wire_bytes: int

    def rtt_ms(self, recirculations: int, rate_bps: int | None) -> float:
        """The round-trip time in milliseconds: 4 transmissions, 2·(X + 1) passes, processing."""
        return self.a_ms(rate_bps) + self.b_ms * recirculations

    def a_ms(self, rate_bps: int | None) -> float:
        """The round trip without recirculation, in milliseconds."""
        return transmission_ms(self.wire_bytes, rate_bps) + (2 * self.pass_ns + self.processing_ns) / 1e6

    @property
    def b_ms(self) -> float:
        """The time that each recirculation adds, in milliseconds: a pass in each direction."""
        return 2 * self.pass_ns / 1e6

    def thesis_rtt_ms(self, recirculations: int, rate_bps: int | None) -> float:
        """The same with the thesis' count of bytes, which omits the Ethernet header."""
        saved = transmission_ms(self.wire_bytes, rate_bps) - transmission_ms(COUNTED_BYTES, rate_bps)
        return self.rtt_ms(recirculations, rate_bps) - saved


def transmission_ms(packet_bytes: int, rate_bps: int | None) -> float:
    """Transmission time on the four links, in milliseconds; 0 if their rate is unlimited."""
    return 0.0 if rate_bps is None else CROSSINGS * packet_bytes * 8 * 1e3 / rate_bps
