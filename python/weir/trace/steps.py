"""The steps of a traced packet."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from linecache import getline
from typing import Any

from weir import _core
from weir.program.values import Value


@dataclass(frozen=True)
class HitEntry:
    """A table entry as it was when a packet matched it.

    Attributes:
        handle: its number in the table.
        matches: the match of each key, as text; ``*`` for any value.
        priority: larger is preferred; None if the table has no priorities.
    """

    handle: int
    matches: Mapping[str, str]
    priority: int | None


@dataclass(frozen=True)
class Place:
    """A location in a program's source.

    Attributes:
        file: the file's name, as the user gave it.
        line: from 1.
        column: the column in characters, from 1.
    """

    file: str
    line: int
    column: int

    @property
    def text(self) -> str:
        """The source line, without surrounding white space.

        It is empty if the file cannot be read any more.
        """
        return getline(self.file, self.line).strip()


@dataclass(frozen=True)
class Step:
    """One step of a packet's journey.

    Attributes:
        time_ns: virtual nanoseconds since the start.
        packet: the packet's number in its network; copies share it.
        copy: number of the packet or copy among all that a switch has traced, from 1.
        kind: ``received``, ``applied``, … (docs/reference/trace.md lists them).
        what: details by name; the names depend on the kind.
        place: its location in the source, if it has one.
    """

    time_ns: int
    packet: int
    copy: int
    kind: str
    what: dict[str, Any]
    place: Place | None


def read(step: _core.Step) -> Step:
    """Converts a step of the core."""
    what = dict(step.what)
    for name, raw in what.items():
        what[name] = _READERS.get((step.kind, name), _unchanged)(raw)
    if "header" in what and "fields" in what:
        what["fields"] = [replace(field, header=what["header"]) for field in what["fields"]]
    if step.kind == "applied" and what["entry"] is not None:
        handle, matches, priority = what["entry"]
        what["entry"] = HitEntry(handle, dict(matches), priority)
    place = None if step.place is None else Place(*step.place)
    return Step(step.time, step.packet, step.copy, step.kind, what, place)


def _unchanged(raw: Any) -> Any:
    return raw


def _value(raw: tuple[str, int, bytes, str | None]) -> Value:
    name, width, number, label = raw
    return Value(name, width, int.from_bytes(number, "big"), label)


def _plain_value(raw: tuple[int, bytes]) -> Value:
    width, number = raw
    return Value("", width, int.from_bytes(number, "big"))


def _values(raw: list[tuple[str, int, bytes, str | None]]) -> list[Value]:
    return [_value(one) for one in raw]


def _arguments(raw: list[Any]) -> list[tuple[str, list[Value] | str]]:
    """Arguments of an extern: values, or text to show."""
    found: list[tuple[str, list[Value] | str]] = []
    for name, kind, fields, text in raw:
        if kind == "fields":
            found.append((name, _values(fields)))
        else:
            found.append((name, f'"{text}"' if kind == "text" else text))
    return found


_READERS: dict[tuple[str, str], Callable[[Any], Any]] = {
    ("extracted", "fields"): _values,
    ("emitted", "fields"): _values,
    ("digest", "fields"): _values,
    ("applied", "keys"): _values,
    ("applied", "args"): _values,
    ("action", "args"): _values,
    ("called", "args"): _arguments,
    ("transition", "keys"): lambda raw: [_plain_value(one) for one in raw],
    ("assigned", "now"): _value,
    ("assigned", "before"): _value,
    ("assigned_invalid", "value"): _value,
    ("switch", "value"): _plain_value,
    ("verified", "given"): _plain_value,
    ("verified", "computed"): _plain_value,
    ("drawn", "value"): _plain_value,
    ("drawn", "low"): _plain_value,
    ("drawn", "high"): _plain_value,
}
