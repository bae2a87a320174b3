"""The exceptions of Weir, one for each kind of mistake, with messages for users."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from weir.text.visible import visible_line

if TYPE_CHECKING:
    from weir.errors.diagnostic import Diagnostic


_MAX_SHOWN_ERRORS = 20
_MAX_CHARACTERS = 1000


class WeirError(Exception):
    """The base class of errors that the caller can correct.

    ``str(error)`` is a line, ``FILE: WHERE: MESSAGE; did you mean "NAME"?``, without the file and
    the place if there are none.

    Args:
        message: the problem, and what was expected.
        file: the file with the mistake.
        where: the place in the file, such as ``$.links[1][0]`` or ``3:14``.
        suggestion: the nearest valid name or spelling.

    Attributes:
        others: further mistakes in the same file, or the first of them if there are very many;
            ``str(error)`` has a line for each, up to 20 in total.
    """

    _has_lines = False
    """Whether the error's text has several lines."""

    def __init__(
        self,
        message: str,
        *,
        file: str | Path | None = None,
        where: str | None = None,
        suggestion: str | None = None,
    ) -> None:
        message = message if self._has_lines else one_line(message)
        super().__init__(message)
        self.message = message
        self.file = None if file is None else str(file)
        self.where = where
        self.suggestion = suggestion
        self.others: Sequence[WeirError] = ()
        self._is_cut = False
        """Whether there are more mistakes than those in ``others``."""

    def __str__(self) -> str:
        lines = [self._line(), *(other._line() for other in self.others[: _MAX_SHOWN_ERRORS - 1])]
        hidden_count = 1 + len(self.others) - len(lines)
        least = "at least " if self._is_cut else ""
        mistakes = "mistake" if hidden_count == 1 and not self._is_cut else "mistakes"
        return "\n".join([*lines, *([f"and {least}{hidden_count} more {mistakes}"] if hidden_count else [])])

    def _line(self) -> str:
        separator = ":" if self.where and self.where[0].isdigit() else ": "
        place = separator.join(one_line(part) for part in (self.file, self.where) if part)
        text = f"{place}: {self.message}" if place else self.message
        if self.suggestion is None:
            return text
        return f"{text}; did you mean {quote(one_line(self.suggestion))}?"

    def _render_traceback_(self) -> list[str]:
        """Returns the lines of the traceback for IPython and Jupyter: the error's text first, then
        the caller's own lines."""
        from weir.errors.traceback import lines

        return lines(self)


class WeirWarning(UserWarning):
    """A warning about something that works but is probably a mistake."""


class UnitError(WeirError, ValueError):
    """An error about a rate, time or share that cannot be read or has no unit."""


class MeasureError(WeirError, ValueError):
    """An error about a statistic that is not defined for the given values."""


class FileError(WeirError):
    """An error about a file or folder that cannot be read or written."""


class MissingExtraError(WeirError):
    """An error about a missing library, because Weir was installed without an extra.

    Args:
        purpose: the feature that needs the library, in the plural, such as ``plots``.
        library: the library, such as ``matplotlib``.
        extra: the extra that installs the library.
    """

    def __init__(self, purpose: str, library: str, extra: str = "lab") -> None:
        super().__init__(f"{purpose} need {library}, which is not installed: pip install 'p4weir[{extra}]'")


class TopologyError(WeirError):
    """An error in a topology."""


class ControlError(WeirError):
    """An error about a table, entry, action or value that the switch's program does not have or
    accept."""


class CommandFileError(ControlError):
    """An error about runtime commands in a file that failed. The other commands of the file were
    run.

    ``str(error)`` has a line for each, up to 20.

    Attributes:
        errors: the error of each failed line, in order.
        printed: the output lines of the other commands.
    """

    _has_lines = True

    def __init__(self, errors: Iterable[ControlError], printed: Iterable[str]) -> None:
        self.errors = list(errors)
        self.printed = list(printed)
        texts = [str(error) for error in self.errors[:_MAX_SHOWN_ERRORS]]
        hidden_count = len(self.errors) - len(texts)
        super().__init__(
            "\n".join([*texts, *([f"{hidden_count} more lines failed"] if hidden_count else [])])
        )


class NetworkError(WeirError):
    """An error about a host, switch or link that does not exist, or about an action that the
    network does not support."""


class CommandError(WeirError):
    """An error about a command that cannot be understood."""


class StfError(CommandError):
    """An error in a line of a simple test framework file.

    The line cannot be understood, or does not fit the program.

    Args:
        message: what is wrong and what was expected.
        place: the file, the line and the column of the wrong part, both from 1, and the line with
            carets below that part.
        suggestion: the nearest valid name or spelling.

    Attributes:
        line: the line, from 1.
        column: the column at which the wrong part begins, in characters from 1.
        snippet: the line, and below it carets under the wrong part.
    """

    def __init__(self, message: str, place: tuple[str, int, int, str], suggestion: str | None = None) -> None:
        file, self.line, self.column, self.snippet = place
        super().__init__(message, file=file, where=str(self.line), suggestion=suggestion)


class ExperimentError(WeirError):
    """An error in an experiment or in its result."""


class P4Error(WeirError):
    """The errors of a P4 program. ``str(error)`` shows all of them with source lines.

    Attributes:
        diagnostics: the errors and warnings, in source order.
    """

    _has_lines = True

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = list(diagnostics)
        super().__init__("\n\n".join(d.rendered.rstrip("\n") for d in self.diagnostics))


def one_line(text: str) -> str:
    """Shortens a text to a single line of limited length, for texts that may quote arbitrary input.

    Control characters are escaped, and the middle of very long texts is left out.
    """
    if len(text) > _MAX_CHARACTERS:
        text = f"{text[: _MAX_CHARACTERS - 200]}…{text[-100:]}"
    return visible_line(text)


def shown(value: object) -> str:
    """Formats any wrong value for a message.

    Python refuses to write very large numbers in decimal digits, also in lists, and the ``repr`` of
    a user's object can raise an exception.
    """
    if isinstance(value, int) and value.bit_length() > 4096:
        return f"a number of {value.bit_length()} bits"
    try:
        return repr(value)
    except Exception:
        return f"<{type(value).__name__} object>"


def quote(text: str) -> str:
    """Puts a text in double quotes, unless it contains double quotes."""
    return text if '"' in text else f'"{text}"'
