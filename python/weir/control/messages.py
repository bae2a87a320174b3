"""Messages that a switch sends by itself: digests, ``log_msg`` lines, idle entries."""

from __future__ import annotations

from dataclasses import dataclass

from weir._core import Digest, IdleEntry, LogLine
from weir.control.entry import TableEntry, read_entry
from weir.units import format_time


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


def idle_notice(idle: IdleEntry) -> IdleNotice:
    """A notice of an idle entry from the core."""
    return IdleNotice(idle.time_ns, idle.table, read_entry(idle.entry))
