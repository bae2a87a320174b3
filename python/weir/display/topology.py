"""Draws a topology as SVG, for notebooks and reports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from weir.display.layout import layout
from weir.display.markup import escape
from weir.text.counted import count_noun

_NODE_WIDTH, _NODE_HEIGHT = 84, 34
_COLUMN, _DENSE_COLUMN, _ROW = 136, 98, 108
_MARGIN = 30
_MAX_LABELS = 24
"""The maximum number of links with visible labels; in larger drawings, the labels are tooltips."""
_MAX_HOSTS = 8
"""The maximum number of hosts at a switch that have their own boxes."""

_HOST, _SWITCH, _GROUP = "#3a87c8", "#c77f1a", "#3a87c8"


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
    """What a drawing of a topology shows.

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
    found = layout(list(drawing.hosts), list(drawing.switches), [(link.a, link.b) for link in drawing.links])
    labelled = len(drawing.links) <= _MAX_LABELS
    step = _COLUMN if labelled else _DENSE_COLUMN
    width = round(_MARGIN * 2 + _NODE_WIDTH + step * max(0, found.columns - 1))
    arcs = _arcs(drawing.links, found.places)
    top = _MARGIN + (30 if arcs else 0)
    height = top + _MARGIN + _NODE_HEIGHT + _ROW * (found.rows - 1)

    def centre(name: str) -> tuple[float, float]:
        column, row = found.places[name]
        return _MARGIN + _NODE_WIDTH / 2 + step * column, top + _NODE_HEIGHT / 2 + _ROW * row

    parts = [
        _link(link, centre(link.a), centre(link.b), labelled=labelled, arc=number in arcs)
        for number, link in enumerate(drawing.links)
    ]
    parts += [_node(name, note, centre(name), switch=False) for name, note in drawing.hosts.items()]
    parts += [_node(name, note, centre(name), switch=True) for name, note in drawing.switches.items()]
    counts = ((len(drawing.hosts), "host"), (len(drawing.switches), "switch"), (len(drawing.links), "link"))
    what = ", ".join(count_noun(*count) for count in counts)
    return (
        f'<svg viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img" aria-label="Topology: {what}" style="font-family:sans-serif;display:block;overflow:visible">'
        f"<title>Topology: {what}</title>{''.join(parts)}</svg>"
    )


def _grouped_hosts(drawing: Drawing) -> Drawing:
    """Replaces many hosts at the same switch with a single box."""
    ends: dict[str, list[DrawnLink]] = {}
    for link in drawing.links:
        ends.setdefault(link.a, []).append(link)
        ends.setdefault(link.b, []).append(link)
    of_switch: dict[str, list[str]] = {}
    for name in drawing.hosts:
        own = ends.get(name, [])
        if len(own) == 1:
            other = own[0].b if own[0].a == name else own[0].a
            of_switch.setdefault(other, []).append(name)
    hosts, links, gone = dict(drawing.hosts), list(drawing.links), set()
    for switch, names in of_switch.items():
        if len(names) > _MAX_HOSTS and switch in drawing.switches:
            group = f"{names[0]} … {names[-1]}"
            gone.update(names)
            hosts[group] = f"{len(names)} hosts"
            links.append(DrawnLink(group, switch))
    kept = {name: note for name, note in hosts.items() if name not in gone}
    return Drawing(
        kept, drawing.switches, [link for link in links if link.a not in gone and link.b not in gone]
    )


def _arcs(links: Sequence[DrawnLink], places: Mapping[str, tuple[float, int]]) -> set[int]:
    """Finds the links within a row that would cross another node, which are drawn as arcs; returns
    their indices."""
    found = set()
    for number, link in enumerate(links):
        (x, row), (x2, row2) = places[link.a], places[link.b]
        between = any(r == row and min(x, x2) < c < max(x, x2) for c, r in places.values())
        if row == row2 and between:
            found.add(number)
    return found


