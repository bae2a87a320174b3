"""Reads and writes quantities with units: rates, times and shares.

Inside Weir a rate is a whole number of bits per second, a time a whole number of nanoseconds, a
share a float from 0 to 1.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Final

from weir.errors import UnitError

NANOSECONDS: Final = {
    "ns": 1,
    "us": 10**3,
    "µs": 10**3,
    "ms": 10**6,
    "s": 10**9,
    "min": 60 * 10**9,
    "h": 3600 * 10**9,
}
BITS_PER_SECOND: Final = {
    "bit": 1,
    "bps": 1,
    "kbit": 10**3,
    "kbps": 10**3,
    "mbit": 10**6,
    "mbps": 10**6,
    "gbit": 10**9,
    "gbps": 10**9,
    "tbit": 10**12,
    "tbps": 10**12,
}

BITS: Final = {
    "b": 8,
    "kb": 8 * 10**3,
    "mb": 8 * 10**6,
    "gb": 8 * 10**9,
    "kib": 8 * 2**10,
    "mib": 8 * 2**20,
    "gib": 8 * 2**30,
    "bit": 1,
    "kbit": 10**3,
    "mbit": 10**6,
    "gbit": 10**9,
}

# Names of disciplines in tc, and their classes in `weir.qdisc`.
_DISCIPLINES: Final = {
    "fifo": "Fifo",
    "pfifo": "Fifo",
    "bfifo": "Fifo",
    "tbf": "Tbf",
    "htb": "Htb",
    "fq": "Fq",
    "codel": "Codel",
    "fq_codel": "FqCodel",
    "red": "Red",
    "netem": "Netem",
}

_QUANTITY: Final = re.compile(r"\s*([+-]?[0-9]+(?:\.[0-9]+)?)\s*([^\s0-9]*)\s*")

# Above these, numbers no longer fit the simulator's 64 bits.
_MAX_TIME_NS: Final = 10**18
_MAX_RATE_BPS: Final = 10**15
_MAX_SIZE_BYTES: Final = 10**18
_MAX_PACKETS: Final = 1 << 31


def time_ns(value: object, what: str = "time", usual: str = "ms") -> int:
    """Reads a time such as ``"20ms"``, ``"5us"`` or ``"1.5s"``.

    Args:
        value: what the user gave.
        what: the name of the quantity in error messages, such as ``delay``.
        usual: the unit to suggest if there is none.

    Returns:
        Nanoseconds, 0 or more.

    Raises:
        UnitError: it is not a time, has no unit, is negative or finer than a nanosecond.
    """
    number, unit = _split(value, what, f"1{usual}", usual)
    if unit not in NANOSECONDS:
        raise UnitError(f"unknown unit {unit!r} in {what} {value!r}: use {_units(NANOSECONDS)}")
    return _whole(number * NANOSECONDS[unit], value, what, _MAX_TIME_NS, "a nanosecond")


def rate_bps(value: object, what: str = "rate") -> int:
    """Reads a rate such as ``"10Mbit"``, ``"1Gbit"`` or ``"64kbit"``.

    ``bps`` means bits per second too, as ``bit/s`` does.

    Args:
        value: what the user gave.
        what: the name of the quantity in error messages.

    Returns:
        Bits per second, 1 or more.

    Raises:
        UnitError: it is not a rate, has no unit, or is not above zero.
    """
    number, unit = _split(value, what, "10Mbit", "Mbit")
    key = unit.lower().removesuffix("/s")
    if key not in BITS_PER_SECOND:
        raise UnitError(
            f"unknown unit {unit!r} in {what} {value!r}: use bit, kbit, Mbit, Gbit or Tbit (per second)"
        )
    bits = _whole(number * BITS_PER_SECOND[key], value, what, _MAX_RATE_BPS, "a bit per second")
    if bits == 0:
        raise UnitError(
            f"{what} {value!r} lets nothing through: a rate must be above zero (None means unlimited)"
        )
    return bits


def size_bytes(value: object, what: str = "size", example: str = "1500B") -> int:
    """Reads a size such as ``"1500B"``, ``"64kB"``, ``"1MiB"`` or ``"8kbit"``.

    Args:
        value: what the user gave.
        what: the name of the quantity in error messages.
        example: an example for error messages.

    Returns:
        Bytes, 0 or more.

    Raises:
        UnitError: it is not a size, has no unit, is negative, or not a whole number of bytes.
    """
    number, unit = _split(value, what, example, "B")
    if unit.lower() not in BITS:
        raise UnitError(
            f"unknown unit {unit!r} in {what} {value!r}: use B, kB, MB, GB, KiB, MiB, GiB or kbit"
        )
    return _whole(number * BITS[unit.lower()] / 8, value, what, _MAX_SIZE_BYTES, "a byte")


def format_size(size: int) -> str:
    """``1500B``, ``64kB``, ``1.5MB``."""
    for unit, name in ((10**9, "GB"), (10**6, "MB"), (10**3, "kB")):
        if size >= unit and size % (unit // 1000) == 0:
            return f"{_plain(Decimal(size) / unit)}{name}"
    return f"{size}B"


def share(value: object, what: str = "share") -> float:
    """Reads a share such as ``"1%"`` or ``"0.5%"``.

    Args:
        value: what the user gave.
        what: the name of the quantity in error messages.

    Returns:
        A number from 0 to 1.

    Raises:
        UnitError: it is not a share, has no ``%``, or is outside 0 % to 100 %.
    """
    if isinstance(value, float) and 0 < value < 1:
        # A fraction of 1, or a percentage as in Mininet?
        part = Decimal(str(value))
        raise UnitError(
            f'{what}: a bare number {value} has no unit: did you mean "{_plain(part * 100)}%" or "{_plain(part)}%"?'
        )
    number, unit = _split(value, what, "1%", "%")
    if unit != "%":
        raise UnitError(f"unknown unit {unit!r} in {what} {value!r}: use %")
    if not 0 <= number <= 100:
        raise UnitError(f"{what} {value!r} is outside 0% to 100%")
    return float(number / 100)


def packets(value: object, what: str = "packets") -> int:
    """Reads a number of packets: ``"100p"``.

    Raises:
        UnitError: it is not a number of packets, has no unit, is negative or not a whole number.
    """
    number, unit = _split(value, what, "100p", "p")
    if unit != "p":
        raise UnitError(f"unknown unit {unit!r} in {what} {value!r}: use p (packets)")
    return _whole(number, value, what, _MAX_PACKETS, "a packet")


def queue(value: object, what: str = "queue") -> tuple[int | None, int | None]:
    """Reads a queue's limit in packets, ``"100p"``, or in bytes, ``"64kB"``.

    Returns:
        Packets, or None; bytes, or None.

    Raises:
        UnitError: it is neither, or has no unit.
    """
    if isinstance(value, str) and (words := value.split()) and (name := _DISCIPLINES.get(words[0].lower())):
        raise UnitError(
            f'{what} {value!r} names a queueing discipline: expected a limit such as "100p", or weir.qdisc.{name}(…)'
        )
    number, unit = _split(value, what, "100p", "p")
    if unit == "p":
        return _whole(number, value, what, _MAX_PACKETS, "a packet"), None
    if unit.lower() not in BITS:
        raise UnitError(
            f"unknown unit {unit!r} in {what} {value!r}: use p (packets) or a size's unit such as kB"
        )
    return None, size_bytes(value, what)


def format_time(nanoseconds: int) -> str:
    """A time as ``20ms``, ``1.5s`` or ``250ns``.

    The unit is the largest one, up to seconds, that leaves a number of at least 1.
    """
    for unit in ("s", "ms", "us"):
        if nanoseconds >= NANOSECONDS[unit]:
            return f"{_plain(Decimal(nanoseconds) / NANOSECONDS[unit])}{unit}"
    return f"{nanoseconds}ns"


def format_rate(bits_per_second: int | None) -> str:
    """``10Mbit``, ``64kbit``; ``unlimited`` for None."""
    if bits_per_second is None:
        return "unlimited"
    for unit, name in ((10**12, "Tbit"), (10**9, "Gbit"), (10**6, "Mbit"), (10**3, "kbit")):
        if bits_per_second >= unit:
            return f"{_plain(Decimal(bits_per_second) / unit)}{name}"
    return f"{bits_per_second}bit"


def format_share(part: float) -> str:
    """``1%``, ``0.5%``."""
    return f"{_plain(Decimal(str(part)) * 100)}%"


def _split(value: object, what: str, example: str, unit: str) -> tuple[Decimal, str]:
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        article = "an" if what[:1] in "aeiou" else "a"
        raise UnitError(f'expected {article} {what} such as "{example}", found {type(value).__name__}')
    if isinstance(value, (int, float)):
        nearest = f"{_plain(Decimal(str(value)))}{unit}" if 0 <= value < float("inf") else ""
        hint = f'did you mean "{nearest}"?' if nearest else f'expected one with a unit, such as "{example}"'
        raise UnitError(f"{what}: a bare number {value} has no unit: {hint}")
    match = _QUANTITY.fullmatch(value)
    if match is None:
        raise UnitError(f'cannot read {what} {value!r}: expected a number and a unit, such as "{example}"')
    if not match[2]:
        if match[1].startswith("-"):
            raise UnitError(
                f'{what} {value!r} is negative, and has no unit: expected one such as "{example}"'
            )
        raise UnitError(f'{what} {value!r} has no unit: did you mean "{match[1]}{unit}"?')
    return Decimal(match[1]), match[2]


def _whole(amount: Decimal, value: object, what: str, maximum: int, resolution: str) -> int:
    if amount < 0:
        raise UnitError(f"{what} {value!r} is negative")
    if amount > maximum:
        raise UnitError(f"{what} {value!r} is too large")
    if amount != int(amount):
        raise UnitError(f"{what} {value!r} is finer than {resolution}")
    return int(amount)


def _units(table: dict[str, int]) -> str:
    names = [name for name in table if name.isascii()]
    return f"{', '.join(names[:-1])} or {names[-1]}"


def _plain(number: Decimal) -> str:
    text = f"{number:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
