"""A running switch: its program, tables and timing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weir import _core, units
from weir.control.action_profile import ActionProfile
from weir.control.cells import Counter, DirectCounter, DirectMeter, Meter, Register
from weir.control.names import find
from weir.control.sessions import (
    CloneSession,
    Crc,
    Queue,
    Replica,
    new_crc,
    new_group,
    new_queue_depth,
    new_queue_rate,
    new_session,
    read_queue,
    session_number,
)
from weir.control.table import Table
from weir.control.value_set import ValueSet
from weir.control.values import bounded
from weir.errors import ControlError
from weir.jsonfile import read_text
from weir.program import ObjectInfo, Program

if TYPE_CHECKING:
    from weir.control.commands import Runtime
    from weir.control.messages import Digest, IdleNotice, LogLine, Message
    from weir.network import Profile
    from weir.trace.journey import Journey, Journeys

_ALL = (1 << 64) - 1


class Switch:
    """A switch of a network. Got from :meth:`Network.switch`.

    Attributes:
        name: such as ``s1``.
        program: the P4 program it runs.
        profile: its timing profile.
    """

    __slots__ = ("_core", "_journeys", "_runtime", "_to_trace", "name", "profile", "program")

    def __init__(self, core: _core.Switch, name: str, program: Program, profile: Profile) -> None:
        self._core = core
        self.name = name
        self.program = program
        self.profile = profile
        self._journeys: Journeys | None = None
        self._runtime: Runtime | None = None
        self._to_trace = 0

    @property
    def pass_latency(self) -> str:
        """Time from the start of a pass through ingress and egress to its end, such as ``"5us"``."""
        return units.format_time(self.profile.pass_latency_ns)

    @property
    def tables(self) -> dict[str, Table]:
        """Its tables by control-plane name, in the program's order."""
        return {name: Table(self, info) for name, info in self.program.tables.items()}

    def table(self, name: str) -> Table:
        """The table of that control-plane name, or of that last part if only one has it.

        Raises:
            ControlError: there is none; the message names the nearest.
        """
        if not isinstance(name, str):
            raise ControlError(f"expected a table's name, found {name!r}")
        info = self.program.find_table(name)
        if info is None:
            message, suggestion = self.program.unknown_table(name)
            raise ControlError(message, suggestion=suggestion)
        return Table(self, info)

    @property
    def ports(self) -> list[int]:
        """Its ports, smallest first."""
        return self._core.ports()

    @property
    def now_ns(self) -> int:
        """Virtual nanoseconds since its start."""
        return self._core.now()

    def counter(self, name: str) -> Counter:
        """The counter of that control-plane name, or of that end if only one has it. A direct counter's cells go by the entries' handles.

        Raises:
            ControlError: there is none, or several.
        """
        info = self._object("counter", name)
        return Counter(self, info) if info.table is None else DirectCounter(self, info)

    def register(self, name: str) -> Register:
        """The register of that control-plane name, or of that end if only one has it.

        Raises:
            ControlError: there is none, or several.
        """
        return Register(self, self._object("register", name))

    def meter(self, name: str) -> Meter:
        """The meter of that control-plane name, or of that end if only one has it. A direct meter's cells go by the entries' handles.

        Raises:
            ControlError: there is none, or several.
        """
        info = self._object("meter", name)
        return Meter(self, info) if info.table is None else DirectMeter(self, info)

    def action_profile(self, name: str) -> ActionProfile:
        """The action profile or selector of that control-plane name, or of that end if only one has it.

        Raises:
            ControlError: there is none, or several.
        """
        known = self.program.profiles
        return ActionProfile(self, known[find("action profile", name, known)])

    def value_set(self, name: str) -> ValueSet:
        """The parser value set of that control-plane name, or of that end if only one has it.

        Raises:
            ControlError: there is none, or several.
        """
        known = self.program.value_sets
        return ValueSet(self, known[find("value set", name, known)])

    def multicast_groups(self) -> dict[int, list[Replica]]:
        """All multicast groups by number: the copies that each makes."""
        rows = self._core.multicast_groups()
        return {group: [Replica(*replica) for replica in replicas] for group, replicas in rows}

    def set_multicast_group(self, group: int, replicas: Iterable[Replica | int]) -> None:
        """Sets the copies that a multicast group makes; a port alone is a copy with instance 0.

        Raises:
            ControlError: the group is 0, or there is no such port.
        """
        self.write([new_group(group, replicas)])

    def delete_multicast_group(self, group: int) -> None:
        """Takes a multicast group away, if it is there."""
        self.write([new_group(group, None)])

    def clone_sessions(self) -> dict[int, CloneSession]:
        """All clone sessions by number."""
        return {session: CloneSession(*config) for session, *config in self._core.clone_sessions()}

    def set_clone_session(
        self, session: int, port: int | None = None, *, group: int | None = None, length: int | None = None
    ) -> None:
        """Sets where a session's clones go: to a port, to a multicast group, or both.

        Args:
            session: its number.
            port: the port.
            group: the multicast group.
            length: the bytes to which a clone is cut when it is sent; None for the whole.

        Raises:
            ControlError: neither is given, or there is no such port.
        """
        self.write([new_session(session, CloneSession(port, group, length))])

    def delete_clone_session(self, session: int) -> None:
        """Takes a clone session away, if it is there."""
        self.write([_core.Update.delete_clone_session(session_number(session))])

    def queues(self, port: int) -> list[Queue]:
        """A port's queues by priority.

        Raises:
            ControlError: there is no such port.
        """
        rows = self._core.queues(bounded(port, "a port", 0, (1 << 32) - 1))
        return [read_queue(priority, row) for priority, row in enumerate(rows)]

    def set_queue_depth(self, packets: int, port: int | None = None, priority: int | None = None) -> None:
        """Sets how many packets a queue holds, from the next packet on.

        Args:
            packets: how many.
            port: whose queues; all ports' by default.
            priority: which of a port's queues; each of them by default.

        Raises:
            ControlError: there is no such port or queue.
        """
        self.write([new_queue_depth(packets, port, priority)])

    def set_queue_rate(self, rate: str | None, port: int | None = None, priority: int | None = None) -> None:
        """Sets how fast packets leave, from the next packet on.

        Args:
            rate: ``"1000pps"`` (packets per second) or ``"10Mbit"``; None for at once.
            port: whose; all ports' by default.
            priority: this queue's alone, beside its port's; by default the port's, which its queues share, larger priorities first.

        Raises:
            ControlError: there is no such port or queue.
            UnitError: the rate cannot be read.
        """
        self.write([new_queue_rate(rate, port, priority)])

    def crc(self, algorithm: str) -> Crc:
        """What ``crc16_custom`` or ``crc32_custom`` computes in the whole program.

        Raises:
            ControlError: another algorithm is named.
        """
        return Crc(*self._core.crc(algorithm))

    def set_crc(self, algorithm: str, crc: Crc) -> None:
        """Sets what ``crc16_custom`` or ``crc32_custom`` computes in the whole program.

        Raises:
            ControlError: another algorithm is named, or a number does not fit.
        """
        self.write([new_crc(algorithm, crc)])

    def reset(self) -> None:
        """Back to how the program began: its own entries and defaults, nothing in profiles, value sets, counters, registers and
        multicast groups, no rates of meters. Clone sessions, CRC parameters and queues stay."""
        self.write([_core.Update.reset()])

    def write(self, updates: Sequence[_core.Update]) -> list[int | None]:
        """Makes changes, all or none.

        Returns:
            For each the handle of the entry, or the number of the member or group, that it made.

        Raises:
            ControlError: one cannot be made.
        """
        made, failed = self._core.write(list(updates))
        if failed is not None:
            raise ControlError(failed[1])
        return made

    def make(self, update: _core.Update) -> int:
        """Makes a change that adds an entry, a member or a group: its handle or number.

        Raises:
            ControlError: it cannot be made.
        """
        return self.write([update])[0] or 0

    def _object(self, kind: str, name: str) -> ObjectInfo:
        known = self.program.objects(kind)
        return known[find(kind, name, known)]

    def digests(self) -> list[Digest]:
        """The digests that came since they were last asked for; the newest 4096 are kept until then."""
        from weir.control.messages import Digest
        from weir.control.values import Value

        return [
            Digest(
                time,
                packet,
                receiver,
                [Value(name, width, int.from_bytes(number, "big")) for name, width, number in fields],
            )
            for time, packet, receiver, fields in self._core.take_digests()
        ]

    def log(self) -> list[LogLine]:
        """The lines of ``log_msg`` that came since they were last asked for; the newest 4096 are kept until then."""
        from weir.control.messages import LogLine

        return [LogLine(*row) for row in self._core.take_log()]

    def idle_notices(self) -> list[IdleNotice]:
        """The notices of idle entries that came since they were last asked for; the newest 4096 are kept until then."""
        from weir.control.messages import IdleNotice

        return [
            IdleNotice(time, table, self.table(table).describe(entry))
            for time, table, entry in self._core.take_idle_notices()
        ]

    def trace(self, packets: int | None = None) -> None:
        """Traces packets that come in from now on, for :meth:`journeys`.

        Args:
            packets: how many of the next ones; None for all, 0 for no more. What was traced before and not asked for is forgotten with 0.

        Raises:
            ControlError: the number is negative.
        """
        if packets is not None and packets < 0:
            raise ControlError(f"cannot trace {packets} packets")
        self._core.trace(_ALL if packets is None else packets)
        if packets == 0:
            self._journeys = None

    def journeys(self) -> list[Journey]:
        """The journeys of traced packets that have ended since they were last asked for, in the order in which the packets came in.

        A switch keeps a million steps for whoever asks; packets of which steps were lost have no journey.
        """
        return self._read_trace().take_ended()

    @property
    def is_tracing(self) -> bool:
        """Whether packets that come in are traced, or some that did are not gone."""
        journeys = self._read_trace()
        return self._to_trace > 0 or bool(journeys.under_way)

    def _read_trace(self) -> Journeys:
        from weir.trace.journey import Journeys
        from weir.trace.steps import read

        if self._journeys is None:
            self._journeys = Journeys(self.name)
        steps, _, self._to_trace = self._core.take_steps()
        for step in steps:
            self._journeys.add(read(step))
        return self._journeys

    def messages(self) -> list[Message]:
        """Digests, lines of ``log_msg`` and idle notices that came since they were last asked for, in order of time."""
        found: list[Message] = [*self.digests(), *self.log(), *self.idle_notices()]
        return sorted(found, key=lambda message: message.time_ns)

    @property
    def runtime(self) -> Runtime:
        """The runtime command language of ``simple_switch_CLI`` on this switch."""
        if self._runtime is None:
            from weir.control.commands import Runtime

            self._runtime = Runtime(self)
        return self._runtime

    def run_commands(self, file: str | Path) -> list[str]:
        """Runs a file of runtime commands, up to the first that fails.

        Returns:
            The lines that they print.

        Raises:
            FileError: the file cannot be read.
            ControlError: a command failed; the message names file and line.
        """
        return self.runtime.load(file)

    def load_entries(self, entries: str | Path | Mapping[str, Any]) -> int:
        """Applies the public tutorials' runtime JSON: all of it, or nothing if anything in it is wrong.

        Args:
            entries: a file, or the same document as Python objects.

        Returns:
            How many entries and defaults were set.

        Raises:
            FileError: the file cannot be read or is not JSON.
            ControlError: it does not fit the program; the message names the JSON path.
        """
        if isinstance(entries, (str, Path)):
            return self._core.load(str(entries), read_text(entries))
        return self._core.load_values(entries)

    def __repr__(self) -> str:
        return f"<weir.Switch {self.name}>"
