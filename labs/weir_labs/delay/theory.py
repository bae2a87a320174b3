"""Predicts the round-trip time from the configured times."""

from __future__ import annotations

from typing import Final

from .machines import Machine

ETHERNET_BYTES: Final = 14
IPV4_BYTES: Final = 20
ICMP_BYTES: Final = 8


def wire_bytes(data_bytes: int) -> int:
    """Computes the bytes of a ping on the wire, including the Ethernet header."""
    return data_bytes + ICMP_BYTES + IPV4_BYTES + ETHERNET_BYTES


def transmission_ms(packet_bytes: int, rate_bps: int | None, switches: int = 1) -> float:
    """Computes the transmission time of a round trip on all links, in milliseconds; 0 for unlimited
    rates."""
    crossings = 2 * (switches + 1)
    return 0.0 if rate_bps is None else crossings * packet_bytes * 8 * 1e3 / rate_bps


def rtt_ms(
    machine: Machine, x: int, rate_bps: int | None, switches: int = 1, data_bytes: int = 1200
) -> float:
    """Predicts the round-trip time in milliseconds: the sum of transmissions, passes in both
    directions, and the hosts' times.

    Args:
        machine: the times of switches and hosts.
        x: the number of recirculations in each switch.
        rate_bps: the links' rate in bit/s; ``None`` for unlimited.
        switches: the number of switches.
        data_bytes: the number of bytes of the ping after the ICMP header.
    """
    passes = 2 * switches * (x + 1) * machine.pass_ns
    sent = transmission_ms(wire_bytes(data_bytes), rate_bps, switches)
    return sent + (passes + 2 * machine.host_ns) / 1e6


def rate_name(rate: str) -> str:
    """Formats a link rate for the report, such as ``10 kbit/s`` for ``10kbit``."""
    if rate == "unlimited":
        return rate
    number = rate.rstrip("GMkbit")
    return f"{number} {rate.removeprefix(number)}/s"
