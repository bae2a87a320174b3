"""Messages that a switch sends without a request: digests, ``log_msg`` lines, idle notices."""

from __future__ import annotations

from dataclasses import dataclass

from weir._core import Digest, IdleEntry, LogLine
from weir.control.entry import TableEntry, read_entry
from weir.units import format_time


@dataclass(frozen=True)
class IdleNotice:
    """A notice that an entry has had no hit during its time-out.

    The entry stays in the table. The notice repeats after each further time-out without a hit, at
    most once per millisecond; a notice without a receiver does not repeat (P4Runtime 1.5, "Table
    Idle Timeout Notification").

    Attributes:
        time_ns: the virtual time in nanoseconds at which the time-out expired.
        table: the table's control-plane name.
        entry: the state of the entry at this time.
    """

    time_ns: int
    table: str
    entry: TableEntry

    def __str__(self) -> str:
        return f"{format_time(self.time_ns)}  idle: entry {self.entry.handle} of table {self.table}: {self.entry}"


Message = Digest | LogLine | IdleNotice


def idle_notice(idle: IdleEntry) -> IdleNotice:
    """Converts the notice of an idle entry from the form that the core returns."""
    return IdleNotice(idle.time_ns, idle.table, read_entry(idle.entry))
