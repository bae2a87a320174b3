"""The objects of a switch that no program declares.

These are multicast groups, clone sessions, queues, and CRC parameters.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from weir import _core, units
from weir.errors import ControlError, UnitError, shown
from weir.program.values import bounded, several

_MAX_UINT32 = (1 << 32) - 1
_MAX_LENGTH = (1 << 31) - 1


@dataclass(frozen=True)
class Replica:
    """One copy that a multicast group or a clone session makes.

    Attributes:
        port: the port to which the copy goes.
        instance: its replication id, ``egress_rid``.
        backup_replicas: where the copy goes while the link at its port is down: to the first of
            these whose port is up, or to its own port if none is. A bare port has instance 0;
            backups have no backups.
    """

    port: int
    instance: int = 0
    backup_replicas: tuple[Replica | int, ...] = ()


@dataclass(frozen=True)
class CloneSession:
    """The destinations of a session's clones: all of the following.

    Attributes:
        port: a port.
        group: a multicast group, whose members each get a clone.
        length: the bytes to which a clone is truncated when it is sent; None for the whole packet.
        replicas: replicas, which each get a clone.
        priority: the queue in which a clone waits, one that the ports have; None for queue 0, or
            for the priority in the metadata that the clone keeps.
    """

    port: int | None = None
    group: int | None = None
    length: int | None = None
    replicas: tuple[Replica, ...] = ()
    priority: int | None = None


@dataclass(frozen=True)
class Crc:
    """The parameters of ``crc16_custom`` or ``crc32_custom``, named as in catalogues of CRCs.

    Attributes:
        polynomial: without its highest coefficient, the next coefficient in the top bit:
            ``0x8005``.
        initial: the initial value of the register.
        final_xor: the value that is XORed with the register at the end.
        reflect_in: whether bytes are read with their lowest bit first.
        reflect_out: whether the register's bits are reversed at the end.
    """

    polynomial: int
    initial: int = 0
    final_xor: int = 0
    reflect_in: bool = False
    reflect_out: bool = False


def group_number(group: int) -> int:
    """A multicast group's number, checked."""
    return bounded(group, "a multicast group's number", 1, 0xFFFF)


def session_number(session: int) -> int:
    """A clone session's number, checked."""
    return bounded(session, "a clone session's number", 0, _MAX_UINT32)


def as_replicas(replicas: Iterable[Replica | int]) -> tuple[Replica, ...]:
    """Copies; a bare port is a copy with instance 0."""
    return tuple(
        one if isinstance(one, Replica) else Replica(bounded(one, "a port", 0, _MAX_UINT32))
        for one in several("replicas", replicas)
    )


def replica_rows(replicas: Iterable[Replica | int]) -> list[_core.ReplicaRow]:
    """Copies as the core takes them; a bare port is a copy with instance 0.

    Raises:
        ControlError: a number is out of range, or a backup has backups.
    """
    return [(*_place(one), _backup_rows(one)) for one in as_replicas(replicas)]


def _backup_rows(replica: Replica) -> list[tuple[int, int]]:
    backups = as_replicas(several("backup_replicas", replica.backup_replicas))
    if any(backup.backup_replicas for backup in backups):
        raise ControlError(f"port {replica.port}: a backup has no backups of its own; list them in order")
    return [_place(backup) for backup in backups]


def _place(replica: Replica) -> tuple[int, int]:
    return bounded(replica.port, "a port", 0, _MAX_UINT32), bounded(
        replica.instance, "an instance", 0, 0xFFFF
    )


def read_replica(row: _core.ReplicaRow) -> Replica:
    """A copy as the core gives it."""
    port, instance, backups = row
    return Replica(port, instance, tuple(Replica(*backup) for backup in backups))


def session_row(config: CloneSession) -> _core.SessionRow:
    """A clone session as the core takes it."""
    replicas = replica_rows(config.replicas)
    if config.port is None and config.group is None and not replicas:
        raise ControlError("a clone session needs a port, replicas or a multicast group")
    port = None if config.port is None else bounded(config.port, "a port", 0, _MAX_UINT32)
    group = None if config.group is None else group_number(config.group)
    length = None if config.length is None else bounded(config.length, "a length in bytes", 1, _MAX_LENGTH)
    priority = None if config.priority is None else bounded(config.priority, "a priority", 0, _MAX_UINT32)
    return port, group, length, replicas, priority


def read_session(row: _core.SessionRow) -> CloneSession:
    """A clone session as the core gives it."""
    port, group, length, replicas, priority = row
    return CloneSession(port, group, length, tuple(map(read_replica, replicas)), priority)


def read_rate(rate: str | None) -> tuple[int | None, bool]:
    """A queue's rate, and whether it is in bits.

    The rate is, for example, ``"1000pps"`` (packets per second) or ``"10Mbit"``; None means no
    limit.

    Raises:
        ControlError: the rate is out of range.
        UnitError: the rate has no unit, or cannot be read.
    """
    if rate is None:
        return None, False
    if isinstance(rate, bool) or not isinstance(rate, (str, int, float)):
        return units.rate_bps(rate), True
    if not isinstance(rate, str) or rate.isdecimal():
        number = shown(rate).strip("'")
        raise UnitError(f"a bare number {shown(rate)} has no unit", suggestion=f"{number}pps")
    number = rate.removesuffix("pps")
    if number == rate or not number.isdecimal() or not number.isascii():
        return units.rate_bps(rate), True
    return bounded(int(number[:20]), "a rate in packets per second", 1, (1 << 63) - 1), False


def queue_depth(packets: int) -> int:
    """A queue's depth, checked."""
    return bounded(packets, "a depth in packets", 0, _MAX_LENGTH)


def which_queue(port: int | None, priority: int | None) -> tuple[int | None, int | None]:
    """The port and the queue that are meant, checked."""
    return (
        None if port is None else bounded(port, "a port", 0, _MAX_UINT32),
        None if priority is None else bounded(priority, "a priority", 0, _MAX_UINT32),
    )


def crc_row(crc: Crc) -> tuple[int, int, int, bool, bool]:
    """A CRC's parameters as the core takes them."""
    if not isinstance(crc, Crc):
        raise ControlError(f"expected the parameters of a CRC, weir.control.Crc, found {shown(crc)}")
    polynomial, initial, final = (
        bounded(number, what, 0, _MAX_UINT32)
        for number, what in (
            (crc.polynomial, "a polynomial"),
            (crc.initial, "an initial value"),
            (crc.final_xor, "a value to xor at the end"),
        )
    )
    return polynomial, initial, final, bool(crc.reflect_in), bool(crc.reflect_out)