def _link(
    link: DrawnLink, a: tuple[float, float], b: tuple[float, float], *, labelled: bool, arc: bool
) -> str:
    (x, y), (x2, y2) = a, b
    along = abs(y - y2) < 1
    dash = "" if link.up else ' stroke-dasharray="5 4"'
    stroke = f'fill="none" stroke="currentColor" stroke-opacity="0.55" stroke-width="1.6"{dash}'
    if arc:
        high = y - _NODE_HEIGHT / 2 - 22
        path = f"M{x:.1f} {y - _NODE_HEIGHT / 2:.1f}C{x:.1f} {high - 14:.1f} {x2:.1f} {high - 14:.1f} {x2:.1f} {y2 - _NODE_HEIGHT / 2:.1f}"
        middle = ((x + x2) / 2, high - 6)
    else:
        (start_x, start_y), (end_x, end_y) = _border_point(a, b), _border_point(b, a)
        path = f"M{start_x:.1f} {start_y:.1f}L{end_x:.1f} {end_y:.1f}"
        middle = ((x + x2) / 2, (y + y2) / 2 - (7 if along else 0))
    state = "" if link.up else " (down)"
    title = f"{link.a} – {link.b}{': ' if link.label else ''}{link.label}{state}"
    parts = [f'<g><title>{escape(title)}</title><path d="{path}" {stroke}/>']
    if labelled and not arc:
        parts += [
            _text(place, port)
            for place, port in zip(_port_label_places(a, b), link.ports, strict=True)
            if port
        ]
    if labelled and link.label:
        # The label has two lines, because a single line would be as wide as the gap between nodes.
        lines = link.label.split(", ")
        for number, line in enumerate(lines):
            rise = -12 * (len(lines) - 1 - number) if along else 12 * (number - (len(lines) - 1) / 2) + 4
            # On a steep line, the label must be at the side.
            side = 0 if along else 6 + min(24.0, 10 * abs(x - x2) / abs(y - y2))
            parts.append(_text((middle[0] + side, middle[1] + rise), line, "start" if side else "middle"))
    parts.append("</g>")
    return "".join(parts)


def _border_point(one: tuple[float, float], other: tuple[float, float]) -> tuple[float, float]:
    """Computes the point at which the line to another node leaves the box of a node."""
    dx, dy = other[0] - one[0], other[1] - one[1]
    shares = [half / abs(d) for half, d in ((_NODE_WIDTH / 2, dx), (_NODE_HEIGHT / 2, dy)) if abs(d) > 0.5]
    share = min(shares, default=0.0)
    return one[0] + dx * share, one[1] + dy * share


def _port_label_places(
    a: tuple[float, float], b: tuple[float, float]
) -> tuple[tuple[float, float], tuple[float, float]]:
    """Computes the places of the port numbers at both ends of a link, just outside the boxes and
    next to the line."""

    def label_place(one: tuple[float, float], other: tuple[float, float]) -> tuple[float, float]:
        dx, dy = other[0] - one[0], other[1] - one[1]
        if abs(dy) < 1:
            return one[0] + (1 if dx > 0 else -1) * (_NODE_WIDTH / 2 + 7), one[1] + 13
        share = (_NODE_HEIGHT / 2 + 11) / abs(dy)
        return one[0] + dx * share - 7, one[1] + dy * share + 4

    return label_place(a, b), label_place(b, a)


def _text(place: tuple[float, float], text: str, anchor: str = "middle") -> str:
    return (
        f'<text x="{place[0]:.1f}" y="{place[1]:.1f}" text-anchor="{anchor}" font-size="10" '
        f'fill="currentColor" fill-opacity="0.8">{escape(text)}</text>'
    )


def _node(name: str, note: str, centre: tuple[float, float], *, switch: bool) -> str:
    x, y = centre
    tone = _SWITCH if switch else _HOST
    radius = 4 if switch else 15
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
    return text if len(text) <= most else f"{text[: most - 1]}…"
