"""Journeys as JSON for tools. ``docs/trace.md`` describes the form, ``docs/trace.schema.json`` states it as a JSON Schema."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from weir.control.values import Value
from weir.trace.journey import Choice, Copy, Journey, Output
from weir.trace.steps import HitEntry, Step
from weir.trace.ways import Ways

VERSION = 1
"""Counted up when a tool that reads the form would have to be changed; new members do not count."""

Json = dict[str, Any]


def document(program: str, packets: Iterable[Json]) -> Json:
    """The whole document."""
    return {"format": "weir-trace", "version": VERSION, "program": program, "packets": list(packets)}


def packet(number: int, ways: Ways) -> Json:
    """A packet that came in, with the ways it went."""
    step = ways.journeys[0].root.steps[0]
    return {
        "packet": number,
        "time_ns": step.time_ns,
        "port": step.what["port"],
        "bytes": step.what["bytes"].hex(),
        "ways": [_way(journey) for journey in ways.journeys],
        "more_ways": ways.more,
    }


def _way(journey: Journey) -> Json:
    return {
        "ended": journey.ended,
        "choices": [_choice(choice) for choice in journey.choices],
        "outputs": [output(one) for one in journey.outputs],
        "copies": [_copy(copy) for copy in journey.copies.values()],
    }


def _choice(choice: Choice) -> Json:
    return asdict(choice)


def output(one: Output) -> Json:
    """A packet that left."""
    return {
        "copy": one.copy,
        "time_ns": one.time_ns,
        "port": one.port,
        "bytes": one.packet.hex(),
        "headers": [
            {"name": header.name, "fields": [_plain(field) for field in header.fields]}
            for header in one.headers
        ],
    }


def _copy(copy: Copy) -> Json:
    return {"copy": copy.number, "parent": copy.parent, "steps": [_step(step) for step in copy.steps]}


def _step(step: Step) -> Json:
    found: Json = {"time_ns": step.time_ns, "kind": step.kind}
    found |= {name: _plain(value) for name, value in step.what.items() if name != "choice"}
    if step.place is not None:
        place = step.place
        found["place"] = {
            "file": place.file,
            "line": place.line,
            "column": place.column,
            "text": place.text,
        }
    return found


def _plain(value: Any) -> Any:
    match value:
        case Value():
            found: Json = {"name": value.name} if value.name else {}
            found |= {"width": value.width, "value": f"{value.number:#x}", "text": value.text}
            return found
        case HitEntry():
            return {"handle": value.handle, "matches": dict(value.matches), "priority": value.priority}
        case bytes():
            return value.hex()
        case (str() as name, (list() | str()) as argument):
            return {"parameter": name, "value": _plain(argument)}
        case list():
            return [_plain(one) for one in value]
        case _:
            return value
