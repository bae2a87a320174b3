"""Starts the command ``weir``; Ctrl-C ends it without a traceback, even while modules load.

It is a package of its own, because Python reads the package ``weir`` before any of its modules. It
imports only what is built into Python.
"""

import _signal  # type: ignore[import-not-found]


def main() -> int:
    """Runs the command and returns its exit code."""
    handler = _signal.getsignal(_signal.SIGINT)
    is_python_s = handler is _signal.default_int_handler  # Otherwise, the caller chose one.
    if is_python_s:
        _signal.signal(_signal.SIGINT, _signal.SIG_DFL)
    from weir import cli

    if is_python_s:
        _signal.signal(_signal.SIGINT, handler)
    return cli.main()
