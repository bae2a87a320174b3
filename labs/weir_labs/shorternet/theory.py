"""Predicts payload, gain, and time on the links from the lengths of headers."""

from __future__ import annotations

from .frames import HEADERS_BYTES, payload_bytes
from .path import LINKS, SWITCHES


def gain(length: int) -> float:
    """Computes the gain in effective bandwidth at equal packet length: (length − 12) / (length −
    42) − 1.

    Args:
        length: bytes of a packet, with all headers; 43 at least.
    """
    return payload_bytes("shorternet", length) / payload_bytes("standard", length) - 1


def gain_in_capacity(payload: int) -> float:
    """Computes the gain of a link in packets of equal payload: (payload + 42) / (payload + 12) − 1.

    Args:
        payload: bytes after the UDP header.
    """
    return (payload + HEADERS_BYTES["standard"]) / (payload + HEADERS_BYTES["shorternet"]) - 1


def latency_ns(length: int, rate_bps: int, pass_ns: int) -> int:
    """Computes the one-way delay in nanoseconds of a packet that never waits.

    Each link takes ``length`` · 8 / ``rate_bps``, rounded up to a nanosecond, and each switch a
    pass. These times do not depend on the meaning of the bytes.

    Args:
        length: bytes of a packet, with all headers.
        rate_bps: the rate of all links, in bit/s.
        pass_ns: the time of a pass through a switch.
    """
    return LINKS * -(-length * 8 * 1_000_000_000 // rate_bps) + SWITCHES * pass_ns
