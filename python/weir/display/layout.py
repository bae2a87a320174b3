"""Computes the places of a network's nodes in a drawing; the same topology gives the same places.

A network that is a line is drawn as a line. In other networks, hosts are at the bottom, switches
with hosts are above them, and all other switches are one row above the nearest switch with hosts,
such as spines above leaves. Within a row, nodes are near their neighbours in the row below (the
barycentre heuristic of Sugiyama, Tagawa and Toda 1981).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

_ROUNDS = 9
"""The number of sweeps over the rows, alternately up from the hosts and down; the last sweep goes
up."""


@dataclass(frozen=True)
class Layout:
    """The places of nodes, as column from the left and row from the top.

    Attributes:
        places: the place of each node.
        rows: number of rows.
        columns: number of columns.
    """

    places: Mapping[str, tuple[float, int]]
    rows: int
    columns: float


def layout(hosts: Sequence[str], switches: Sequence[str], links: Iterable[tuple[str, str]]) -> Layout:
    """Computes the places of all nodes, which include the ends of ``links``."""
    neighbours: dict[str, list[str]] = {name: [] for name in (*hosts, *switches)}
    for a, b in links:
        if b not in neighbours[a]:
            neighbours[a].append(b)
            neighbours[b].append(a)
    if not neighbours:
        return Layout({}, 1, 1)
    line = _line(neighbours)
    if line is not None:
        return Layout({name: (float(place), 0) for place, name in enumerate(line)}, 1, len(line))
    return _tier_layout(hosts, switches, neighbours)


def _line(near: Mapping[str, list[str]]) -> list[str] | None:
    """Returns the nodes in order if they form a single line, otherwise ``None``."""
    ends = [name for name, neighbours in near.items() if len(neighbours) == 1]
    if len(near) < 2 or len(ends) != 2 or any(len(neighbours) > 2 for neighbours in near.values()):
        return None
    line, previous = [ends[0]], ""
    while True:
        onward = [other for other in near[line[-1]] if other != previous]
        if not onward:
            return line if len(line) == len(near) else None
        previous = line[-1]
        line.append(onward[0])


def _tier_layout(hosts: Sequence[str], switches: Sequence[str], near: Mapping[str, list[str]]) -> Layout:
    host_names = set(hosts)
    tier: dict[str, int] = {}
    front = [name for name in switches if any(other in host_names for other in near[name])] or list(
        switches[:1]
    )
    level = 1
    while front:
        tier.update(dict.fromkeys(front, level))
        level += 1
        reached = {
            other for name in front for other in near[name] if other not in host_names and other not in tier
        }
        # Switches without a path to a host come last.
        front = [name for name in switches if name in reached] or [s for s in switches if s not in tier][:1]
    rows: list[list[str]] = [[] for _ in range(level)]
    rows[0] = list(hosts)
    for name in switches:
        rows[tier[name]].append(name)
    rows = [_order_along_line(row, near) if number else row for number, row in enumerate(rows) if row]
    if len(rows) > 1:
        place = {name: number for number, name in enumerate(rows[1])}
        rows[0].sort(
            key=lambda name: min(
                (place[neighbour] for neighbour in near[name] if neighbour in place), default=0
            )
        )
    _order_rows(rows, near)
    return _centred_layout(rows, near)


def _order_along_line(row: list[str], near: Mapping[str, list[str]]) -> list[str]:
    """Orders a row along the line that links all its nodes, if there is one."""
    names = set(row)
    within = {name: [other for other in near[name] if other in names] for name in row}
    line = _line(within)
    return row if line is None else line if row.index(line[0]) <= row.index(line[-1]) else line[::-1]


def _order_rows(rows: list[list[str]], near: Mapping[str, list[str]]) -> None:
    """Orders the nodes of each row by the mean place of their neighbours in the row next to it."""
    for turn in range(_ROUNDS):
        upwards = turn % 2 == 0
        numbers = range(1, len(rows)) if upwards else range(len(rows) - 2, -1, -1)
        for number in numbers:
            next_row = {name: place for place, name in enumerate(rows[number - 1 if upwards else number + 1])}
            width = len(rows[number])
            scale = max(1, len(next_row)) / max(1, width)

            def centre(place: int, row: list[str], next_row: dict[str, int], scale: float) -> float:
                neighbours = [next_row[other] for other in near[row[place]] if other in next_row]
                return sum(neighbours) / len(neighbours) if neighbours else place * scale

            row = rows[number]
            order = sorted(range(width), key=lambda place: (centre(place, row, next_row, scale), place))
            rows[number] = [row[place] for place in order]


def _centred_layout(rows: list[list[str]], near: Mapping[str, list[str]]) -> Layout:
    """Places rows so that the widest row fills the width and nodes of other rows are centred above
    their neighbours."""
    widest = max(range(len(rows)), key=lambda number: len(rows[number]))
    columns = len(rows[widest])
    places: dict[str, tuple[float, int]] = {}
    last = len(rows) - 1

    def place_row(number: int, next_row: int | None) -> None:
        row = rows[number]
        even = [(place + 0.5) * columns / len(row) - 0.5 for place in range(len(row))]
        offsets = []
        for name, fallback in zip(row, even, strict=True):
            neighbours = [
                places[other][0] for other in near[name] if other in places and next_row is not None
            ]
            offsets.append(sum(neighbours) / len(neighbours) if neighbours else fallback)
        middle = sum(offsets) / len(offsets)
        # Nodes are at least one column apart, around the middle, and within the drawing. Nodes with
        # the same neighbours share the width, so that their links are less steep.
        wide = columns / len(row)
        close = offsets[-1] - offsets[0] < wide * (len(row) - 1) / 2
        gaps = [wide if close or abs(next_column - a) < 0.5 else 1.0 for a, next_column in pairwise(offsets)]
        for place in range(1, len(row)):
            offsets[place] = max(offsets[place], offsets[place - 1] + gaps[place - 1])
        aside = min(offsets[0], sum(offsets) / len(offsets) - middle)
        offsets = [place - aside for place in offsets]
        offsets[-1] = min(offsets[-1], columns - 1)
        for place in range(len(row) - 2, -1, -1):
            offsets[place] = min(offsets[place], offsets[place + 1] - 1)
        for name, column in zip(row, offsets, strict=True):
            places[name] = (column, last - number)

    place_row(widest, None)
    for number in range(widest + 1, len(rows)):
        place_row(number, number - 1)
    for number in range(widest - 1, -1, -1):
        place_row(number, number + 1)
    return Layout(places, len(rows), columns)
