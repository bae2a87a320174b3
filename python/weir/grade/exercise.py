"""Reads exercises: folders with a text, a template, tests, and a description of all these."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from weir.files import is_file
from weir.files.textfile import no_such_file, read_text
from weir.files.toml import load_toml
from weir.grade.description import ExerciseError, Mistakes, Table
from weir.units import time_ns

__all__ = ["DESCRIPTION", "Exercise", "ExerciseError", "Test", "read_exercise"]

DESCRIPTION: Final = "exercise.toml"
"""The name of the description in the folder of an exercise."""

_SETTINGS: Final = ("title", "text", "template", "time_limit", "test")
_TEST_SETTINGS: Final = ("title", "file", "points", "hidden", "hint")
_MAX_POINTS: Final = 1000
_MAX_DESCRIPTION: Final = 1 << 20
_MAX_LIMIT_NS: Final = 600 * 10**9


@dataclass(frozen=True)
class Test:
    """A test of an exercise. Students get all of its points, or none.

    Attributes:
        title: what the test checks, in a few words; also shown for hidden tests.
        file: the file with the test: ``.stf``, or ``.py`` with a function that returns STF.
        points: the points, from 1.
        hidden: whether students see only the title, the points and the hint.
        hint: what to look at if the test fails; empty if there is no hint.
    """

    title: str
    file: Path
    points: int
    hidden: bool = False
    hint: str = ""


@dataclass(frozen=True)
class Exercise:
    """An exercise.

    Attributes:
        folder: the folder of all files.
        title: the title.
        text: the file that tells students what to do.
        template: the program with gaps; submissions have the same name.
        time_limit_ns: the processor time, in nanoseconds, that a test may take.
        tests: the tests, in order.
    """

    folder: Path
    title: str
    text: Path
    template: Path
    time_limit_ns: int
    tests: tuple[Test, ...]

    @property
    def name(self) -> str:
        """The name of the folder."""
        return self.folder.resolve().name

    @property
    def points(self) -> int:
        """The points of all tests."""
        return sum(test.points for test in self.tests)


def read_exercise(folder: Path) -> Exercise:
    """Reads the description of an exercise.

    Raises:
        FileError: the description cannot be read.
        ExerciseError: the description has mistakes; the message has the line of each.
    """
    file = folder / DESCRIPTION
    text = read_text(file, _MAX_DESCRIPTION)
    document = load_toml(text, file, ExerciseError)
    table, mistakes = Table(file, text, document), Mistakes()
    with mistakes.collected():
        table.check_names(_SETTINGS)
    title, description, template, limit = "", folder, folder, 0
    tests: list[Test] = []
    with mistakes.collected():
        title = _title(table)
    with mistakes.collected():
        description = _file(folder, table, "text", "README.md")
    with mistakes.collected():
        template = _file(folder, table, "template", None, ".p4")
    with mistakes.collected():
        limit = table.read("time_limit", lambda text: _time_limit(table, text), "10s")
    with mistakes.collected():
        values = table.get("test", list)
        if not values or not all(isinstance(value, dict) for value in values):
            raise table.mistake("test", "expected one or more tables [[test]]")
        for number, value in enumerate(values):
            with mistakes.collected():
                tests.append(_test(folder, Table(file, text, value, number)))
    with mistakes.collected():
        for number, test in enumerate(tests):
            if test.title in [other.title for other in tests[:number]]:
                raise Table(file, text, {}, number).mistake("title", "another test has the same title")
    mistakes.report()
    return Exercise(folder, title, description, template, limit, tuple(tests))


def _test(folder: Path, table: Table) -> Test:
    table.check_names(_TEST_SETTINGS)
    points = table.get("points", int)
    if not 1 <= points <= _MAX_POINTS:
        raise table.mistake("points", f"expected 1 to {_MAX_POINTS}, found {points}")
    return Test(
        _title(table),
        _file(folder, table, "file", None, ".stf", ".py"),
        points,
        table.get("hidden", bool, False),
        table.get("hint", str, ""),
    )


def _title(table: Table) -> str:
    title = table.get("title", str)
    if not title.strip() or "\n" in title:
        raise table.mistake("title", "expected a line of text")
    return title


def _file(folder: Path, table: Table, name: str, default: str | None, *suffixes: str) -> Path:
    """Reads the name of a file in the exercise's folder."""
    text = table.get(name, str, default)
    path = Path(text)
    if path.is_absolute() or ".." in path.parts:
        raise table.mistake(name, f'expected a file in the folder of the exercise, found "{text}"')
    if suffixes and path.suffix not in suffixes:
        raise table.mistake(name, f'expected a file {" or ".join(suffixes)}, found "{text}"')
    if not is_file(folder / path):
        missing = no_such_file(folder / path)
        raise table.mistake(name, f'there is no file "{text}"', missing.suggestion)
    return folder / path


def _time_limit(table: Table, text: str) -> int:
    limit = time_ns(text, "time_limit", "10s")
    if not 10**9 <= limit <= _MAX_LIMIT_NS:
        raise table.mistake("time_limit", f"expected 1s to 600s, found {text}")
    return limit
