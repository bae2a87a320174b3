"""Reads and writes quantities with units: rates, times, sizes and shares.

Inside Weir a rate is a whole number of bits per second, a time a whole number of nanoseconds, a
share a float from 0 to 1. Functions that read take the name of the quantity for error messages as
``what``, and raise :class:`weir.UnitError` for a value that is not such a quantity, has no unit, or
is out of range.
"""

from __future__ import annotations

from typing import Final

from weir._core import (
    format_rate,
    format_share,
    format_size,
    format_time,
    packets,
    queue_limit,
    rate_bps,
    share,
    size_bytes,
    time_ns,
)
from weir.errors import UnitError, shown

__all__ = [
    "format_rate",
    "format_share",
    "format_size",
    "format_time",
    "link_rate",
    "packets",
    "queue",
    "rate_bps",
    "share",
    "size_bytes",
    "time_ns",
]

# The names of queueing disciplines in tc, and their classes in `weir.qdisc`.
_DISCIPLINES: Final = {
    "fifo": "Fifo",
    "pfifo": "Fifo",
    "bfifo": "Fifo",
    "tbf": "Tbf",
    "htb": "Htb",
    "fq": "Fq",
    "codel": "Codel",
    "fq_codel": "FqCodel",
    "dualpi2": "DualPi2",
    "red": "Red",
    "netem": "Netem",
}


def link_rate(value: object, what: str = "rate") -> int | None:
    """Reads a link's rate in bits per second; ``None`` or ``"unlimited"`` for no limit.

    Raises:
        UnitError: the value cannot be read, or has no unit.
    """
    return None if value is None or value == "unlimited" else rate_bps(value, what)


def queue(value: object, what: str = "queue") -> tuple[int | None, int | None]:
    """Reads a queue's limit in packets, ``"100p"``, or in bytes, ``"64kB"``.

    Returns:
        Packets, or ``None``; bytes, or ``None``.

    Raises:
        UnitError: the limit is neither, or has no unit.
    """
    if isinstance(value, str) and (words := value.split()) and (name := _DISCIPLINES.get(words[0].lower())):
        raise UnitError(
            f'{what} {shown(value)} names a queueing discipline: expected a limit such as "100p", or weir.qdisc.{name}(…)'
        )
    return queue_limit(value, what)
