"""Reads the tables of an exercise's description, and reports each mistake with its line."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, TypeVar

from weir.errors import WeirError, shown
from weir.text.suggest import listing, nearest

T = TypeVar("T")

_EXPECTED: Final = {
    str: "a text in quotes",
    int: "a whole number",
    bool: "true or false",
    list: "tables [[test]]",
}


class ExerciseError(WeirError):
    """An error in the files of an exercise, with its place."""


class Mistakes:
    """The mistakes of a description, which are raised together at the end."""

    def __init__(self) -> None:
        self._found: list[ExerciseError] = []

    @contextmanager
    def collected(self) -> Iterator[None]:
        """Keeps the mistake of a block instead of raising it."""
        try:
            yield
        except ExerciseError as error:
            self._found.append(error)

    def report(self) -> None:
        """Raises the first mistake with all others attached, if there are any.

        Raises:
            ExerciseError: there are mistakes.
        """
        if self._found:
            first, *first.others = sorted(self._found, key=lambda error: int(error.where or sys.maxsize))
            raise first


class Table:
    """A table of a description, whose values are checked as they are read.

    Args:
        file: the description, for messages.
        text: its text.
        values: the values of the table.
        number: the number of the table among the tables ``[[test]]``, from 0; ``None`` for the
            settings at the start of the file.
    """

    def __init__(self, file: Path, text: str, values: Mapping[str, Any], number: int | None = None) -> None:
        self._file = file
        self._values = values
        self._lines = _lines(text, number)

    def check_names(self, known: Collection[str]) -> None:
        """Refuses a setting that does not exist.

        Raises:
            ExerciseError: there is such a setting.
        """
        for name in self._values:
            if name not in known:
                message = f'there is no setting "{name}" (settings: {listing(known)})'
                raise ExerciseError(
                    message, file=self._file, where=self.line(name), suggestion=nearest(name, known)
                )

    def get(self, name: str, kind: type[T], default: T | None = None) -> T:
        """Returns a value. Without a default, a missing value is a mistake.

        Raises:
            ExerciseError: the value is missing or of another kind.
        """
        if name not in self._values:
            if default is None:
                raise self.mistake(name, f"is missing: expected {_EXPECTED[kind]}")
            return default
        value = self._values[name]
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            raise self.mistake(name, f"expected {_EXPECTED[kind]}, found {shown(value)}")
        return value

    def read(self, name: str, parse: Callable[[str], T], default: str) -> T:
        """Returns a text that a function reads.

        Raises:
            ExerciseError: the text is not as the function expects.
        """
        try:
            return parse(self.get(name, str, default))
        except ExerciseError:
            raise
        except WeirError as error:
            raise self.mistake(name, error.message, error.suggestion) from None

    def mistake(self, name: str, message: str, suggestion: str | None = None) -> ExerciseError:
        """Returns an error about a setting, with its place."""
        return ExerciseError(
            f"{name}: {message}", file=self._file, where=self.line(name), suggestion=suggestion
        )

    def line(self, name: str) -> str | None:
        """Returns the line of a setting, or else that of the table's heading."""
        return self._lines.get(name, self._lines.get(""))


def _lines(text: str, wanted: int | None) -> dict[str, str]:
    """Returns the lines of a table's settings by name; that of its heading has the name ``""``."""
    places: dict[str, str] = {}
    current = None
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("["):
            current = 0 if current is None else current + 1
            name: str | None = ""
        else:
            setting = re.match(r"""\s*["']?([\w-]+)["']?\s*=""", line)
            name = setting[1] if setting else None
        if current == wanted and name is not None:
            places.setdefault(name, str(number))
    return places
