"""Reads whole numbers that people type."""

from __future__ import annotations


def whole_number(text: str, least: int = 0, most: int = (1 << 63) - 1) -> int | None:
    """Reads a number from decimal digits; returns ``None`` if the text is not a number within the
    bounds.

    Python's own functions also accept digits of other scripts, count characters such as ``²`` as
    digits but cannot read them, and refuse thousands of digits with an error.

    Args:
        text: the digits.
        least: the smallest number that is expected.
        most: the largest number that is expected.
    """
    if not (text.isascii() and text.isdigit()) or len(text.lstrip("0")) > len(str(most)):
        return None
    number = int(text.lstrip("0") or "0")
    return number if least <= number <= most else None
