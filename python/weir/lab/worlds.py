"""Compares results of both worlds, for reports of labs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from weir.lab.tables import Tables
from weir.report import HUES, Table, interval, measured, signed

WORLDS: Final = ("virtual", "linux")
"""The worlds, in the order of tables and legends."""

_FAR_APART_SHARE: Final = 0.25
"""The difference, as a share of the larger value, from which on values are far apart."""

Row = dict[str, Any]

Pair = tuple[Row | None, Row | None]
"""For a point, the row of the virtual world and the row of the Linux world; ``None`` for a world
without runs."""


def colour(world: str) -> str:
    """Returns the colour that a world has in all plots."""
    return HUES[WORLDS.index(world)]


def shown(tables: Tables) -> list[str]:
    """Lists the worlds that have runs."""
    return [world for world in WORLDS if world in tables.values("world")]


def named(tables: Tables) -> dict[str, tuple[str, str]]:
    """Returns the worlds and switches that have runs, by the name that reports give them.

    The virtual world has only Weir's switches, whatever the parameter ``switch``, so it is named
    once. A switch of the Linux world is named unless it is Weir's.
    """
    switches = tables.values("switch")
    places = [(world, switch) for world in shown(tables) for switch in switches]
    return {
        world if world == "virtual" or switch == "weir" else f"{world}, {switch}": (world, switch)
        for world, switch in places
        if world != "virtual" or switch == switches[0]
    }


def pairs(tables: Tables, parameter: str, **where: Any) -> Iterator[tuple[Any, Pair]]:
    """Yields each value of a parameter with the rows of both worlds, which contain means over
    seeds.

    Args:
        tables: the tables of the experiment.
        parameter: the parameter; there is a pair for each of its values.
        where: values that other parameters must have.
    """
    rows = tables.points("world", parameter, **where).to_dicts()
    points = {(row["world"], row[parameter]): row for row in rows}
    for value in tables.values(parameter):
        yield value, (points.get(("virtual", value)), points.get(("linux", value)))


def difference_percent(pair: Pair, column: str) -> float | None:
    """Computes the difference of the Linux world's value from the virtual world's, in per cent;
    ``None`` if a value is missing."""
    virtual, linux = (None if row is None else row.get(column) for row in pair)
    if linux is None or not virtual:
        return None
    return 100 * (float(linux) / float(virtual) - 1)


def largest_difference(tables: Tables, parameter: str, column: str, **where: Any) -> tuple[float, Any] | None:
    """Finds the largest difference between the worlds in per cent, and the parameter's value at
    which it occurs."""
    differences = [
        (difference, value)
        for value, pair in pairs(tables, parameter, **where)
        if (difference := difference_percent(pair, column)) is not None
    ]
    return max(differences, key=lambda one: abs(one[0])) if differences else None


def side_by_side(
    tables: Tables,
    parameter: str,
    head: str,
    columns: Sequence[tuple[str, str, int]],
    caption: str,
    **where: Any,
) -> Table:
    """Builds a table with a row for each value of a parameter, and with the values of both worlds
    for each column.

    Args:
        tables: the tables of the experiment.
        parameter: the parameter; there is a row for each of its values.
        head: the parameter's name in the table.
        columns: for each column of the runs, its name, its title, and the number of decimals.
        caption: the caption of the table.
        where: values that other parameters must have.
    """
    titles = [head]
    for _, title, _ in columns:
        titles += [f"{title}: virtual", "Linux", "± 95 %"]
    rows = []
    for value, (virtual, linux) in pairs(tables, parameter, **where):
        row = [f"{value}"]
        for column, _, digits in columns:
            row += [_number(virtual, column, digits), _number(linux, column, digits)]
            row.append(interval(None if linux is None else linux[f"{column}_half"]))
        rows.append(row)
    return Table(titles, rows, caption)


def by_switch(
    tables: Tables, parameter: str, head: str, columns: Sequence[tuple[str, str, int]], **where: Any
) -> list[Table]:
    """Builds a table as :func:`side_by_side` does for each value of the parameter ``switch``.

    Runs in the virtual world always use Weir's switches, so they are the same in all tables.
    """
    return [
        side_by_side(
            tables,
            parameter,
            head,
            columns,
            f"Switches of the Linux world: {switch}.",
            switch=switch,
            **where,
        )
        for switch in tables.values("switch")
    ]


def _number(row: Row | None, column: str, digits: int) -> str:
    return "–" if row is None else measured(row.get(column), row.get(f"{column}_half"), digits)


def far_apart(found: Sequence[tuple[str, float | None, float | None, int]]) -> str:
    """Formulates a sentence about values of both worlds that are far apart.

    Args:
        found: the name of each point, the values in the virtual and in the Linux world, and the
            number of runs in the Linux world.

    Returns:
        The sentence after a space; empty if no values differ by a quarter or more.
    """
    texts = []
    for name, virtual, linux, runs in found:
        if (
            virtual is None
            or linux is None
            or abs(linux - virtual) <= _FAR_APART_SHARE * max(abs(virtual), abs(linux))
        ):
            continue
        run_count = "one run" if runs == 1 else f"{runs} runs"
        texts.append(f"{name} ({virtual:.1f} and {linux:.1f}, {run_count} of each)")
    if not texts:
        return ""
    has_single_runs = any(runs == 1 for *_, runs in found)
    reason = (
        " A single run of each shows little: --seeds repeats them."
        if has_single_runs
        else " The lab does not explain this."
    )
    return f" The worlds are far apart: {'; '.join(texts)}.{reason}"


def verdict(largest: tuple[float, Any] | None) -> str:
    """Formulates the sentence about the largest difference."""
    if largest is None:
        return "there are no runs of one world"
    difference, value = largest
    if signed(difference, 1) == "0":
        return "the worlds differ by less than 0.1 %"
    return f"the worlds differ by {signed(difference, 1)} % at most, at {value}"
