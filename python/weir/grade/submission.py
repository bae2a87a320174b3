"""Reads what students submit. It is hostile input: sizes are bounded, and links are refused."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from weir.errors import FileError
from weir.files import is_folder, is_there
from weir.files.opening import is_link, open_inside
from weir.files.textfile import no_such_file, read_source

_MAX_BYTES: Final = 1 << 20
"""The maximum size of a submitted program, in bytes."""


@dataclass(frozen=True)
class Submission:
    """The program that a student submitted.

    Attributes:
        student: the student's id.
        text: the program's text; empty if the file cannot be read.
        error: why the file cannot be read; empty if it can.
    """

    student: str
    text: str
    error: str = ""


def read_submission(path: Path, program: str, student: str | None = None) -> Submission:
    """Reads a submission. A file that cannot be read is a submission with an error.

    Args:
        path: the program, or a folder with it.
        program: the name of the program in a folder.
        student: the student's id; by default the name of the file without its suffix, or of the
            folder.

    Raises:
        FileError: there is no such file or folder.
    """
    if not is_there(path) and not is_link(path):
        raise no_such_file(path)
    in_folder = is_folder(path) and not is_link(path)
    file = path / program if in_folder else path
    name = student or (path.resolve().name if in_folder else path.stem)
    try:
        return Submission(name, read_source(file, _MAX_BYTES, open_inside))
    except FileError as error:
        return Submission(name, "", f"{file.name}: {error.message}")
