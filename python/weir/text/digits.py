"""Whole numbers as people type them."""

from __future__ import annotations


def whole_number(text: str, least: int = 0, most: int = (1 << 63) - 1) -> int | None:
    """The number that decimal digits stand for; None if it is not within the bounds.

    Python reads digits of other scripts as well, takes others such as ``²`` for digits that it
    cannot read, and refuses thousands of digits with an error.

    Args:
        text: the digits.
        least: the smallest number that is expected.
        most: the largest.
    """
    if not (text.isascii() and text.isdigit()) or len(text.lstrip("0")) > len(str(most)):
        return None
    number = int(text.lstrip("0") or "0")
    return number if least <= number <= most else None
