"""Exercises that come with Weir."""

from __future__ import annotations

from pathlib import Path
from types import MappingProxyType
from typing import Final

from weir.errors import CommandError
from weir.files import is_folder, is_there
from weir.grade.exercise import Exercise, read_exercise
from weir.text.suggest import listing, nearest

_FOLDER: Final = Path(__file__).resolve().parent / "exercises"

EXERCISES: Final = MappingProxyType(
    {name: _FOLDER / name for name in ("reflector", "ipv4", "tags", "quota", "trail")}
)
"""The folders of the exercises that come with Weir, by name, in the order of a course."""


def find_exercise(name: str) -> Exercise:
    """Reads an exercise in a folder or, if there is no such folder, one that comes with Weir.

    Raises:
        CommandError: there is neither a folder nor an exercise of this name.
        FileError: the folder has no description.
        ExerciseError: the description has mistakes.
    """
    if is_folder(name) or name not in EXERCISES:
        if not is_there(name):
            suggestion = nearest(name, EXERCISES)
            alternatives = "" if suggestion else f" (Weir's exercises: {listing(EXERCISES)})"
            raise CommandError(f'there is no exercise "{name}"{alternatives}', suggestion=suggestion)
        return read_exercise(Path(name))
    return read_exercise(EXERCISES[name])
