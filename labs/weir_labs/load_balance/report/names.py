"""Names that several parts of the report share."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final


def good_runs(row: Mapping[str, Any]) -> str:
    """Says how many runs of a point end well, as in ``3 of 4 runs``."""
    return f"{round(row['good'] * row['n'])} of {row['n']} {'run' if row['n'] == 1 else 'runs'}"


NAMES: Final = {"off": "no balancing", "all": "all queues count", "shared": "shared queues count"}
"""For each value of ``queues``, its name in the report."""
