"""Compares the thesis's findings with the figures of its two switches, and Weir with other
switches."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from weir.report import Table, signed

from ..switches.known import SWITCHES
from .points import Row, title

PIPELINES = ("simple_switch", "simple_switch_grpc")
"""The switches that pass packets from thread to thread, as the thesis's BMv2 does."""

_MAX_EQUAL_RATIO_DIFFERENCE = 0.02
"""The difference from 1 up to which a mean ratio counts as equal."""

_EQUAL_DIFFERENCE = 0.1
"""The mean difference, in the number's unit, up to which two switches count as equal."""

_RUN_TO_COMPLETION = "t4p4s"
"""The thesis's switch that runs each packet to completion. Only this switch tests the thesis's
findings, because others such as Weir also differ from BMv2 in machine code, batches and packet
I/O."""


@dataclass(frozen=True)
class Ratio:
    """The ratio of a number of two switches over all points and repetitions, or the difference for
    a number that may be 0.

    Attributes:
        mean: the geometric mean of ratios, or the mean of differences.
        low: the smallest ratio or difference.
        high: the largest ratio or difference.
        above: the number of ratios above 1, or of differences above 0.
        count: the number of ratios or differences.
        unit: the unit of differences; empty for ratios.
    """

    mean: float
    low: float
    high: float
    above: int
    count: int
    unit: str = ""

    @property
    def neutral(self) -> int:
        """The value if both switches have the same number, 1 or 0."""
        return 0 if self.unit else 1

    @property
    def sign(self) -> str:
        """The sign between the names of the switches, ``:`` or ``−``."""
        return "−" if self.unit else ":"

    @property
    def average(self) -> str:
        """The mean with its unit, formatted."""
        return f"{self._format(self.mean)} {self.unit}".rstrip()

    def __str__(self) -> str:
        if self.count == 1:
            return f"{self.average}, one run"
        low, high = self._format(self.low), self._format(self.high)
        return f"{self.average} ({low} to {high}), above {self.neutral} in {self.above} of {self.count}"

    def _format(self, value: float) -> str:
        return signed(value, 2) if self.unit else f"{value:.2f}"


def _pairs(
    rows: Sequence[Row], one: str, other: str, column: str, keys: Sequence[str]
) -> list[tuple[float, float]]:
    """Pairs both switches' values at each point and repetition that both have."""
    values: dict[str, dict[tuple[object, ...], float]] = {one: {}, other: {}}
    for row in rows:
        if row["switch"] in values and row.get(column) is not None:
            values[row["switch"]][(row["repetition"], *(row[key] for key in keys))] = float(row[column])
    return [(value, values[other][point]) for point, value in values[one].items() if point in values[other]]


def difference(
    rows: Sequence[Row], one: str, other: str, column: str, keys: Sequence[str], unit: str
) -> Ratio | None:
    """Computes the difference of a number between two switches; see :func:`ratio`.

    Args:
        unit: the unit of the number.
    """
    differences = [first - its for first, its in _pairs(rows, one, other, column, keys)]
    if not differences:
        return None
    above = sum(value > 0 for value in differences)
    return Ratio(
        sum(differences) / len(differences), min(differences), max(differences), above, len(differences), unit
    )


def ratio(rows: Sequence[Row], one: str, other: str, column: str, keys: Sequence[str]) -> Ratio | None:
    """Computes the ratio of a number of two switches, in the same repetition of a point.

    Args:
        rows: the rows of all flows.
        one: the switch in the numerator.
        other: the switch in the denominator.
        column: the column of the number.
        keys: the columns that identify a point.

    Returns:
        The ratio; ``None`` if there is no point that both switches have.
    """
    logs = [math.log(first / its) for first, its in _pairs(rows, one, other, column, keys) if first and its]
    if not logs:
        return None
    mean, low, high = (math.exp(value) for value in (sum(logs) / len(logs), min(logs), max(logs)))
    return Ratio(mean, low, high, sum(value > 0 for value in logs), len(logs))


def verdict(ratio: Ratio | None, claims_more: bool) -> str:
    """Judges a claim by a ratio or difference, where a mean within 2 % of 1, or 0.1 of 0, counts as
    equal.

    Args:
        ratio: the ratio or difference.
        claims_more: whether the claim is that it is above 1 or 0.
    """
    if ratio is None:
        return "not tested"
    if abs(ratio.mean - ratio.neutral) <= (_EQUAL_DIFFERENCE if ratio.unit else _MAX_EQUAL_RATIO_DIFFERENCE):
        return "does not hold: no difference"
    if (ratio.mean > ratio.neutral) != claims_more:
        return "does not hold: the opposite"
    against = ratio.count - ratio.above if claims_more else ratio.above
    return (
        f"holds on average, but not in {against} of {ratio.count}"
        if against
        else f"holds in all {ratio.count}"
        if ratio.count > 1
        else "holds in the only run"
    )


