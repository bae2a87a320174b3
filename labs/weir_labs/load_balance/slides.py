"""The slides' results of experiment 2: BMv2 in Mininet."""

from __future__ import annotations

from typing import Final

CITATION: Final = (
    "The slides of a Master's thesis on in-band network telemetry with P4, University of Macedonia, 2020: "
    "experiment 2, collision detection and load balancing."
)
"""The publication from which the results come."""

PUBLICATION: Final = "University of Macedonia 2020"
"""The short name of the slides, in tables of published numbers."""

BEFORE_MBPS: Final = (4.45, 3.22, 2.10, 5.00)
"""The rates of h1 to h4 in Mbit/s without load balancing."""

AFTER_MBPS: Final = (9.12, 9.27, 9.11, 9.25)
"""The rates of h1 to h4 in Mbit/s with load balancing."""

BEFORE_MS: Final = 94.2
"""The latency in ms without load balancing."""

AFTER_MS: Final = 54.2
"""The latency in ms with load balancing."""

THRESHOLD: Final = 20
"""The queue length in packets above which a packet causes feedback.

The slides give no time-out and no probability.
"""
