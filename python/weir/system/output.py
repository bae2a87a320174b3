"""Ends output to a stream whose reader has left, or whose disk is full."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import TextIO


def write_out(stream: TextIO) -> OSError | None:
    """Writes what a stream still holds.

    If that fails, the stream discards what it holds and all later output. Otherwise Python would
    fail again when it exits.

    Returns:
        The error; None if everything was written.
    """
    try:
        stream.flush()
    except OSError as error:
        # A stream of a test has no number.
        with suppress(OSError):
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, stream.fileno())
            os.close(null)
            stream.flush()
        return error
    return None
