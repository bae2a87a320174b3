"""The paper's findings, each confirmed or not by the figures."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from weir.report import Table

from ..switches.known import SWITCHES
from .points import Row, title

PIPELINES = ("simple_switch", "simple_switch_grpc")
"""Switches that pass packets from thread to thread, as the paper's BMv2."""

_EQUAL = 0.02

COMPLETING = ("t4p4s", "weir")
"""Switches that run each packet to completion with tables that readers need not lock: the paper's,
and ours, which stands in where that is not here."""


@dataclass(frozen=True)
class Ratio:
    """How many times as much one switch has as another, over all points and repetitions.

    Attributes:
        mean: the geometric mean.
        low: the smallest ratio.
        high: the largest.
        above: how many ratios are above 1.
        count: how many there are.
    """

    mean: float
    low: float
    high: float
    above: int
    count: int

    def __str__(self) -> str:
        return f"{self.mean:.2f} ({self.low:.2f} to {self.high:.2f}), above 1 in {self.above} of {self.count}"


def ratio(rows: Sequence[Row], one: str, other: str, column: str, keys: Sequence[str]) -> Ratio | None:
    """How much of a number a switch has compared with another, in the same repetition of a point.

    Args:
        rows: of all flows.
        one: the switch above the line.
        other: the switch below the line.
        column: the number.
        keys: what makes a point.

    Returns:
        The ratio; None without a point that both have.
    """
    values: dict[str, dict[tuple[object, ...], float]] = {one: {}, other: {}}
    for row in rows:
        if row["switch"] in values and row.get(column):
            values[row["switch"]][(row["repetition"], *(row[key] for key in keys))] = float(row[column])
    both = [point for point in values[one] if point in values[other]]
    logs = [math.log(values[one][point] / values[other][point]) for point in both]
    if not logs:
        return None
    mean, low, high = (math.exp(value) for value in (sum(logs) / len(logs), min(logs), max(logs)))
    return Ratio(mean, low, high, sum(value > 0 for value in logs), len(logs))


def verdict(found: Ratio | None, more: bool) -> str:
    """What a ratio says of a claim: a mean within 2 % of 1 is no difference.

    Args:
        found: the ratio.
        more: whether it is claimed to be above 1, and not below.
    """
    if found is None:
        return "not tested"
    if abs(found.mean - 1) <= _EQUAL:
        return "not confirmed: no difference"
    if (found.mean > 1) != more:
        return "not confirmed: the opposite"
    against = found.count - found.above if more else found.above
    return f"confirmed on average, but not in {against} of {found.count}" if against else "confirmed"


@dataclass(frozen=True)
class Claim:
    """A finding of the paper.

    Attributes:
        text: what it says, in our words.
        column: the number that decides.
        more: whether run to completion is said to have more of it.
        keys: what makes a point.
    """

    text: str
    column: str
    more: bool
    keys: Sequence[str]


def claims_table(claims: Sequence[Claim], rows: Sequence[Row]) -> tuple[Table, str]:
    """The claims next to the figures, and an answer in a sentence."""
    lines, short = [], []
    there = {row["switch"] for row in rows}
    for claim in claims:
        tested = False
        for one in COMPLETING:
            for other in PIPELINES:
                found = ratio(rows, one, other, claim.column, claim.keys)
                if found is None:
                    continue
                tested = True
                said = verdict(found, claim.more)
                lines.append([claim.text, f"{title(one)} : {title(other)}", str(found), said])
                short.append(f"{claim.text}: {said} ({title(one)} : {title(other)} = {found.mean:.2f})")
        if not tested:
            missing = "no BMv2" if not there & set(PIPELINES) else "no switch that runs to completion"
            lines.append([claim.text, "–", missing, "not tested"])
            short.append(f"{claim.text}: not tested")
    table = Table(
        ["the paper's finding", "compared", "ratio: geometric mean (range)", "here"],
        lines,
        "T4P4S, and Weir as another switch that runs to completion, against BMv2. Ratios are of the same repetition of each "
        "point; a claim is confirmed if all are on its side, and no difference is a mean within 2 % of 1.",
        words=(0, 1, 2, 3),
        prose=True,
    )
    if all(line[-1] == "not tested" for line in lines):
        return table, f"the paper's findings are not tested, for there is {lines[0][2]}"
    return table, "; ".join(short)


def standing(rows: Sequence[Row], column: str, what: str, keys: Sequence[str]) -> str:
    """Where Weir stands, in a sentence: its ratio to each switch that does the same work.

    Args:
        rows: of all flows.
        column: the number.
        what: the number in words.
        keys: what makes a point.
    """
    said = [
        f"{found.mean:.2f} of {kind.title}"
        for other, kind in SWITCHES.items()
        if kind.place != "nowhere" and not other.startswith("weir")
        if (found := ratio(rows, "weir", other, column, keys)) is not None
    ]
    return f"{what} of Weir, next to others: {', '.join(said)}" if said else ""


def sentence(*parts: str) -> str:
    """The parts that there are, as sentences."""
    return " ".join(f"{part[:1].upper()}{part[1:]}." for part in parts if part)


def against_others(rows: Sequence[Row], column: str, more: bool, keys: Sequence[str]) -> Table:
    """Weir next to each other switch.

    Args:
        rows: of all flows.
        column: the number.
        more: whether more of it is better.
        keys: what makes a point.
    """
    lines = []
    for other, kind in SWITCHES.items():
        found = None if other.startswith("weir") else ratio(rows, "weir", other, column, keys)
        if found is not None and kind.place != "nowhere":
            better = found.above if more else found.count - found.above
            lines.append([kind.title, kind.place, str(found), f"{better} of {found.count}"])
    return Table(
        ["Weir compared with", "in", "ratio: geometric mean (range)", "Weir ahead at"],
        lines,
        words=(0, 1, 2, 3),
    )
