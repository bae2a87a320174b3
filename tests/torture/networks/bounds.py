"""Runs a network that may never end, and checks the run."""

from __future__ import annotations

import warnings

import weir
from torture.case import Failed
from torture.switch import check_message
from weir.errors import WeirError


class TooMuch(Exception):
    """Raised into a run that does more than a test waits for."""


def run_and_audit(network: weir.Network, *durations: str, events: int = 200_000) -> str:
    """Runs for the durations, or until this many events were handled.

    Returns:
        ``done``; ``stopped`` if there were more events; ``refused`` if the network refused.
    """
    first, outcome = network.events, "done"

    def look() -> None:
        if network.events - first > events:
            raise TooMuch

    for duration in durations:
        try:
            with warnings.catch_warnings():
                # Many of these networks have loops.
                warnings.filterwarnings(
                    "ignore", ".* (seems to repeat packets|pass a packet round)", weir.WeirWarning
                )
                network.run_for(duration, progress=lambda *_: look())
        except TooMuch:
            outcome = "stopped"
            break
        except WeirError as error:
            check_message(error)
            outcome = "refused"
    account = network.audit()
    if account.violations:
        raise Failed(f"packets are not accounted for: {account.violations}")
    return outcome
