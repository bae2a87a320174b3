"""The numbers of report datagrams (Telemetry Report v2.0, section 3.2)."""

from __future__ import annotations

from typing import Final

RANGE: Final = 1 << 22
"""Sequence numbers have 22 bits, and begin again at 0."""

RESTART: Final = 1000
"""A number that is smaller by more than this shows that the node has restarted."""
