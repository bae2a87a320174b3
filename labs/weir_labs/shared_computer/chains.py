"""Chains of switches on one computer: measured, fitted and predicted figures."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import weir

from .fit import read_measurements, simulate

MEASURED: Final = Path(__file__).with_name("measured.csv")
"""Chains of ``simple_switch``, measured with ``measure.py``; the computer was fitted to them."""

MEASURED_AGAIN: Final = Path(__file__).with_name("measured-again.csv")
"""The same chains on another virtual machine, whose processors are newer."""

FITTED: Final = (1, 2, 3)
"""The numbers of switches to which the computer was fitted."""


FITTED_COMPUTER: Final = "bmv2-deep-sleep"
"""The computer that was fitted to the first machine's measurements."""


@weir.experiment(switches=[1, 2, 3, 4, 5], computer=[FITTED_COMPUTER])
def chains(switches: int, computer: str, seed: int) -> dict[str, Any]:
    """Does a computer that was fitted to short chains predict a long one?"""
    measured, _ = read_measurements(MEASURED)
    simulated = asdict(simulate(weir.Computer.named(computer), switches, seed))
    measured_figures = measured.get(switches, {})
    return {
        **simulated,
        **{f"{name}_measured": measured_figures.get(name) for name in simulated},
        # Another computer was not fitted to these measurements.
        "fitted": switches in FITTED and computer == FITTED_COMPUTER,
    }
