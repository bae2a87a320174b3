"""The report on flows over several links, and on unequal weights."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from weir.lab import Findings, Tables
from weir.report import COLOURS, HUES, Figure, Plot, Section, Table, axes, decimal, save_plot

from .common import NAMES

_PACED = ("htb", "fq")


def findings(tables: Tables, plots: Path) -> Findings:
    """Reports the difference between flows' rates and their shares, and the part of the links that
    shares leave unused."""
    keys = ("scenario", "weights", "mode", "rate", "rtt", "queue", "seconds", "reserve_percent")
    rows = tables.points(*keys).to_dicts()
    flows = tables.frame("flows").to_dicts()
    return Findings(
        _answer(rows),
        [
            Section(
                "Several bottlenecks and unequal weights",
                [
                    "h1 sends over all links in a row, and each other host over one link. Each "
                    "switch adds its trace to the SYN-ACK, and a flow gets the smallest of its "
                    "shares. In legacy-switch, the second of four switches is a router that does not "
                    "know the option. In seven-links, seven switches add a trace, but the option has "
                    "space for four.",
                ],
                [_summary_table(rows), _flows_table(flows)],
                [
                    Figure(
                        _plot(plots, flows),
                        "Goodput of each paced flow against its share. Flows on the dotted line get "
                        "exactly their share.",
                    )
                ],
                notes=[
                    "A flow that a slower link limits does not use its full share of another link, "
                    "and the other flows at that link are not told. With max-min fairness, links "
                    "would be fully used; the last columns compare both.",
                ],
            )
        ],
    )


def _answer(rows: list[dict[str, Any]]) -> str:
    worst = max((row["worst_percent_max"] for row in rows if row["mode"] in _PACED), default=None)
    regular = max((row["worst_percent_max"] for row in rows if row["mode"] not in _PACED), default=None)
    texts = []
    if worst is not None:
        texts.append(
            f"With pacing, flows differ from their shares by weight by {decimal(worst, 2)} % at most."
        )
    if regular is not None:
        texts.append(f"Without pacing, flows differ from their shares by up to {decimal(regular, 0)} %.")
    return " ".join(texts)


def _summary_table(rows: list[dict[str, Any]]) -> Table:
    return Table.from_rows(
        rows,
        [
            ("scenario", "scenario"),
            ("weights", "weights"),
            ("mode", lambda row: NAMES[row["mode"]]),
            ("from the share, at most (%)", "worst_percent_max", 2),
            ("lost", "dropped", 0),
            ("all flows (Mbit/s)", "total_mbps", 2),
            ("max-min (Mbit/s)", "fair_mbps", 2),
        ],
        "Goodput in the second half of the runs. The weights are those of h1, h2, …, and repeat if "
        "there are more hosts.",
        words=(0, 1, 2),
        marked=(3,),
    )


def _flows_table(flows: list[dict[str, Any]]) -> Table:
    return Table(
        ["scenario", "weights", "mode", "flow", "links", "weight", "share (Mbit/s)", "goodput (Mbit/s)"],
        [
            [
                row["scenario"],
                row["weights"],
                NAMES[row["mode"]],
                row["flow"],
                f"{row['links']}",
                f"{row['weight']}",
                decimal(row["expected_mbps"], 3),
                decimal(row["mbps"], 3),
            ]
            for row in flows
            if row["mode"] in _PACED and row["repetition"] == 0
        ],
        "The flows with pacing.",
        words=(0, 1, 2, 3),
        marked=(7,),
    )


def _plot(plots: Path, flows: list[dict[str, Any]]) -> Plot:
    paced = [row for row in flows if row["mode"] in _PACED]
    with axes() as ax:
        for mode, colour, marker in zip(_PACED, HUES, "ox", strict=False):
            mode_rows = [row for row in paced if row["mode"] == mode]
            if not mode_rows:
                continue
            ax.plot(
                [row["expected_mbps"] for row in mode_rows],
                [row["mbps"] for row in mode_rows],
                color=colour,
                marker=marker,
                linestyle="",
                label=NAMES[mode],
            )
        end = max((row["expected_mbps"] for row in paced), default=1.0)
        ax.plot([0, end], [0, end], color=COLOURS["ink"], linewidth=0.8, linestyle=":")
        ax.set_xlabel("share in Mbit/s")
        ax.set_ylabel("goodput in Mbit/s")
        ax.legend(loc="lower right")
        return save_plot(ax, plots, "paths")
