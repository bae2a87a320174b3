"""``weir lab new``: a lab's files as a folder of one's own, to read and change."""

from __future__ import annotations

import shutil
from pathlib import Path

from weir.errors import FileError
from weir.labs.base import Lab
from weir.labs.output import plainly


def copy_lab(lab: Lab, into: str | Path) -> list[Path]:
    """Copies the lab's files into a new or empty folder.

    Returns:
        The copies.

    Raises:
        FileError: the folder holds something already, or cannot be written.
    """
    folder = Path(into)
    with plainly(folder, "cannot be written"):
        if folder.exists() and not folder.is_dir():
            raise FileError("is a file, expected a folder", file=folder)
        if folder.is_dir() and any(folder.iterdir()):
            raise FileError(
                "is not empty, and nothing in it shall be overwritten: name a new folder", file=folder
            )
        folder.mkdir(parents=True, exist_ok=True)
        return [Path(shutil.copyfile(lab.folder / name, folder / name)) for name in lab.files]
