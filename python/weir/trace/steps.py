"""The steps of a traced packet."""

from __future__ import annotations

from dataclasses import dataclass
from linecache import getline
from typing import Any

from weir import _core


@dataclass(frozen=True)
class Place:
    """A location in a program's source.

    Attributes:
        file: the file's name, as the user gave it.
        line: the line, from 1.
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
    """Converts a step from the form that the core returns."""
    place = None if step.place is None else Place(*step.place)
    return Step(step.time, step.packet, step.copy, step.kind, step.what, place)
