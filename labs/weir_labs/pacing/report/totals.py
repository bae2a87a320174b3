"""Tables that compare totals with the paper's, under a possible cause of the paper's totals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from weir.lab import Tables
from weir.report import Table, decimal, with_interval

from ..averaged import variation_of_mean
from ..paper import TOTALS, VARIATION
from ..scenarios import MODES
from .common import NAMES
from .joining import KEYS

_PAPER: Final = {own: paper for paper, own in MODES.items()}


def totals_table(
    tables: Tables, rows: list[dict[str, Any]], cause: str, title: str, show: Callable[[Any], str]
) -> Table:
    """Builds a table of the totals in each period, by mode and by the cause's value.

    Args:
        tables: the results.
        rows: a row for each mode and each value of the cause.
        cause: the column of the cause.
        title: the heading of that column.
        show: a function that formats a value of the cause.
    """
    hosts = range(1, rows[0]["hosts"] + 1)
    table_rows = []
    for mode in dict.fromkeys(row["mode"] for row in rows):
        published = TOTALS.get(_PAPER.get(mode, ""), ()) if len(hosts) == 4 else ()
        if published:
            variation = VARIATION[_PAPER[mode]][0][0]
            table_rows.append([NAMES[mode], "paper", "10", *map(str, published), f"{variation}"])
        for row in rows:
            if row["mode"] == mode:
                point = {key: row[key] for key in (*KEYS, cause)}
                variation_1 = variation_of_mean(tables, 1, "h1", **point)
                table_rows.append(
                    [
                        NAMES[mode],
                        show(row[cause]),
                        f"{row['n']}",
                        *(
                            with_interval(row[f"total_{number}"], row[f"total_{number}_half"], 1)
                            for number in hosts
                        ),
                        decimal(variation_1, 1),
                    ]
                )
    return Table(
        ["mode", title, "runs", *(f"P{number} (Mbit/s)" for number in hosts), "variation of h1 in P1 (%)"],
        table_rows,
        "Totals of all hosts: means of the runs, ± half of the 95 % interval. The variation is that "
        "of the mean of the runs.",
        words=(0, 1),
        marked=(3,),
    )
