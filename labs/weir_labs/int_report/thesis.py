"""The thesis's results of its two tests of telemetry: BMv2 in Mininet.

Its figures are curves without numbers; the numbers here are those in its text.
"""

from __future__ import annotations

from typing import Final

CITATION: Final = (
    "The thesis: Oskar Claeson and William Kruse, High-Speed, Low-Latency, and Secure Networking with P4, Master's thesis, "
    "Chalmers University of Technology, 2021; telemetry in sections 3.3 and 4.2."
)
"""The source of the published results."""

FIVE_SWITCHES_MBPS: Final = 5.0
"""Test 1: the load from which the bandwidth over five switches falls if telemetry is on."""

SECOND_FLOW_MBPS: Final = 3.5
"""Test 2: the load from which the network is congested."""

SECOND_FLOW_EQUAL_MBPS: Final = 5.0
"""Test 2: the load until which bandwidths with and without telemetry are similar."""
