"""The results of one lab in a run of all labs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from weir.lab.lab import Lab
    from weir.lab.running import Outcome


@dataclass(frozen=True)
class LabRun:
    """The results of one lab in a run of all labs, or the reason why the lab was skipped.

    Attributes:
        name: the lab's name.
        lab: the lab; ``None`` if it cannot be loaded.
        outcome: the results; ``None`` if there are none.
        skipped: the reason why the lab was skipped; empty if it was run.
        failures: the errors; a lab with errors can still have results.
        seconds: the duration in real time.
    """

    name: str
    lab: Lab | None = None
    outcome: Outcome | None = None
    skipped: str = ""
    failures: Sequence[str] = ()
    seconds: float = 0.0
