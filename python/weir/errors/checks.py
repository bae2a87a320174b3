"""Checks of arguments that several methods share.

Each check raises an error that names the argument and the expected value.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, SupportsBytes

from weir.errors import NetworkError, shown


def check_flag(name: str, value: object) -> None:
    """Refuses a value that is neither ``True`` nor ``False``.

    Raises:
        NetworkError: the value is neither.
    """
    if not isinstance(value, bool):
        raise NetworkError(f"{name}: {shown(value)} is neither True nor False")


def check_whole(name: str, value: object, minimum: int, maximum: int = (1 << 63) - 1) -> None:
    """Refuses a value that is not a whole number from ``minimum`` to ``maximum``.

    Raises:
        NetworkError: the value is not such a number.
    """
    if isinstance(value, bool) or not isinstance(value, int):
        raise NetworkError(f"{name}: {shown(value)} is not a whole number")
    if not minimum <= value <= maximum:
        open_ended = value < minimum and maximum >= 1 << 62
        expected = f"{minimum} or more" if open_ended else f"{minimum} to {maximum}"
        raise NetworkError(f"{name}: {shown(value)} is out of range: expected {expected}")


def check_family(value: object) -> None:
    """Refuses a value that is neither a version of IP (4 or 6) nor ``None``.

    Raises:
        NetworkError: the value is none of these.
    """
    if value is not None and (isinstance(value, bool) or value not in (4, 6)):
        raise NetworkError(f"family: {shown(value)} is not a version of IP: expected 4 or 6")


def check_port(name: str, value: object) -> None:
    """Refuses a value that is not a UDP or TCP port.

    Raises:
        NetworkError: the value is not a port.
    """
    check_whole(name, value, 1, 65535)


def check_ports(name: str, value: Any) -> list[int]:
    """Checks one or several ports, and returns them as a list.

    Raises:
        NetworkError: a value is not a port.
    """
    several = isinstance(value, Iterable) and not isinstance(value, (str, bytes))
    ports: list[int] = list(value) if several else [value]
    for port in ports:
        check_port(name, port)
    return ports


def check_text(name: str, value: object, example: str) -> None:
    """Refuses a value that is not a string.

    Raises:
        NetworkError: the value is not a string.
    """
    if not isinstance(value, str):
        raise NetworkError(f'{name}: expected a string such as "{example}", found {shown(value)}')


def check_call(name: str, value: object, example: str = "print") -> None:
    """Refuses a value that cannot be called.

    Raises:
        NetworkError: the value cannot be called.
    """
    if not callable(value):
        raise NetworkError(f"{name}: {shown(value)} cannot be called: expected a function, such as {example}")


def check_calls(**given: object) -> None:
    """Refuses values that are neither ``None`` nor callable.

    Raises:
        NetworkError: a value is neither ``None`` nor callable.
    """
    for name, value in given.items():
        if value is not None:
            check_call(name, value)


def frame_bytes(packet: object, name: str = "") -> bytes:
    """Converts a frame, or the argument ``name``, to bytes.

    Accepts bytes, or an object that ``bytes()`` converts, such as a Scapy packet.

    Raises:
        NetworkError: the value is neither.
    """
    if isinstance(packet, (bytes, bytearray, memoryview)):
        return bytes(packet)
    if isinstance(packet, SupportsBytes):
        return bytes(packet)
    kind = type(packet).__name__
    if name:
        raise NetworkError(
            f"{name}: a {kind} is not bytes",
            suggestion=f"{shown(packet)}.encode()" if kind == "str" else None,
        )
    raise NetworkError(
        f"a {kind} is not a packet: expected bytes, or an object that bytes() converts, such as a "
        "Scapy packet"
    )
