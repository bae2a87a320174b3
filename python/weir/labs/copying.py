"""``weir lab new``: copies a lab's files, to read and modify them."""

from __future__ import annotations

import shutil
from pathlib import Path

from weir.errors import FileError
from weir.labs.base import Lab
from weir.labs.output import system_errors


def copy_lab(lab: Lab, into: str | Path) -> list[Path]:
    """Copies the lab's files into a new or empty folder.

    Returns:
        The copies.

    Raises:
        FileError: the folder is not empty, or cannot be written.
    """
    folder = Path(into)
    with system_errors(folder, "cannot be written"):
        if folder.exists() and not folder.is_dir():
            raise FileError("is a file, expected a folder", file=folder)
        if folder.is_dir() and any(folder.iterdir()):
            raise FileError(
                "is not empty, and its files will not be overwritten: name a new folder", file=folder
            )
        folder.mkdir(parents=True, exist_ok=True)
        return [Path(shutil.copyfile(lab.folder / name, folder / name)) for name in lab.files]
