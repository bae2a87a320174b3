"""Names and plots that several parts of the report use."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import polars as pl

from weir.report import Curve, Panel, Plot, decimal, draw_panels, measured

_TCPS: Final = {"cubic": "TCP Cubic", "reno": "TCP Reno", "bbr": "TCP BBR"}

NAMES: Final = {
    **_TCPS,
    **{f"{tcp}-codel": f"{name}, CoDel" for tcp, name in _TCPS.items()},
    **{f"{tcp}-codel-ecn": f"{name}, CoDel, ECN" for tcp, name in _TCPS.items()},
    "htb": "paced by HTB",
    "fq": "paced by FQ",
}
"""For each mode, its name in the report."""


_UNITS: Final = {"p": "packets", "bit": "bit/s", "kbit": "kbit/s", "Mbit": "Mbit/s", "Gbit": "Gbit/s"}


def with_unit(quantity: str) -> str:
    """Formats a parameter for the report, such as ``16 packets`` for ``16p`` and ``20 ms`` for
    ``20ms``."""
    number = quantity.rstrip("%abcdefghijklmnopqrstuvwxyzGM")
    unit = quantity.removeprefix(number)
    return f"{number} {_UNITS.get(unit, unit)}".rstrip()


def packets(mean: float) -> str:
    """Formats a mean number of packets: whole numbers, and means from 10 on, without decimals."""
    return decimal(mean, 0 if mean >= 10 or mean == round(mean) else 1)


def in_words(row: Mapping[str, Any], name: str, digits: int) -> str:
    """Formats a mean for a sentence: with the digits that its interval supports, and at most
    ``digits`` decimals."""
    exact = measured(row[name], row.get(f"{name}_half"), digits)
    return min(exact, decimal(row[name], digits), key=len)


def slower_by(factor: float) -> str:
    """Describes a computer that is slower than the fitted one by a factor."""
    return "the fitted computer" if factor == 1 else f"{factor:g} times slower"


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
    curves = []
    for (host,), host_rates in rates.partition_by("host", maintain_order=True, as_dict=True).items():
        active = host_rates.filter((pl.col("mbps") > 0).cum_sum() > 0)
        curves.append(Curve(str(host), active["time_s"], active["mbps"]))
    return curves
