"""Runs a stand-in and turns errors into messages and exit codes."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress

from weir.errors import P4Error, WeirError
from weir.files.textfile import check_words
from weir.system.output import escape_missing_characters, write_out
from weir.text.visible import own_stream, visible_but_colours, visible_output


def run(name: str, act: Callable[[Sequence[str]], int], arguments: Sequence[str] | None) -> int:
    """Runs a stand-in and returns its exit code: 1 after an error, 130 after Ctrl-C.

    Args:
        name: the program's name, for messages.
        act: the function that runs the program and returns its exit code.
        arguments: the command line without the program's name; by default that of this process.
    """
    escape_missing_characters(sys.stdout)
    with visible_output(sys.stdout, sys.stderr):
        code = _run(name, act, arguments)
        if failed := write_out(sys.stdout):
            code = max(code, _report_system_error(name, failed))
        write_out(sys.stderr)
        return code


def _run(name: str, act: Callable[[Sequence[str]], int], arguments: Sequence[str] | None) -> int:
    try:
        words = sys.argv[1:] if arguments is None else arguments
        check_words(words)
        return act(words)
    except P4Error as error:
        _print_message(str(error))
    except WeirError as error:
        _print_message(f"{name}: error: {error}")
    except OSError as error:
        return _report_system_error(name, error)
    except KeyboardInterrupt:
        return 130
    except Exception as error:
        if os.environ.get("WEIR_DEBUG"):
            raise
        description = f"{type(error).__name__}: {error}"
        _print_message(
            f"{name}: internal error: {description} (a bug in Weir, please report it; WEIR_DEBUG=1 shows where)"
        )
    return 1


def _report_system_error(name: str, failed: OSError) -> int:
    """Reports a system error, unless the error is that the reader of the output has closed the
    pipe; returns the exit code."""
    write_out(sys.stdout)
    if not isinstance(failed, BrokenPipeError):
        place = f"{failed.filename}: " if failed.filename else ""
        _print_message(f"{name}: error: {place}{failed.strerror or failed}")
    return 1


def _print_message(message: str) -> None:
    with suppress(OSError):
        sys.stdout.flush()
    with suppress(OSError):
        own_stream(sys.stderr).write(visible_but_colours(message) + "\n")
