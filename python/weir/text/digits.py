"""Reads numbers that people type.

Python's own functions also accept digits of other scripts, underscores between digits, and ``nan``
and ``inf``. ``str.isdigit`` counts characters such as ``²`` as digits, which ``int`` cannot read,
and ``int`` refuses thousands of digits with an error.
"""

from __future__ import annotations

import math
import re
from typing import Final

_MAX_DIGITS: Final = 400
"""The most characters of a number; ``float`` has numbers of up to 309 digits."""

_WHOLE: Final = re.compile("-?[0-9]+")
_DECIMAL: Final = re.compile(r"-?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")


def whole_number(text: str, least: int = 0, most: int = (1 << 63) - 1) -> int | None:
    """Reads a number from decimal digits; returns ``None`` if the text is not a number within the
    bounds.

    Args:
        text: the digits.
        least: the smallest number that is expected.
        most: the largest number that is expected.
    """
    if not (text.isascii() and text.isdigit()) or len(text.lstrip("0")) > len(str(most)):
        return None
    number = int(text.lstrip("0") or "0")
    return number if least <= number <= most else None


def any_whole_number(text: str) -> int | None:
    """Reads a number from decimal digits, which may follow a minus sign; returns ``None`` if the
    text is not such a number."""
    is_number = len(text) <= _MAX_DIGITS and _WHOLE.fullmatch(text) is not None
    return int(text) if is_number else None


def finite_number(text: str) -> float | None:
    """Reads a number such as ``-2.5`` or ``1e6``; returns ``None`` if the text is not a finite
    number."""
    if len(text) > _MAX_DIGITS or _DECIMAL.fullmatch(text) is None:
        return None
    number = float(text)
    return number if math.isfinite(number) else None
