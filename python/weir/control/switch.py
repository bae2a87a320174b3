"""A running switch: its program, tables and timing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from weir import _core, units
from weir.control.action_profile import ActionProfile
from weir.control.cells import Counter, Meter, Register
from weir.control.sessions import (
    CloneSession,
    Crc,
    Queue,
    Replica,
    as_replicas,
    crc_row,
    group_number,
    queue_depth,
    read_queue,
    read_rate,
    read_session,
    replica_rows,
    session_number,
    session_row,
    which_queue,
)
from weir.control.switch_events import SwitchEvents
from weir.control.table import Table
from weir.control.unlinked import warn_of_document, warn_of_text
from weir.control.value_set import ValueSet
from weir.control.values import bounded, name_of
from weir.counted import counted
from weir.errors import ControlError, shown
from weir.program import ObjectInfo, Program
from weir.textfile import read_text

if TYPE_CHECKING:
    from weir.control.commands import Runtime
    from weir.network import Profile
    from weir.trace.journey import Journey, Journeys

_ALL = (1 << 64) - 1


class Switch(SwitchEvents):
    """A switch of a network. Returned by :meth:`Network.switch`.

    Attributes:
        name: such as ``s1``.
        program: the P4 program it runs.
        profile: its timing profile.
    """

    __slots__ = ("_journeys", "_runtime", "_to_trace", "profile", "program")

    def __init__(self, core: _core.Switch, name: str, program: Program, profile: Profile) -> None:
        super().__init__(core, name)
        self.program = program
        self.profile = profile
        self._journeys: Journeys | None = None
        self._runtime: Runtime | None = None
        self._to_trace = 0

    @property
    def pass_latency(self) -> str:
        """Time from the start of a pass through ingress and egress to its end, as in ``"5us"``."""
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
        return Table(self, self.program.tables[self.program._core.find("table", name_of("a table", name))])

    @property
    def ports(self) -> list[int]:
        """Its ports, smallest first."""
        return self._core.ports()

    @property
    def now_ns(self) -> int:
        """Virtual nanoseconds since its start."""
        return self._core.now()

    def counter(self, name: str) -> Counter:
        """The counter of that control-plane name, or of that end if only one has it.

        The index of a direct counter's cell is the entry's handle.

        Raises:
            ControlError: there is none, or several.
        """
        return Counter(self, self._object("counter", name))

    def register(self, name: str) -> Register:
        """The register of that control-plane name, or of that end if only one has it.

        Raises:
            ControlError: there is none, or several.
        """
        return Register(self, self._object("register", name))

    def meter(self, name: str) -> Meter:
        """The meter of that control-plane name, or of that end if only one has it.

        The index of a direct meter's cell is the entry's handle.

        Raises:
            ControlError: there is none, or several.
        """
        return Meter(self, self._object("meter", name))

    def action_profile(self, name: str) -> ActionProfile:
        """The action profile or selector with that control-plane name.

        The last part of the name suffices if only one profile ends in it.

        Raises:
            ControlError: there is none, or several.
        """
        found = self.program._core.find("action profile", name_of("an action profile", name))
        return ActionProfile(self, self.program.profiles[found])

    def value_set(self, name: str) -> ValueSet:
        """The parser value set of that control-plane name, or of that end if only one has it.

        Raises:
            ControlError: there is none, or several.
        """
        found = self.program._core.find("value set", name_of("a value set", name))
        return ValueSet(self, self.program.value_sets[found])

    def multicast_groups(self) -> dict[int, list[Replica]]:
        """All multicast groups by number: the copies that each makes."""
        rows = self._core.multicast_groups()
        return {group: [Replica(*replica) for replica in replicas] for group, replicas in rows}

    def set_multicast_group(self, group: int, replicas: Iterable[Replica | int]) -> None:
        """Sets the copies that a multicast group makes; a port alone is a copy with instance 0.

        Copies for ports that the switch does not have are dropped, and counted.

        Raises:
            ControlError: the group is 0.
        """
        self._core.set_multicast_group(group_number(group), replica_rows(replicas))

    def delete_multicast_group(self, group: int) -> None:
        """Removes a multicast group, if it is there."""
        self._core.set_multicast_group(group_number(group), None)

    def clone_sessions(self) -> dict[int, CloneSession]:
        """All clone sessions by number."""
        return {session: read_session(row) for session, row in self._core.clone_sessions()}

    def set_clone_session(
        self,
        session: int,
        port: int | None = None,
        *,
        group: int | None = None,
        length: int | None = None,
        replicas: Iterable[Replica | int] = (),
        priority: int | None = None,
    ) -> None:
        """Sets where a session's clones go: to a port, to replicas, to a multicast group, or all.

        Args:
            session: its number.
            port: the port; of one that the switch does not have, clones are dropped, and counted.
            group: the multicast group.
            length: the bytes to which a clone is cut when it is sent; None for the whole.
            replicas: a clone for each; a port alone is one with instance 0.
            priority: the queue in which a clone waits, or the last if the port has fewer.

        Raises:
            ControlError: there is no destination.
        """
        config = session_row(CloneSession(port, group, length, as_replicas(replicas), priority))
        self._core.set_clone_session(session_number(session), config)

    def delete_clone_session(self, session: int) -> None:
        """Removes a clone session, if it is there."""
        self._core.set_clone_session(session_number(session), None)

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
        self._core.set_queue_depth(queue_depth(packets), *which_queue(port, priority))

    def set_queue_rate(self, rate: str | None, port: int | None = None, priority: int | None = None) -> None:
        """Sets how fast packets leave, from the next packet on.

        Args:
            rate: ``"1000pps"`` (packets per second) or ``"10Mbit"``; None for at once.
            port: whose; all ports' by default.
            priority: this queue's alone, in addition to its port's; by default the port's, which
                its queues share, larger priorities first.

        Raises:
            ControlError: there is no such port or queue.
            UnitError: the rate cannot be read.
        """
        number, in_bits = read_rate(rate)
        self._core.set_queue_rate(number, in_bits, *which_queue(port, priority))

    def crc(self, calculation: str) -> Crc:
        """What a CRC calculation computes.

        Args:
            calculation: a call of ``hash``, ``update_checksum`` or ``verify_checksum`` with
                ``crc16_custom`` or ``crc32_custom``, by the name that p4c gives it: ``calc``,
                ``calc_0``, …; or one of the algorithms, for selectors that use it.

        Raises:
            ControlError: there is no such calculation; the message lists them.
        """
        return Crc(*self._core.crc(name_of("a calculation", calculation)))

    def set_crc(self, calculation: str, crc: Crc) -> None:
        """Sets what a CRC calculation computes.

        The name of an algorithm, ``crc16_custom`` or ``crc32_custom``, means all of its
        calculations.

        Raises:
            ControlError: there is no such calculation, or a number does not fit.
        """
        self._core.set_crc(name_of("a calculation", calculation), crc_row(crc))

    def reset(self) -> None:
        """Resets the switch to the initial state of its program.

        Tables have the program's own entries and defaults; profiles, value sets, counters,
        registers and multicast groups are empty; meters have no rates. Clone sessions, CRC
        parameters and queues stay.
        """
        self._core.reset()

    def _object(self, kind: str, name: str) -> ObjectInfo:
        return self.program.objects(kind)[self.program._core.find(kind, name_of(f"a {kind}", name))]

    def trace(self, packets: int | None = None) -> None:
        """Traces packets that come in from now on, for :meth:`journeys`.

        Args:
            packets: how many of the next ones; None for all, 0 for no more. What was traced before
                and not asked for is forgotten with 0.

        Raises:
            ControlError: the number is negative.
        """
        if packets is not None:
            bounded(packets, "number of packets to trace", 0, _ALL)
        self._core.trace(_ALL if packets is None else packets)
        if packets == 0:
            self._journeys = None

    def journeys(self) -> list[Journey]:
        """The journeys of traced packets that ended since the last call, in order of arrival.

        A switch keeps a million steps for whoever asks, of them 16 384 that a packet takes within
        blocks before it goes on to a queue or a port. A packet whose first step was lost has no
        journey.
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

    @property
    def runtime(self) -> Runtime:
        """The runtime command language of ``simple_switch_CLI`` on this switch."""
        if self._runtime is None:
            from weir.control.commands import Runtime

            self._runtime = Runtime(self)
        return self._runtime

    def run_commands(self, file: str | Path) -> list[str]:
        """Runs a file of runtime commands.

        Commands that fail change nothing and do not stop the others.

        Returns:
            The lines that they print.

        Raises:
            FileError: the file cannot be read.
            CommandFileError: commands failed; the message has file and line of each.
        """
        if not isinstance(file, (str, Path)):
            raise ControlError(f"expected the name of a file, found {shown(file)}")
        return self.runtime.load(file)

    def load_entries(self, entries: str | Path | Mapping[str, Any]) -> int:
        """Applies the public tutorials' runtime JSON, or nothing if anything in it is wrong.

        Args:
            entries: a file, or the same document as Python objects.

        Returns:
            How many entries and defaults were set.

        Raises:
            FileError: the file cannot be read or is not JSON.
            ControlError: it does not fit the program; the message names the JSON path.
        """
        if isinstance(entries, (str, Path)):
            content = read_text(entries)
            count = self._core.load(str(entries), content)
            warn_of_text(self, content)
        else:
            count = self._core.load_values(entries)
            warn_of_document(self, entries)
        return count

    def __getitem__(self, table: str) -> Table:
        """The same as :meth:`table`."""
        return self.table(table)

    def _repr_html_(self) -> str:
        """The program, the ports and the tables, for notebooks."""
        from weir.display import figures, grid, shown

        rows = [(name, len(table), table.hits, table.misses) for name, table in self.tables.items()]
        facts = [
            ("program", self.program.path),
            ("ports", ", ".join(map(str, self.ports))),
            ("pass latency", self.pass_latency),
        ]
        tables = grid(["table", "entries", "hits", "misses"], rows, words=(0,)) if rows else ""
        return shown(f"switch {self.name}", figures(facts), tables)

    def __repr__(self) -> str:
        return (
            f"<weir.Switch {self.name}: {Path(self.program.path).name}, {counted(len(self.ports), 'port')}>"
        )
