"""Prints errors, headings and tables, in colour on a terminal."""

from __future__ import annotations

import os
import shlex
import sys
import threading
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from time import monotonic
from typing import TextIO

import click

from weir.text.visible import own_stream, visible, visible_but_colours, visible_line


def colour(stream: TextIO) -> bool:
    """Returns whether to write colours to a stream.

    Colours are written to a terminal unless ``NO_COLOR`` is set (https://no-color.org).
    """
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def coloured_line(line: str, *, err: bool = False, end: str = "\n") -> None:
    """Prints a line with colours, or without them if the stream does not show colours.

    Unlike all other output of commands, the line is written unchanged, so the caller must already
    have made other control characters visible.
    """
    stream = sys.stderr if err else sys.stdout
    output = own_stream(stream)
    output.write((line if colour(stream) else click.unstyle(line)) + end)
    output.flush()


def bold(text: str) -> str:
    """Makes a text bold, for a part of :func:`coloured_line`."""
    return click.style(visible(text), bold=True)


def verdict(passed: bool) -> str:
    """Returns the coloured word for the result of a test, for a part of :func:`coloured_line`."""
    return click.style("pass", fg="green") if passed else click.style("FAIL", fg="red", bold=True)


_lists: list[list[str]] = []
"""The lists of :func:`collected_errors` that are being filled."""


@contextmanager
def collected_errors() -> Iterator[list[str]]:
    """Yields a list to which each error that is printed in the block is added, without colours."""
    errors: list[str] = []
    _lists.append(errors)
    try:
        yield errors
    finally:
        _lists.remove(errors)


def error(message: str) -> None:
    """Prints an error to standard error.

    The prefix is ``error:``, except for compiler errors, which already have a severity.
    """
    for errors in _lists:
        errors.append(click.unstyle(message))
    compiled = click.unstyle(message).startswith(("error", "warning"))
    if compiled:
        _report(visible_but_colours(message))
    else:
        _report(click.style("error: ", fg="red", bold=True) + visible(message))


def warning(message: str) -> None:
    """Writes a warning to standard error."""
    _report(click.style("warning: ", fg="yellow", bold=True) + visible(message))


def _report(line: str) -> None:
    """Writes a line to standard error, after what was written to standard output."""
    # The end of the command reports that standard output is full or closed. If nobody reads
    # standard error, the exit code is the report.
    with suppress(OSError):
        sys.stdout.flush()
    with suppress(OSError):
        coloured_line(line, err=True)


def show_warnings() -> None:
    """Prints Weir's warnings to standard error, each once and without its place in the code."""
    from weir.errors import WeirWarning

    default_showwarning = warnings.showwarning

    def show(
        message: Warning | str,
        category: type[Warning],
        filename: str,
        lineno: int,
        file: TextIO | None = None,
        line: str | None = None,
    ) -> None:
        if issubclass(category, WeirWarning):
            warning(str(message))
        else:
            default_showwarning(message, category, filename, lineno, file, line)

    warnings.showwarning = show
    warnings.simplefilter("once", WeirWarning)


def shell_path(path: str) -> str:
    """Quotes a path for a shell, in a form that no command takes for an option."""
    return shlex.quote(f"./{path}" if path.startswith("-") else path)


def heading(text: str) -> None:
    """Prints a heading in bold on a terminal."""
    coloured_line(bold(text))


def table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    """Prints rows in aligned columns."""
    cells = [[visible_line(cell) for cell in row] for row in rows]
    widths = [max(len(row[i]) for row in [list(titles), *cells]) for i in range(len(titles))]
    heading(_line(titles, widths))
    for row in cells:
        click.echo(_line(row, widths))


@contextmanager
def show_progress(what: str) -> Iterator[None]:
    """Shows the current task and its duration on standard error, if it is a terminal.

    The line is removed at the end.
    """
    if not sys.stderr.isatty():
        yield
        return
    finished = threading.Event()
    start = monotonic()

    output = own_stream(sys.stderr)

    def show() -> None:
        width = 0
        while not finished.wait(1):
            line = f"{what}: {monotonic() - start:.0f} s"
            output.write("\r" + line.ljust(width))
            output.flush()
            width = len(line)
        output.write("\r" + " " * width + "\r")
        output.flush()

    thread = threading.Thread(target=show, daemon=True)
    thread.start()
    try:
        yield
    finally:
        finished.set()
        thread.join()


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    return "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
