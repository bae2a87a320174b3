"""Packet traces as JSON for tools.

``docs/reference/trace.md`` describes the format, ``docs/reference/trace.schema.json`` is its JSON
Schema.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from weir._core import HitEntry, Value
from weir.trace.journey import Journey
from weir.trace.paths import Paths
from weir.trace.record import Choice, Copy, Output
from weir.trace.steps import Step

VERSION = 1
"""The version of the format. It increases when tools that read the format must change, but not for
new members."""

Json = dict[str, Any]


def document(program: str, packets: Iterable[Json]) -> Json:
    """Builds the JSON document for traced packets of a program."""
    return {"format": "weir-trace", "version": VERSION, "program": program, "packets": list(packets)}


def packet(number: int, paths: Paths) -> Json:
    """Describes an input packet and its possible paths."""
    step = paths.journeys[0].root.steps[0]
    return {
        "packet": number,
        "time_ns": step.time_ns,
        "port": step.what["port"],
        "bytes": step.what["bytes"].hex(),
        "ways": [_journey_document(journey) for journey in paths.journeys],
        "more_ways": paths.more,
        "lost_steps": paths.lost_steps,
    }


def _journey_document(journey: Journey) -> Json:
    return {
        "ended": journey.ended,
        "choices": [_choice_document(choice) for choice in journey.choices],
        "outputs": [output(one) for one in journey.outputs],
        "copies": [_copy_document(copy) for copy in journey.copies.values()],
    }


def _choice_document(choice: Choice) -> Json:
    return asdict(choice)


def output(one: Output) -> Json:
    """Describes an output packet, with the headers that the deparser emitted."""
    return {
        "copy": one.copy,
        "time_ns": one.time_ns,
        "port": one.port,
        "bytes": one.packet.hex(),
        "headers": [
            {"name": header.name, "fields": [_plain_value(field) for field in header.fields]}
            for header in one.headers
        ],
    }


def _copy_document(copy: Copy) -> Json:
    return {
        "copy": copy.number,
        "parent": copy.parent,
        "steps": [_step_document(step) for step in copy.steps],
    }


def _step_document(step: Step) -> Json:
    found: Json = {"time_ns": step.time_ns, "kind": step.kind}
    found |= {name: _plain_value(value) for name, value in step.what.items() if name != "choice"}
    if step.place is not None:
        place = step.place
        found["place"] = {
            "file": place.file,
            "line": place.line,
            "column": place.column,
            "text": place.text,
        }
    return found


def _plain_value(value: Any) -> Any:
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
            return {"parameter": name, "value": _plain_value(argument)}
        case list():
            return [_plain_value(one) for one in value]
        case _:
            return value
