"""Names and plots that several parts of the report share."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import polars as pl

from weir.report import HUES, Plot, axes, save_plot

_TCPS: Final = {"cubic": "TCP Cubic", "reno": "TCP Reno", "bbr": "TCP BBR"}

NAMES: Final = {
    **_TCPS,
    **{f"{tcp}-codel": f"{name}, CoDel" for tcp, name in _TCPS.items()},
    **{f"{tcp}-codel-ecn": f"{name}, CoDel with ECN" for tcp, name in _TCPS.items()},
    "htb": "paced by HTB",
    "fq": "paced by FQ",
}
"""The names of the modes in the report."""


def over_time(plots: Path, name: str, rates: pl.DataFrame) -> Plot:
    """Draws the rates of hosts over time.

    Args:
        plots: the folder.
        name: the name of the file.
        rates: the rates of one run: ``host``, ``time_s`` (the beginning of an interval), ``mbps``.
    """
    with axes(6.4, 3.2) as ax:
        groups = rates.partition_by("host", maintain_order=True, as_dict=True)
        for ((host,), own), colour in zip(groups.items(), HUES * len(groups), strict=False):
            active = own.filter((pl.col("mbps") > 0).cum_sum() > 0)  # from its beginning on
            ax.plot(active["time_s"].to_list(), active["mbps"].to_list(), color=colour, label=host)
        ax.set_xlabel("time in s")
        ax.set_ylabel("goodput, in Mbit/s")
        ax.set_ylim(0, 1.15 * ax.get_ylim()[1])  # with room for the legend
        ax.legend(ncols=4, loc="upper right")
        return save_plot(ax, plots, name)
