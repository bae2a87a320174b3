"""Weir's own P4 files, such as ``core.p4`` and ``v1model.p4``."""

from __future__ import annotations

from pathlib import Path
from typing import Final

NO_PROGRAM: Final = Path(__file__).with_name("no_program.p4")
"""The program that a switch runs until a controller sends one."""


def p4include() -> Path:
    """Returns the folder of Weir's own P4 files, such as ``core.p4`` and ``v1model.p4``."""
    return Path(__file__).parent.with_name("p4include")


def is_own(file: str) -> bool:
    """Returns whether a file with this name is in the folder of Weir's own P4 files."""
    return Path(file).is_relative_to(p4include())
