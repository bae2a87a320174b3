"""The tables and other objects of a local or remote switch that a controller reads and changes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from weir._core import CloneSession, Replica
from weir.control.action_profile import ActionProfile
from weir.control.cells import Counter, Meter, Register
from weir.control.switch_events import SwitchEvents
from weir.control.table import Table
from weir.control.unlinked import document_of, warn_of_document
from weir.control.unlinked_copies import warn_of_clones, warn_of_copies_in_document, warn_of_replicas
from weir.control.value_set import ValueSet
from weir.files.textfile import read_text
from weir.program import ObjectInfo
from weir.program.values import as_list, name_of


class SwitchObjects(SwitchEvents):
    """The objects of a switch's program, by name.

    Attributes:
        name: the switch's name, such as ``s1``.
    """

    __slots__ = ()

    @property
    def ports(self) -> list[int]:
        """The numbers of the switch's ports, smallest first."""
        return self._core.ports()

    @property
    def tables(self) -> dict[str, Table]:
        """The switch's tables by control-plane name, in the program's order."""
        return {name: Table(self, info) for name, info in self.program.tables.items()}

    def table(self, name: str) -> Table:
        """Finds a table by its control-plane name, or by the end of the name if it is unique.

        Raises:
            ControlError: there is no such table; the message names the nearest.
        """
        return Table(self, self.program.tables[self.program.full_name("table", name_of("a table", name))])

    def counter(self, name: str) -> Counter:
        """Finds a counter by its control-plane name, or by the end of the name if it is unique.

        The index of a direct counter's cell is the entry's handle.

        Raises:
            ControlError: there is no such object, or the name is ambiguous.
        """
        return Counter(self, self._object("counter", name))

    def register(self, name: str) -> Register:
        """Finds a register by its control-plane name, or by the end of the name if it is unique.

        Raises:
            ControlError: there is no such object, or the name is ambiguous.
        """
        return Register(self, self._object("register", name))

    def meter(self, name: str) -> Meter:
        """Finds a meter by its control-plane name, or by the end of the name if it is unique.

        The index of a direct meter's cell is the entry's handle.

        Raises:
            ControlError: there is no such object, or the name is ambiguous.
        """
        return Meter(self, self._object("meter", name))

    def action_profile(self, name: str) -> ActionProfile:
        """Finds an action profile or selector by its control-plane name.

        The end of the name is sufficient if it is unique.

        Raises:
            ControlError: there is no such object, or the name is ambiguous.
        """
        full_name = self.program.full_name("action profile", name_of("an action profile", name))
        return ActionProfile(self, self.program.profiles[full_name])

    def value_set(self, name: str) -> ValueSet:
        """Finds a parser value set by its name, or by the end of the name if it is unique.

        Raises:
            ControlError: there is no such object, or the name is ambiguous.
        """
        full_name = self.program.full_name("value set", name_of("a value set", name))
        return ValueSet(self, self.program.value_sets[full_name])

    def multicast_groups(self) -> dict[int, list[Replica]]:
        """Returns the copies that each multicast group makes, by the group's number."""
        return self._core.multicast_groups()

    def set_multicast_group(self, group: int, replicas: Iterable[Replica | int]) -> None:
        """Sets the copies that a multicast group makes. A port number without an instance means a
        copy with instance 0.

        Copies for ports that the switch does not have are dropped and counted. There is a
        :class:`weir.errors.WeirWarning` about them, unless the program recirculates.

        Raises:
            ControlError: the group is 0, a copy's port is its own backup, or two copies have the
                same port and instance.
        """
        copies = _as_replicas(replicas)
        self._core.set_multicast_group(group, copies)
        warn_of_replicas(self, f"multicast group {group}", copies)

    def delete_multicast_group(self, group: int) -> None:
        """Removes a multicast group.

        Raises:
            ControlError: there is no such group.
        """
        self._core.set_multicast_group(group, None)

    def clone_sessions(self) -> dict[int, CloneSession]:
        """Returns all clone sessions by number."""
        return self._core.clone_sessions()

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
        """Sets the destinations of a session's clones: a port, replicas, a multicast group, or all
        three.

        Args:
            session: the number of the session.
            port: the port; if the switch does not have this port, clones are dropped and counted.
            group: the multicast group.
            length: the bytes to which a clone is cut when it is sent; ``None`` for whole clones.
            replicas: the replicas, each of which gets a clone; a port number alone means a replica
                with instance 0.
            priority: the priority of the queue in which a clone waits; ``None`` for the packet's
                own priority.

        Raises:
            ControlError: there is no destination, a replica's port is its own backup, two clones
                have the same port and instance, or ports have no such queue.
        """
        copies = _as_replicas(replicas)
        self._core.set_clone_session(session, CloneSession(port, group, length, copies, priority))
        warn_of_clones(self, session, port)
        warn_of_replicas(self, f"clone session {session}", copies)

    def delete_clone_session(self, session: int) -> None:
        """Removes a clone session.

        Raises:
            ControlError: there is no such session.
        """
        self._core.set_clone_session(session, None)

    def _object(self, kind: str, name: str) -> ObjectInfo:
        return self.program.objects(kind)[self.program.full_name(kind, name_of(f"a {kind}", name))]

    def load_entries(self, entries: str | Path | Mapping[str, Any]) -> int:
        """Applies runtime JSON of the p4lang tutorials. If the document has an error, nothing is
        applied.

        Args:
            entries: the name of a file, or the document as Python objects.

        Returns:
            The number of entries and defaults that were set.

        Raises:
            FileError: the file cannot be read or is not JSON.
            ControlError: the document does not fit the program; the message names the JSON path.
        """
        if isinstance(entries, (str, Path)):
            content = read_text(entries)
            count = self._core.load(str(entries), content)
            document = document_of(content)
        else:
            count = self._core.load_values(entries)
            document = entries
        warn_of_document(self, document)
        if isinstance(document, Mapping):
            warn_of_copies_in_document(self, document)
        return count

    def __getitem__(self, table: str) -> Table:
        """Finds a table, like :meth:`table`."""
        return self.table(table)


def _as_replicas(replicas: Iterable[Replica | int]) -> tuple[Replica, ...]:
    """Converts ports and replicas to replicas; a port number alone becomes a replica with instance
    0."""
    return tuple(
        replica if isinstance(replica, Replica) else Replica(replica)
        for replica in as_list("replicas", replicas)
    )
