"""The run of a lab among others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from weir.lab.lab import Lab
    from weir.lab.running import Outcome


@dataclass(frozen=True)
class LabRun:
    """The run of a lab among others, or why it did not run.

    Attributes:
        name: the lab's name.
        lab: the lab; None if it cannot be loaded.
        outcome: its results; None if it has none.
        skipped: why it was not run; empty if it was.
        failures: its errors; a lab with errors can have results.
        seconds: how long it took on the wall clock.
    """

    name: str
    lab: Lab | None = None
    outcome: Outcome | None = None
    skipped: str = ""
    failures: Sequence[str] = ()
    seconds: float = 0.0
