"""Messages that a switch sends by itself: digests, ``log_msg`` lines, idle entries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from weir import _core
from weir.control.entry import TableEntry, read_entry
from weir.program.values import Value
from weir.units import format_time


@dataclass(frozen=True)
class Digest:
    """A message that a program sent with ``digest``.

    Attributes:
        time_ns: the time of the message, in virtual nanoseconds.
        packet: the number of the packet; copies share it.
        receiver: the first argument of ``digest``.
        fields: the values, in order. Each value has the name that controllers know from P4Info,
            that of a member of the struct that the program sends. The elements of a list have no
            names; such a value is named after the expression in the program.
    """

    time_ns: int
    packet: int
    receiver: int
    fields: Sequence[Value]

    def __getitem__(self, name: str) -> Any:
        """The number of the field of that name, or of that last part if only one has it.

        It is negative only for a field of type ``int<W>``. At a P4Runtime client, the value of a
        type that is translated to ``string`` is a text.

        Raises:
            KeyError: there is no such field, or several names end in it.
        """
        exact = [field for field in self.fields if field.name == name]
        found = exact or [field for field in self.fields if field.name.endswith(f".{name}")]
        if len(found) != 1:
            known = ", ".join(field.name for field in self.fields if field.name)
            raise KeyError(f"{name} (the digest has: {known})")
        return found[0].plain

    def __str__(self) -> str:
        fields = ", ".join(map(str, self.fields))
        return f"{format_time(self.time_ns)}  digest to receiver {self.receiver}: {fields}"


@dataclass(frozen=True)
class LogLine:
    """A line that a program wrote with ``log_msg``.

    Attributes:
        time_ns: the time of the message, in virtual nanoseconds.
        packet: the number of the packet; copies share it.
        text: the line, its values filled in.
    """

    time_ns: int
    packet: int
    text: str

    def __str__(self) -> str:
        return f"{format_time(self.time_ns)}  log: {self.text}"


@dataclass(frozen=True)
class IdleNotice:
    """An entry that has had no hit for as long as its time-out.

    The entry stays. While it has no hit, notices repeat each time the time-out passes again, at
    most one per millisecond; a notice that nobody receives does not repeat (P4Runtime 1.5, "Table
    Idle Timeout Notification").

    Attributes:
        time_ns: when the time-out expired, in virtual nanoseconds.
        table: the table's control-plane name.
        entry: the entry as it was then.
    """

    time_ns: int
    table: str
    entry: TableEntry

    def __str__(self) -> str:
        return f"{format_time(self.time_ns)}  idle: entry {self.entry.handle} of table {self.table}: {self.entry}"


Message = Digest | LogLine | IdleNotice


def read_digest(row: _core.DigestRow) -> Digest:
    """A digest from the core."""
    time, packet, receiver, fields = row
    values = [
        Value(name, width, int.from_bytes(number, "big"), label) for name, width, number, label in fields
    ]
    return Digest(time, packet, receiver, values)


def read_log(row: _core.LogRow) -> LogLine:
    """A line of ``log_msg`` from the core."""
    return LogLine(*row)


def read_idle(row: _core.IdleRow) -> IdleNotice:
    """A notice of an idle entry from the core."""
    time, table, entry = row
    return IdleNotice(time, table, read_entry(entry))
