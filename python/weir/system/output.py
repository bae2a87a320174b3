"""Output to streams that lack characters, whose reader has left, or whose disk is full."""

from __future__ import annotations

import io
import os
from contextlib import suppress
from typing import TextIO


def escape_missing_characters(stream: TextIO) -> None:
    """Makes a stream escape characters that its encoding lacks, such as ``\\u2514``, as standard
    error does."""
    # In the locale C, Python chooses ``surrogateescape``.
    if isinstance(stream, io.TextIOWrapper) and stream.errors in ("strict", "surrogateescape"):
        stream.reconfigure(errors="backslashreplace")


def write_out(stream: TextIO) -> OSError | None:
    """Writes what a stream still holds.

    If that fails, the stream discards what it holds and all later output. Otherwise Python would
    fail again when it exits.

    Returns:
        The error; ``None`` if everything was written.
    """
    try:
        stream.flush()
    except OSError as error:
        # A stream of a test has no descriptor.
        with suppress(OSError):
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, stream.fileno())
            os.close(null)
            stream.flush()
        return error
    return None
