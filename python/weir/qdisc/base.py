"""What all queueing disciplines are."""

from __future__ import annotations

from abc import ABC, abstractmethod

from weir import _core, units
from weir.errors import UnitError


class Qdisc(ABC):
    """A queueing discipline's settings."""

    @abstractmethod
    def core(self) -> _core.Qdisc:
        """As the core takes it."""


def core(value: Qdisc | str) -> _core.Qdisc:
    """A queueing discipline as the core takes it; a limit alone (``"100p"``, ``"64kB"``) is first in, first out.

    Raises:
        UnitError: a quantity cannot be read.
        NetworkError: a filter cannot be read, or names no class.
    """
    return value.core() if isinstance(value, Qdisc) else _core.Qdisc.fifo(*units.queue(value))


def below(value: Qdisc | str | None) -> _core.Qdisc | None:
    """The one that hangs in another, if there is one."""
    return None if value is None else core(value)


def small(value: object, what: str, example: str = "1514B") -> int:
    """Bytes of a turn or a cell: less than 2 GiB.

    Raises:
        UnitError: it is no size, or a larger one.
    """
    size = units.size_bytes(value, what, example)
    if size >= 1 << 31:
        raise UnitError(f"{what} {value!r} is out of range: expected less than 2 GiB")
    return size
