"""Formats the traceback of a caller's mistake, with the error's text first and then the caller's
lines.

Lines inside this package are left out, because they do not help users to correct their programs.
``python -X dev`` shows them.
"""

from __future__ import annotations

import contextlib
import sys
import traceback
from pathlib import Path
from types import TracebackType

_PACKAGE_FOLDER = str(Path(__file__).parents[1])
_CONTEXTLIB_FILE = contextlib.__file__
"""The file of Python's context managers, whose frames lie between Weir's own frames."""


def lines(error: BaseException, trace: TracebackType | None = None) -> list[str]:
    """Formats the error's text and the caller's code as lines without line ends.

    Args:
        error: a mistake of the caller.
        trace: the traceback to show; by default the error's own.
    """
    trace = trace or error.__traceback__
    if sys.flags.dev_mode:
        parts = traceback.format_exception(type(error), error, trace)
        return "".join(parts).rstrip("\n").split("\n")
    name, text = type(error).__name__, str(error)
    head = f"{name}:\n{text}" if "\n" in text else f"{name}: {text}"
    notes = list(getattr(error, "__notes__", ()))
    return "\n".join([head, *notes, *_frames(trace)]).split("\n")


def _frames(trace: TracebackType | None) -> list[str]:
    """Formats the frames of a traceback that belong neither to this package nor to an interactive
    shell."""
    user_frames = [
        frame
        for frame in traceback.extract_tb(trace)
        if not frame.filename.startswith(_PACKAGE_FOLDER)
        and frame.filename != _CONTEXTLIB_FILE
        and "/IPython/" not in frame.filename
        and "/ipykernel/" not in frame.filename
        and not frame.filename.startswith("<frozen ")
    ]
    return [line.rstrip("\n") for line in traceback.format_list(user_frames)]
