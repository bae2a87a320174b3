"""Values as people write them for keys and action parameters, read and written."""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address
from typing import Any

from weir.errors import ControlError
from weir.jsonfile import describe

_MAC = re.compile(r"[0-9A-Fa-f]{2}([:-])[0-9A-Fa-f]{2}(?:\1[0-9A-Fa-f]{2}){4}")
_NUMBER = re.compile(r"0[xX][0-9A-Fa-f_]+|0[bB][01_]+|[0-9][0-9_]*")
_HEXADECIMAL = re.compile(r"ch?e?ck?sum|check|crc|hash|magic|mask", re.IGNORECASE)
_LEAST_HEXADECIMAL = 256
_MOST_DECIMAL = 65_535
_WIDTHS = {"a MAC address": 48, "an IPv4 address": 32, "an IPv6 address": 128}


def read_value(value: Any, width: int) -> int:
    """Reads a value of ``width`` bits: a number, ``"0x0800"``, ``"10.0.1.1"``, ``"2001:db8::1"`` or ``"08:00:00:00:01:11"``.

    Raises:
        ControlError: it is no value, is an address of another width, or does not fit.
    """
    if isinstance(value, bool):
        number = int(value)
    elif isinstance(value, int):
        number = value
    elif isinstance(value, bytes):
        number = int.from_bytes(value, "big")
    elif isinstance(value, str):
        number = _read_text(value, width)
    else:
        raise ControlError(
            f'expected a value such as 1, "0x0800", "10.0.1.1" or "08:00:00:00:01:11", found {describe(value)}'
        )
    if number < 0:
        raise ControlError(f"{value} is negative: values are unsigned")
    if number >> width:
        raise ControlError(f"{value} does not fit in {width} bits (at most {(1 << width) - 1})")
    return number


def bounded(value: Any, what: str, least: int, most: int) -> int:
    """A whole number between bounds.

    Raises:
        ControlError: it is none.
    """
    if isinstance(value, bool) or not isinstance(value, int):
        raise ControlError(f"expected {what}, a whole number, found {value!r}")
    if not least <= value <= most:
        raise ControlError(f"{what} {value} is out of range: expected {least} to {most}")
    return value


def _read_text(text: str, width: int) -> int:
    if _NUMBER.fullmatch(text):
        try:
            return int(text, 0) if text[:2].lower() in ("0x", "0b") else int(text)
        except ValueError:
            raise ControlError(f'"{text}" is no number') from None
    if _MAC.fullmatch(text):
        return _address(text, "a MAC address", int(re.sub("[:-]", "", text), 16), width)
    if text.count(".") == 3:
        try:
            return _address(text, "an IPv4 address", int(IPv4Address(text)), width)
        except ValueError as error:
            raise ControlError(f'"{text}" is no IPv4 address ({_reason(error, text)})') from None
    if ":" in text:
        try:
            return _address(text, "an IPv6 address", int(IPv6Address(text)), width)
        except ValueError:
            raise ControlError(f'"{text}" is neither a MAC address nor an IPv6 address') from None
    raise ControlError(
        f'cannot read the value "{text}": expected a number, 0x…, an IPv4, IPv6 or MAC address'
    )


def _address(text: str, kind: str, number: int, width: int) -> int:
    if width != _WIDTHS[kind]:
        raise ControlError(f"{text} is {kind} of {_WIDTHS[kind]} bits, but {width} bits are wanted here")
    return number


def _reason(error: ValueError, text: str) -> str:
    reason = str(error).removesuffix(f" in {text!r}")
    return reason[:1].lower() + reason[1:]


def format_value(number: int, width: int, name: str = "") -> str:
    """A value as people read it: MAC and IP addresses where width and name say so, else a number.

    What it gives is what :func:`read_value` reads back.
    """
    if width == 48:
        return ":".join(f"{byte:02x}" for byte in number.to_bytes(6, "big"))
    if width == 32 and re.search(r"addr|ip|gateway|next_?hop|nhop", name, re.IGNORECASE):
        return str(IPv4Address(number))
    if width == 128 and re.search(r"addr|ip", name, re.IGNORECASE):
        return str(IPv6Address(number))
    if width == 16 and re.search(r"ether_?type", name, re.IGNORECASE):
        return f"{number:#06x}"
    return str(number)


@dataclass(frozen=True)
class Value:
    """A value with its name.

    Attributes:
        name: as the program or the control plane calls it; empty if it has none.
        width: its bits.
        number: its value, unsigned.
        label: what the value is called: a member of an enumeration, an error, ``true``, a negative number; None if it is just a number.
        header: the header that it is a field of, if it is named by its last part only.
    """

    name: str
    width: int
    number: int
    label: str | None = None
    header: str = ""

    @property
    def text(self) -> str:
        """The value as people read it."""
        if self.label is not None:
            return self.label
        name = f"{self.header}.{self.name}"
        text = format_value(self.number, self.width, name)
        if not text.isdigit() or self.number < _LEAST_HEXADECIMAL:
            return text
        if self.number > _MOST_DECIMAL or not self.name or _HEXADECIMAL.search(name.rpartition(".")[2]):
            return f"{self.number:#x}"
        return f"{text} ({self.number:#x})"

    def __str__(self) -> str:
        return f"{self.name} = {self.text}" if self.name else self.text
