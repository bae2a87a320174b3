"""Chains of switches on one computer: measured, fitted and predicted figures."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import weir

from .fit import read_measurements, simulate

MEASURED: Final = Path(__file__).with_name("measured.csv")
"""Chains of ``simple_switch``, measured with ``measure.py``; the computer was fitted to them."""

FITTED: Final = (1, 2, 3)
"""The numbers of switches to which the computer was fitted."""


FITTED_COMPUTER: Final = "bmv2-two-processors"
"""The computer that was fitted to these measurements."""


@weir.experiment(switches=[1, 2, 3, 4, 5], computer=[FITTED_COMPUTER])
def chains(switches: int, computer: str, seed: int) -> dict[str, Any]:
    """Does a computer that was fitted to short chains predict a long one?"""
    measured, _ = read_measurements(MEASURED)
    found = asdict(simulate(weir.Computer.named(computer), switches, seed))
    known = measured.get(switches, {})
    return {
        **found,
        **{f"{name}_measured": known.get(name) for name in found},
        # Another computer was not fitted to these measurements.
        "fitted": switches in FITTED and computer == FITTED_COMPUTER,
    }
