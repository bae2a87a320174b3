"""Names and plots that several parts of the report use."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import polars as pl

from weir.report import Curve, Panel, Plot, draw_panels

_TCPS: Final = {"cubic": "TCP Cubic", "reno": "TCP Reno", "bbr": "TCP BBR"}

NAMES: Final = {
    **_TCPS,
    **{f"{tcp}-codel": f"{name}, CoDel" for tcp, name in _TCPS.items()},
    **{f"{tcp}-codel-ecn": f"{name}, CoDel, ECN" for tcp, name in _TCPS.items()},
    "htb": "paced by HTB",
    "fq": "paced by FQ",
}
"""For each mode, its name in the report."""


def over_time(plots: Path, name: str, runs: Mapping[str, pl.DataFrame]) -> Plot:
    """Draws the rates of hosts over time, with a panel for each run.

    Args:
        plots: the folder.
        name: the name of the file.
        runs: by title, the rates of one run: ``host``, ``time_s`` (the beginning of an interval),
            ``mbps``.
    """
    return draw_panels(
        plots,
        name,
        [Panel(title, _curves(rates)) for title, rates in runs.items()],
        x="time in s",
        y="goodput in Mbit/s",
        style={"marker": ""},
    )


def _curves(rates: pl.DataFrame) -> list[Curve]:
    """Builds a curve for each host, from the time at which the host begins to send."""
    found = []
    for (host,), own in rates.partition_by("host", maintain_order=True, as_dict=True).items():
        active = own.filter((pl.col("mbps") > 0).cum_sum() > 0)
        found.append(Curve(str(host), active["time_s"], active["mbps"]))
    return found
