"""What an ``expect`` line says of a packet: hexadecimal digits, ``*`` for any digit, ``$`` for the packet's end."""

from __future__ import annotations

import re
from dataclasses import dataclass

from weir.errors import CommandError


@dataclass(frozen=True)
class Pattern:
    """Digits that a packet must have.

    Attributes:
        digits: in lower case, ``*`` for any; None if the packet may be anything.
        exact: whether the packet ends with them.
    """

    digits: str | None
    exact: bool

    def matches(self, packet: bytes) -> bool:
        """Whether the packet is as expected."""
        if self.digits is None:
            return True
        got = packet.hex()
        if len(got) < len(self.digits) or (self.exact and len(got) != len(self.digits)):
            return False
        return not self.differing(packet)

    def differing(self, packet: bytes) -> list[int]:
        """The numbers of the digits, from 0, in which the packet differs as far as both go."""
        pairs = zip(self.digits or "", packet.hex(), strict=False)
        return [number for number, (want, got) in enumerate(pairs) if want not in ("*", got)]

    def __str__(self) -> str:
        if self.digits is None:
            return "any packet"
        return grouped(self.digits) + (" $" if self.exact else "")


def grouped(digits: str) -> str:
    """Digits in groups of four bytes."""
    return " ".join(digits[i : i + 8] for i in range(0, len(digits), 8))


def read_hex(text: str, what: str) -> bytes:
    """A packet's bytes; spaces do not matter.

    Raises:
        CommandError: it has other than pairs of hexadecimal digits.
    """
    digits = "".join(text.split())
    wrong = re.search(r"[^0-9a-fA-F]", digits)
    if wrong:
        raise CommandError(f'{what}: expected hexadecimal digits, found "{wrong.group()}"')
    if len(digits) % 2:
        raise CommandError(f"{what} has {len(digits)} hexadecimal digits: a byte has two")
    return bytes.fromhex(digits)


def read_pattern(text: str) -> Pattern:
    """Reads what stands behind the port of an ``expect`` line.

    Raises:
        CommandError: it has something other than digits, ``*`` and a ``$`` at the end.
    """
    digits = "".join(text.split()).lower()
    exact = digits.endswith("$")
    digits = digits.removesuffix("$")
    wrong = re.search(r"[^0-9a-f*]", digits)
    if wrong:
        raise CommandError(
            f'the packet expected: expected hexadecimal digits, * and a $ at the end, found "{wrong.group()}"'
        )
    return Pattern(digits, exact) if digits or exact else Pattern(None, False)
