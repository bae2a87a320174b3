"""Base class of queueing disciplines."""

from __future__ import annotations

from abc import ABC, abstractmethod

from weir import _core, units
from weir.errors import UnitError, shown


class Qdisc(ABC):
    """The settings of a queueing discipline."""

    @abstractmethod
    def core(self) -> _core.Qdisc:
        """Converts the settings to the form that the core takes."""


def core(value: Qdisc | str) -> _core.Qdisc:
    """Converts a queueing discipline to the form that the core takes.

    A limit such as ``"100p"`` or ``"64kB"`` stands for a queue with this limit: first in, first
    out.

    Raises:
        UnitError: a quantity cannot be read.
        NetworkError: a filter cannot be read, or its class does not exist.
    """
    return value.core() if isinstance(value, Qdisc) else _core.Qdisc.fifo(*units.queue(value))


def child(value: Qdisc | str | None) -> _core.Qdisc | None:
    """Converts the discipline in which packets of another discipline wait; returns ``None`` if
    there is none."""
    return None if value is None else core(value)


def small_size(value: object, what: str, example: str = "1514B") -> int:
    """Reads a number of bytes below 2 GiB, for settings such as quanta and cell sizes.

    Raises:
        UnitError: the number cannot be read, or is larger.
    """
    size = units.size_bytes(value, what, example)
    if size >= 1 << 31:
        raise UnitError(f"{what} {shown(value)} is out of range: expected less than 2 GiB")
    return size
