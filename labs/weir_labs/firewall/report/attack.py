"""The report on the attacks."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import polars as pl

from weir.lab import Findings, Tables, count_noun, part_of
from weir.report import Figure, Section, Table, draw_bars

from .common import words

_DESCRIPTIONS: Final = {
    "spoofing": "x1, a stranger, takes addresses of members",
    "mac-flooding": "h2, a member, sends from random MAC addresses",
    "scanning": "h4, a new member, looks for hosts and ports",
    "request-flood": "x1 asks to join all the time, with guessed tokens",
    "replay": "x1 repeats and changes recorded handshakes, and answers challenges with recorded tokens",
    "fragments": "h2 hides a port that is denied in fragments",
    "malformed": "h2 sends headers that are wrong, cut off, or denied",
}


def findings(tables: Tables, plots: Path) -> Findings:
    """Reports leaks, refusals, and the members' losses."""
    runs = tables.runs.group_by("attack", maintain_order=True).agg(
        pl.sum(
            "sent",
            "leaked",
            "refused",
            "requests",
            "answers",
            "unexplained",
            "members_changed",
            "own_sent",
            "own_lost",
        )
    )
    total = runs.select(
        pl.sum("sent", "leaked", "unexplained", "members_changed", "own_sent", "own_lost")
    ).row(0, named=True)
    reasons = (
        tables.frame("reasons")
        .group_by("attack", "reason", maintain_order=True)
        .agg(pl.sum("refused_packets"))
    )
    controller = (
        tables.frame("controller").group_by("attack", "reason", maintain_order=True).agg(pl.sum("requests"))
    )
    sums = (
        reasons.group_by("reason", maintain_order=True)
        .agg(pl.sum("refused_packets"))
        .sort("refused_packets", descending=True)
    )
    head = ["attack", "packets", "leave a switch", "refused", "to the controller", "its answers", "unexplained",
            "members changed", "own packets", "of them lost"]  # fmt: skip
    names = (
        "sent",
        "leaked",
        "refused",
        "requests",
        "answers",
        "unexplained",
        "members_changed",
        "own_sent",
        "own_lost",
    )
    return Findings(
        f"Of {count_noun(total['sent'], 'packet')} of attackers, {total['leaked']} leave a switch and "
        f"{total['unexplained']} are unaccounted for. During the attacks, members lose "
        f"{part_of(total['own_lost'], total['own_sent'], 'packet')}, and the number of memberships that change "
        f"is {total['members_changed']}.",
        [
            Section(
                "Attacks",
                [
                    "h1, h2, h3 and the new host h4 are admitted, and h1 and h3 exchange packets all "
                    "the time. Each frame that leaves a switch is checked, and a frame that is not "
                    "from h1 or h3 is a leak. Requests to the controller and its answers are "
                    "counted. All other packets must be refused with a reason.",
                ],
                [
                    Table(
                        head,
                        [
                            [row["attack"], *(f"{row[name]:,}" for name in names)]
                            for row in runs.iter_rows(named=True)
                        ],
                        words=(0,),
                        marked=(2, 9),
                    ),
                    Table(
                        ["attack", "what happens"],
                        [[name, _DESCRIPTIONS[name]] for name in runs["attack"]],
                        words=(0, 1),
                        prose=True,
                    ),
                    Table(
                        ["attack", "refused because", "packets"],
                        [[a, words(reason), f"{count:,}"] for a, reason, count in reasons.rows()],
                        "Packets that switches refused.",
                        words=(0, 1),
                    ),
                    Table(
                        ["attack", "refused because", "requests"],
                        [[a, reason, f"{count:,}"] for a, reason, count in controller.rows()],
                        "Requests that the controller refused.",
                        words=(0, 1),
                    ),
                ],
                [
                    Figure(
                        draw_bars(
                            plots,
                            "refusals",
                            [words(r) for r in sums["reason"]],
                            sums["refused_packets"].to_list(),
                            "packets refused",
                        ),
                        "The reasons for which packets of the attacks are refused, the most "
                        "frequent ones first.",
                    )
                ],
                notes=_replayed_requests(runs, controller),
            )
        ],
    )


def _replayed_requests(runs: pl.DataFrame, controller: pl.DataFrame) -> list[str]:
    """Says how many requests of the attack replay the controller processed: those that it refused
    and those that it answered. Any other result would change the members."""
    replay = runs.filter(pl.col("attack") == "replay")
    if replay.is_empty():
        return []
    row = replay.row(0, named=True)
    refused = int(controller.filter(pl.col("attack") == "replay")["requests"].to_numpy().sum())
    lost = row["requests"] - refused - row["answers"]
    rest = (
        f" The other {lost:,} arrive while 1000 requests wait, and are lost: together with x1's answers to challenges, they "
        "are more than the controller's 10,000 requests per second."
        if lost
        else ""
    )
    return [
        "In the attack replay, the switches do not limit requests. The controller processes "
        f"{refused + row['answers']:,} of {row['requests']:,}.{rest}"
    ]
