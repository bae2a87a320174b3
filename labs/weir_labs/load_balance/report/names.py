"""Names that several parts of the report share."""

from __future__ import annotations

from typing import Final

NAMES: Final = {"off": "no balancing", "all": "all queues count", "shared": "shared queues count"}
"""The names of the values of ``queues`` in the report."""
