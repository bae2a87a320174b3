"""Converts the drawing of a run's network to plain data and back, for reports."""

from __future__ import annotations

from typing import Any, Final

from weir.display.topology import Drawing, DrawnLink

MAX_SWITCHES: Final = 100
"""The maximum number of switches in a drawing."""

_MAX_NODES: Final = 10_000
_MAX_LINKS: Final = 20_000


def data_of(drawing: Drawing) -> dict[str, Any]:
    """Converts a drawing to plain data, for the file of a run."""
    return {
        "hosts": dict(drawing.hosts),
        "switches": dict(drawing.switches),
        "links": [[link.a, link.b, *link.ports, link.label, link.up] for link in drawing.links],
    }


def drawing_of(data: object) -> Drawing:
    """Reads a drawing from plain data, which may come from an untrusted file.

    Raises:
        ValueError: the data is not a drawing, or is too large.
    """
    match data:
        case {"hosts": dict(hosts), "switches": dict(switches), "links": list(links)}:
            notes = [*hosts.values(), *switches.values()]
            if len(notes) > _MAX_NODES or len(switches) > MAX_SWITCHES or len(links) > _MAX_LINKS:
                raise ValueError("the network is too large for a drawing")
            if not all(isinstance(note, str) for note in notes) or hosts.keys() & switches.keys():
                raise ValueError("expected the notes of hosts and switches")
            return Drawing(hosts, switches, [_link(link, hosts.keys() | switches.keys()) for link in links])
    raise ValueError("expected hosts, switches and links")


def _link(data: object, nodes: set[str]) -> DrawnLink:
    match data:
        case [str(a), str(b), str(port), str(other), str(label), bool(up)] if {a, b} <= nodes:
            return DrawnLink(a, b, (port, other), label, up)
    raise ValueError("expected a link with its ends, their ports, a label, and whether it is up")
