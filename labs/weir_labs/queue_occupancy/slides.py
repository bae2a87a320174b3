"""The slides' results of experiment 1: BMv2 in Mininet."""

from __future__ import annotations

from typing import Final

CITATION: Final = (
    "The slides of a Master's thesis on in-band network telemetry with P4, University of Macedonia, 2020: "
    "experiment 1, queue occupancy."
)
"""The publication from which the results come."""

PUBLICATION: Final = "University of Macedonia 2020"
"""The short name of the slides, in tables of published numbers."""

IDLE_DEPTH: Final = 0
"""The depth in all probes while there are only pings."""

FULL_DEPTH: Final = 63
"""The depth to which two flows fill the queue, which holds 64 packets."""
