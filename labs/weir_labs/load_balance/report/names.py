"""Names that several parts of the report share."""

from __future__ import annotations

from typing import Final

NAMES: Final = {"off": "no balancing", "all": "all queues count", "shared": "shared queues count"}
"""For each value of ``queues``, its name in the report."""
