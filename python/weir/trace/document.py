"""Packet traces as JSON for tools.

``docs/reference/trace.md`` describes the format, ``docs/reference/trace.schema.json`` is its JSON
Schema.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from weir import _core
from weir.trace.paths import Paths

VERSION = 1
"""The version of the format. It increases when tools that read the format must change, but not for
new members."""


def lines(program: str, packets: Iterable[Paths]) -> Iterator[str]:
    """Builds the JSON document for traced packets of a program: a line for each packet, between a
    first and a last line."""
    head = json.dumps({"format": "weir-trace", "version": VERSION, "program": program}, ensure_ascii=False)
    yield f'{head[:-1]}, "packets": ['
    writer = _core.TraceWriter()
    line = None
    for number, paths in enumerate(packets):
        if line is not None:
            yield f"{line},"
        line = _packet_line(writer, number, paths)
    if line is not None:
        yield line
    yield "]}"


def packet(number: int, paths: Paths) -> dict[str, Any]:
    """Describes an input packet and its possible paths."""
    described: dict[str, Any] = json.loads(_packet_line(_core.TraceWriter(), number, paths))
    return described


def _packet_line(writer: _core.TraceWriter, number: int, paths: Paths) -> str:
    journeys = [journey._core for journey in paths.journeys]
    return writer.packet(number, journeys, paths.has_more, paths.lost_steps)
