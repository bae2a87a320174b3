"""Warnings about copies for a port without a link: replicas, their backups, and clone sessions.

Such copies pass egress and are lost. There is no warning for programs that recirculate, because
these can use the copies. For a copy, the drop port is an ordinary port. Watched ports need no
warning, because a switch refuses ports that it does not have.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from weir.control.unlinked import number_of, warn_unlinked

if TYPE_CHECKING:
    from weir._core import Replica
    from weir.control.owner import Owner


def warn_of_replicas(switch: Owner, holder: str, replicas: Iterable[Replica | int]) -> None:
    """Warns about copies of a multicast group or clone session, named by ``holder``, that go to a
    port without a link."""
    _warn_of_ports(switch, ((holder, copies, port) for copies, port in _places(replicas)))


def warn_of_clones(switch: Owner, session: int, port: int | None) -> None:
    """Warns if the port of a clone session has no link."""
    _warn_of_ports(switch, [(f"clone session {session}", "copies go", port)])


def warn_of_copies_in_document(switch: Owner, document: Mapping[str, Any]) -> None:
    """Warns about the multicast groups and clone sessions of a runtime JSON document that send
    copies to a port without a link."""
    _warn_of_ports(switch, _copies_in_document(document))


def warn_of_copies_in_commands(switch: Owner, commands: Iterable[Sequence[str]]) -> None:
    """Warns about the multicast nodes and clone sessions that runtime commands create, if copies go
    to a port without a link."""
    _warn_of_ports(switch, _copies_in_commands(commands))


def _places(replicas: Iterable[Replica | int]) -> Iterator[tuple[str, int]]:
    for replica in replicas:
        if isinstance(replica, int):
            yield "copies go", replica
        else:
            yield "copies go", replica.port
            for copies, port in _places(replica.backup_replicas):
                yield copies.replace("copies go", "copies of a backup go"), port


def _copies_in_document(document: Mapping[str, Any]) -> Iterator[tuple[str, str, int | None]]:
    for key, number, name in (
        ("multicast_group_entries", "multicast_group_id", "multicast group"),
        ("clone_session_entries", "clone_session_id", "clone session"),
    ):
        for entry in document.get(key) or ():
            holder = f"{name} {entry[number]}"
            for replica in entry.get("replicas") or ():
                yield holder, "copies go", number_of(replica.get("egress_port"))
                for backup in replica.get("backup_replicas") or ():
                    yield holder, "copies of a backup go", number_of(backup.get("port"))


def _copies_in_commands(commands: Iterable[Sequence[str]]) -> Iterator[tuple[str, str, int | None]]:
    for words in commands:
        match words:
            case ["mirroring_add", session, port, *_]:
                yield f"clone session {session}", "copies go", number_of(port)
            case ["mc_node_create" | "mc_node_update" as command, of, *places]:
                ports = places[: places.index("|")] if "|" in places else places
                holder = (
                    f"multicast node with instance {of}"
                    if command == "mc_node_create"
                    else f"multicast node {of}"
                )
                for port in ports:
                    yield holder, "copies go", number_of(port)
            case ["mc_set_lag_membership", lag, *ports]:
                for port in ports:
                    yield f"LAG {lag}", "copies go", number_of(port)


def _warn_of_ports(switch: Owner, copies: Iterable[tuple[str, str, int | None]]) -> None:
    """Issues one warning for each group or session and each port without a link."""
    if not switch.program._copies_vanish:
        return
    linked = {*switch.ports}
    for holder, copies_sent, port in dict.fromkeys(copies):
        if port is not None and port not in linked:
            warn_unlinked(switch, f"{holder}: {copies_sent} to port {port}")