@dataclass(frozen=True)
class Claim:
    """A finding of the thesis that the lab's figures can test.

    Attributes:
        text: the finding in the lab's words.
        column: the column of the number that decides.
        claims_more: whether the thesis says that the number is larger with run to completion.
        keys: the columns that identify a point.
        unit: the unit of a number that may be 0, so that its differences are compared; empty for
            ratios.
    """

    text: str
    column: str
    claims_more: bool
    keys: Sequence[str]
    unit: str = ""

    def compare(self, rows: Sequence[Row], one: str, other: str) -> Ratio | None:
        """Compares the number of two switches; returns ``None`` if they have no point in common."""
        if self.unit:
            return difference(rows, one, other, self.column, self.keys, self.unit)
        return ratio(rows, one, other, self.column, self.keys)


def claims_table(claims: Sequence[Claim], rows: Sequence[Row]) -> tuple[Table, str]:
    """Builds a table of the claims with the figures of T4P4S and BMv2, and a sentence with the
    answer."""
    lines, short = [], []
    measured_switches = {row["switch"] for row in rows}
    missing = [
        name
        for name, is_here in (
            ("T4P4S", _RUN_TO_COMPLETION in measured_switches),
            ("BMv2", measured_switches & {*PIPELINES}),
        )
        if not is_here
    ]
    for claim in claims:
        compared = [(other, claim.compare(rows, _RUN_TO_COMPLETION, other)) for other in PIPELINES]
        for other, measured in [(other, measured) for other, measured in compared if measured is not None]:
            verdict_text = verdict(measured, claim.claims_more)
            comparison = f"{title(_RUN_TO_COMPLETION)} {measured.sign} {title(other)}"
            lines.append([claim.text, comparison, str(measured), verdict_text])
            short.append(f"{claim.text}: {verdict_text} ({comparison} = {measured.average})")
        if all(measured is None for _, measured in compared):
            lines.append([claim.text, "–", f"no {' and no '.join(missing) or 'figures'}", "not tested"])
            short.append(f"{claim.text}: not tested")
    table = Table(
        ["the thesis's finding", "compared", "ratio or difference: mean (range)", "here"],
        lines,
        "T4P4S against BMv2, which the thesis compared. Ratios (:) and differences (−) are of the "
        "same repetition of each point; a finding holds if all are on its side. No difference is a "
        "geometric mean of ratios within 2 % of 1, or a mean of differences within "
        f"{_EQUAL_DIFFERENCE} of 0.",
        words=(0, 1, 2, 3),
        prose=True,
    )
    if all(line[-1] == "not tested" for line in lines):
        return table, f"the thesis's findings are not tested, because there is {lines[0][2]}"
    return table, "; ".join(short)


def most_sentence(rows: Sequence[Row], column: str, keys: Sequence[str]) -> str:
    """Formulates a sentence that names the switch with the largest geometric mean of a number, over
    the points that all switches have.

    Args:
        rows: the rows of all flows.
        column: the column of the number.
        keys: the columns that identify a point.
    """
    switches = [
        name
        for name, kind in SWITCHES.items()
        if kind.place != "nowhere" and any(row["switch"] == name and row.get(column) for row in rows)
    ]
    if len(switches) < 2:
        return ""
    ratios = {name: ratio(rows, name, switches[0], column, keys) for name in switches}
    means = {name: one.mean for name, one in ratios.items() if one is not None}
    first, second = sorted(means, key=lambda name: -means[name])[:2]
    return (
        f"{SWITCHES[first].title} forwards the most here, {means[first] / means[second]:.2f} times as much as "
        f"{SWITCHES[second].title} (geometric mean over all points)"
    )


def comparison_sentence(rows: Sequence[Row], column: str, what: str, keys: Sequence[str]) -> str:
    """Formulates a sentence with the ratio of Weir to each other switch that does the same work.

    Args:
        rows: the rows of all flows.
        column: the column of the compared number.
        what: the name of the compared number.
        keys: the columns that identify a point.
    """
    ratios = [
        f"{compared.mean:.2f} of {kind.title}"
        for other, kind in SWITCHES.items()
        if kind.place != "nowhere" and not other.startswith("weir")
        if (compared := ratio(rows, "weir", other, column, keys)) is not None
    ]
    return f"{what} of Weir, relative to others: {', '.join(ratios)}" if ratios else ""


def sentence(*parts: str) -> str:
    """Joins the given parts to sentences, without the parts that are empty."""
    return " ".join(f"{part[:1].upper()}{part[1:]}." for part in parts if part)


def comparison_table(rows: Sequence[Row], column: str, larger_is_better: bool, keys: Sequence[str]) -> Table:
    """Builds a table that compares Weir with each other switch.

    Args:
        rows: the rows of all flows.
        column: the column of the compared number.
        larger_is_better: whether larger numbers are better.
        keys: the columns that identify a point.
    """
    lines = []
    for other, kind in SWITCHES.items():
        compared = None if other.startswith("weir") else ratio(rows, "weir", other, column, keys)
        if compared is not None and kind.place != "nowhere":
            better = compared.above if larger_is_better else compared.count - compared.above
            lines.append([kind.title, kind.place, str(compared), f"{better} of {compared.count}"])
    return Table(
        ["Weir compared with", "in", "ratio: geometric mean (range)", "Weir ahead at"],
        lines,
        "Each switch differs from Weir in several properties, so a ratio does not show the reason. "
        "The experiment causes changes one property at a time.",
        words=(0, 1, 2, 3),
    )
