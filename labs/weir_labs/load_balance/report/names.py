"""Names that several parts of the report share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from weir.lab import part_of


def good_runs(row: Mapping[str, Any]) -> str:
    """Says how many runs of a point end well, as in ``3 of 4 runs``."""
    return part_of(round(row["good"] * row["n"]), row["n"], "run")


NAMES: Final = {"off": "no balancing", "all": "all queues count", "shared": "shared queues count"}
"""For each value of ``queues``, its name in the report."""

CONDITIONS: Final = {
    "off": "Without load balancing",
    "all": "If all queues count",
    "shared": "If only shared queues count",
}
"""For each value of ``queues``, the beginning of a sentence about it."""
