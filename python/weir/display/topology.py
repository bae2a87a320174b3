"""Draws a topology as SVG, for notebooks and reports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from weir.display.layout import layout
from weir.display.markup import escape
from weir.display.palette import ANY
from weir.text.counted import count_noun

_NODE_WIDTH, _NODE_HEIGHT = 84, 34
_COLUMN, _DENSE_COLUMN, _ROW = 136, 98, 108
_MARGIN = 30
_MAX_LABELS = 24
"""The maximum number of links with labels of their own; in larger drawings, these are tooltips."""
_MAX_SAME = 3
"""The maximum number of links between two rows that repeat the same label."""
_MAX_PORTS = 4
"""The maximum number of links at a side of a node with visible port numbers."""
_MAX_HOSTS = 8
"""The maximum number of hosts at a switch that have their own boxes."""
_LETTER, _LINE = 6.2, 12
"""The width of a letter and the height of a line of labels."""

_HOST, _SWITCH = ANY["blue"], ANY["orange"]


@dataclass(frozen=True)
class DrawnLink:
    """A link in the drawing of a topology.

    Attributes:
        a: the node at one end.
        b: the node at the other end.
        ports: the labels at the ends, such as the numbers of switches' ports.
        label: the label in the middle, such as ``10 Mbit/s, 5 ms``.
        up: whether the link is up; a link that is down is dashed.
    """

    a: str
    b: str
    ports: tuple[str, str] = ("", "")
    label: str = ""
    up: bool = True


@dataclass(frozen=True)
class Drawing:
    """The contents of a drawing of a topology.

    Attributes:
        hosts: the names of hosts, each with a second line such as its address.
        switches: the names of switches, each with a second line such as its program.
        links: the links.
    """

    hosts: Mapping[str, str]
    switches: Mapping[str, str]
    links: Sequence[DrawnLink] = field(default=())


def topology_svg(drawing: Drawing) -> str:
    """Draws a topology as an SVG element that can be embedded in an HTML page."""
    drawing = _grouped_hosts(drawing)
    grid = layout(list(drawing.hosts), list(drawing.switches), [(link.a, link.b) for link in drawing.links])
    labelled = len(drawing.links) <= _MAX_LABELS
    step = _COLUMN if labelled else _DENSE_COLUMN
    shared = _shared_labels(drawing.links, grid.places)
    # Labels that the links between two rows share are left of the links.
    aside = round(max((_LETTER * len(line) + 14 for text in shared.values() for line in text), default=0))
    width = round(_MARGIN * 2 + aside + _NODE_WIDTH + step * max(0, grid.columns - 1))
    arcs = _arcs(drawing.links, grid.places)
    top = _MARGIN + (36 if arcs else 0)
    height = top + _MARGIN + _NODE_HEIGHT + _ROW * (grid.rows - 1)
    left = _MARGIN + aside + _NODE_WIDTH / 2
    centres = {
        name: (left + step * column, top + _NODE_HEIGHT / 2 + _ROW * row)
        for name, (column, row) in grid.places.items()
    }
    parts = [
        _text((_MARGIN / 2, top + _NODE_HEIGHT / 2 + _ROW * (row + 0.5) + 4 + _LINE * place), line, "start")
        for row, text in shared.items()
        for place, line in enumerate(text)
    ]
    ends = _link_ends(drawing.links, arcs, centres)
    for number, link in enumerate(drawing.links):
        row = _gap(link, grid.places)
        shared_lines = [] if row is None else shared.get(row, [])[1:]
        shows_label = labelled and ", ".join(shared_lines) != link.label
        if number in arcs:
            parts.append(_arc(link, centres[link.a], centres[link.b], labelled=labelled))
        else:
            parts.append(_link(link, *ends[number], labelled=shows_label, shows_ports=labelled))
    parts += [_node(name, note, centres[name], is_switch=False) for name, note in drawing.hosts.items()]
    parts += [_node(name, note, centres[name], is_switch=True) for name, note in drawing.switches.items()]
    counts = ((len(drawing.hosts), "host"), (len(drawing.switches), "switch"), (len(drawing.links), "link"))
    summary = ", ".join(count_noun(*count) for count in counts)
    return (
        f'<svg viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img" aria-label="Topology: {summary}" style="font-family:sans-serif;display:block;overflow:visible">'
        f"<title>Topology: {summary}</title>{''.join(parts)}</svg>"
    )


def _gap(link: DrawnLink, places: Mapping[str, tuple[float, int]]) -> int | None:
    """Returns the upper row of a link between two rows; ``None`` for a link within a row."""
    row, other = places[link.a][1], places[link.b][1]
    return None if row == other else min(row, other)


def _shared_labels(
    links: Sequence[DrawnLink], places: Mapping[str, tuple[float, int]]
) -> dict[int, list[str]]:
    """Finds the lines of text that stand for the labels of many equal links, by their upper row.

    The first line says to which links the other lines apply.
    """
    rows: dict[int, list[str]] = {}
    for link in links:
        row = _gap(link, places)
        if row is not None:
            rows.setdefault(row, []).append(link.label)
    shared = {}
    for row, labels in rows.items():
        label = max(dict.fromkeys(labels), key=labels.count)
        count = labels.count(label)
        if label and count > (_MAX_SAME if len(links) <= _MAX_LABELS else 0):
            labelled = "each" if count == len(labels) else f"{count} of {len(labels)}"
            shared[row] = [f"{labelled}:", *label.split(", ")]
    return shared


def _link_ends(
    links: Sequence[DrawnLink], arcs: set[int], centres: Mapping[str, tuple[float, float]]
) -> dict[int, tuple[tuple[float, float], tuple[float, float], bool]]:
    """Computes where each straight link leaves its nodes, and whether port numbers have room there.

    Links to other rows leave at the top or bottom of a box, in the order of their other ends, so
    that they do not cross boxes of the same row.
    """
    sides: dict[tuple[str, str], list[tuple[float, int]]] = {}

    def side(one: str, other: str) -> str:
        (x, y), (x2, y2) = centres[one], centres[other]
        if abs(y - y2) < 1:
            return "right" if x2 > x else "left"
        return "bottom" if y2 > y else "top"

    straight = [(number, link) for number, link in enumerate(links) if number not in arcs]
    for number, link in straight:
        for one, other in ((link.a, link.b), (link.b, link.a)):
            sides.setdefault((one, side(one, other)), []).append((centres[other][0], number))
    places: dict[tuple[str, int], tuple[float, float]] = {}
    for (name, which), link_ends in sides.items():
        x, y = centres[name]
        upright = which in ("right", "left")
        for place, (_, number) in enumerate(sorted(link_ends)):
            share = (place + 0.5) / len(link_ends) - 0.5
            if upright:
                half = _NODE_WIDTH / 2 * (1 if which == "right" else -1)
                places[name, number] = x + half, y + share * min(_NODE_HEIGHT, 10 * len(link_ends))
            else:
                half = _NODE_HEIGHT / 2 * (1 if which == "bottom" else -1)
                places[name, number] = x + share * min(_NODE_WIDTH - 8, 24 * len(link_ends)), y + half
    return {
        number: (
            places[link.a, number],
            places[link.b, number],
            all(
                len(sides[one, side(one, other)]) <= _MAX_PORTS
                for one, other in ((link.a, link.b), (link.b, link.a))
            ),
        )
        for number, link in straight
    }


def _grouped_hosts(drawing: Drawing) -> Drawing:
    """Replaces many hosts at the same switch with a single box."""
    ends: dict[str, list[DrawnLink]] = {}
    for link in drawing.links:
        ends.setdefault(link.a, []).append(link)
        ends.setdefault(link.b, []).append(link)
    of_switch: dict[str, list[str]] = {}
    for name in drawing.hosts:
        links_of_host = ends.get(name, [])
        if len(links_of_host) == 1:
            other = links_of_host[0].b if links_of_host[0].a == name else links_of_host[0].a
            of_switch.setdefault(other, []).append(name)
    hosts, links, gone = dict(drawing.hosts), list(drawing.links), set()
    for switch, names in of_switch.items():
        if len(names) > _MAX_HOSTS and switch in drawing.switches:
            group = f"{names[0]} … {names[-1]}"
            gone.update(names)
            hosts[group] = f"{len(names)} hosts"
            labels = {link.label for name in names for link in ends[name]}
            links.append(DrawnLink(group, switch, label=labels.pop() if len(labels) == 1 else ""))
    remaining_hosts = {name: note for name, note in hosts.items() if name not in gone}
    return Drawing(
        remaining_hosts,
        drawing.switches,
        [link for link in links if link.a not in gone and link.b not in gone],
    )


def _arcs(links: Sequence[DrawnLink], places: Mapping[str, tuple[float, int]]) -> set[int]:
    """Finds the links within a row that would cross another node, which are drawn as arcs; returns
    their indices."""
    curved = set()
    for number, link in enumerate(links):
        (x, row), (x2, row2) = places[link.a], places[link.b]
        between = any(r == row and min(x, x2) < c < max(x, x2) for c, r in places.values())
        if row == row2 and between:
            curved.add(number)
    return curved


def _line(link: DrawnLink, path: str, texts: Sequence[str]) -> str:
    """Draws a link as a path with a tooltip and texts."""
    dash = "" if link.up else ' stroke-dasharray="5 4"'
    stroke = f'fill="none" stroke="currentColor" stroke-opacity="0.55" stroke-width="1.6"{dash}'
    state = "" if link.up else " (down)"
    title = f"{link.a} – {link.b}{': ' if link.label else ''}{link.label}{state}"
    return f'<g><title>{escape(title)}</title><path d="{path}" {stroke}/>{"".join(texts)}</g>'


def _arc(link: DrawnLink, a: tuple[float, float], b: tuple[float, float], *, labelled: bool) -> str:
    """Draws a link above the nodes of its row."""
    (x, y), (x2, y2) = a, b
    half, high = _NODE_HEIGHT / 2, y - _NODE_HEIGHT / 2 - 36
    path = f"M{x:.1f} {y - half:.1f}C{x:.1f} {high:.1f} {x2:.1f} {high:.1f} {x2:.1f} {y2 - half:.1f}"
    lines = [link.label] if labelled and link.label else []
    return _line(link, path, [_text(((x + x2) / 2, y - half - 32), line) for line in lines])


def _link(
    link: DrawnLink,
    start: tuple[float, float],
    end: tuple[float, float],
    has_room: bool,
    *,
    labelled: bool,
    shows_ports: bool,
) -> str:
    """Draws a straight link, with its ports and label."""
    (x, y), (x2, y2) = start, end
    along = abs(y - y2) < 1
    texts = []
    if shows_ports and has_room:
        for (one, two), port in zip(((start, end), (end, start)), link.ports, strict=True):
            if port and along:
                texts.append(_text((one[0] + (7 if two[0] > one[0] else -7), one[1] + 13), port))
            elif port:
                # Left of the line, from the bottom to the top of the text.
                bottom = 13 if two[1] > one[1] else -5
                slope = (two[0] - one[0]) / (two[1] - one[1])
                right = one[0] + min(slope * bottom, slope * (bottom - 8)) - 3
                texts.append(_text((right - _LETTER * len(port) / 2, one[1] + bottom), port))
    if labelled and link.label:
        # The label has two lines, because a single line would be as wide as the gap between nodes.
        lines = link.label.split(", ")
        flat = abs(x - x2) > abs(y - y2)
        # Links diverge towards the hosts, which are below.
        lower = (end, start) if y2 > y else (start, end)
        middle = [
            0.5 * one + 0.5 * two if along else 0.6 * one + 0.4 * two for one, two in zip(*lower, strict=True)
        ]
        for number, line in enumerate(lines):
            if flat:
                # Above the line, also at the ends of the text.
                slope = abs(y - y2) / abs(x - x2)
                rise = -_LINE * (len(lines) - 1 - number) - 7 - slope * _LETTER * max(map(len, lines)) / 2
            else:
                rise = _LINE * (number - (len(lines) - 1) / 2) + 4
            # On a steep line, the text must be to the side.
            side = 0 if flat else 6 + min(24.0, 10 * abs(x - x2) / abs(y - y2))
            texts.append(_text((middle[0] + side, middle[1] + rise), line, "start" if side else "middle"))
    return _line(link, f"M{x:.1f} {y:.1f}L{x2:.1f} {y2:.1f}", texts)


def _text(place: tuple[float, float], text: str, anchor: str = "middle") -> str:
    return (
        f'<text x="{place[0]:.1f}" y="{place[1]:.1f}" text-anchor="{anchor}" font-size="10" '
        f'fill="currentColor" fill-opacity="0.8">{escape(text)}</text>'
    )


def _node(name: str, note: str, centre: tuple[float, float], *, is_switch: bool) -> str:
    x, y = centre
    tone = _SWITCH if is_switch else _HOST
    radius = 4 if is_switch else 15
    box = (
        f'<rect x="{x - _NODE_WIDTH / 2:.1f}" y="{y - _NODE_HEIGHT / 2:.1f}" width="{_NODE_WIDTH}" height="{_NODE_HEIGHT}" '
        f'rx="{radius}" fill="{tone}" fill-opacity="0.16" stroke="{tone}" stroke-width="1.5"/>'
    )
    first = y + (-1.5 if note else 4.5)
    lines = (
        f'<text x="{x:.1f}" y="{first:.1f}" text-anchor="middle" font-size="13" font-weight="600" '
        f'fill="currentColor">{escape(_short_text(name, 11))}</text>'
    )
    if note:
        lines += (
            f'<text x="{x:.1f}" y="{y + 11.5:.1f}" text-anchor="middle" font-size="9.5" fill="currentColor" '
            f'fill-opacity="0.8">{escape(_short_text(note, 16))}</text>'
        )
    title = f"{name}: {note}" if note else name
    return f"<g><title>{escape(title)}</title>{box}{lines}</g>"


def _short_text(text: str, most: int) -> str:
    """Shortens a text in the middle, because names often differ at their ends."""
    end = most // 3
    return text if len(text) <= most else f"{text[: most - 1 - end]}…{text[-end:]}"
