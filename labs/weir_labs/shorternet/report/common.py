"""Names that several parts of the report share."""

from __future__ import annotations

from typing import Final

STACK_NAMES: Final = {"shorternet": "Shorternet", "standard": "Ethernet and IPv4"}
"""For each stack, its name in the report."""
