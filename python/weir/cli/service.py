"""Runs a service of the core until it receives a signal."""

from __future__ import annotations

import signal
from collections.abc import Callable


def run_service(serve: Callable[[], int]) -> int:
    """Calls ``serve``, a service that handles Ctrl-C itself, and returns the service's exit code.

    Python's own handler would raise KeyboardInterrupt afterwards. Until the service handles Ctrl-C,
    Ctrl-C ends the process.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    return serve()
