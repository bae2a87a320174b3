"""Issues warnings at the user's line of code."""

from __future__ import annotations

import sys
import warnings
from pathlib import Path

from weir.errors import WeirWarning

_PACKAGE = str(Path(__file__).parents[1])


def warn_caller(text: str) -> None:
    """Issues a warning that points to the line of the user's code that called this package."""
    level, frame = 1, sys._getframe()
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, WeirWarning, stacklevel=level)
