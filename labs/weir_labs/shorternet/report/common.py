"""Names that several parts of the report share."""

from __future__ import annotations

from typing import Final

STACK_NAMES: Final = {"shorternet": "Shorternet", "standard": "Ethernet and IPv4"}
"""The names of the stacks in the report."""
