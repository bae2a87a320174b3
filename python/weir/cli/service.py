"""Runs a service of the core until a signal ends it."""

from __future__ import annotations

import signal
from collections.abc import Callable


def run_service(serve: Callable[[], int]) -> int:
    """Calls ``serve``, which handles Ctrl-C itself, and returns its exit code.

    Python's own handler would raise KeyboardInterrupt afterwards. Before the service handles it,
    Ctrl-C ends the process.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    return serve()
