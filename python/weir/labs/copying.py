"""``weir lab new``: copies a lab's files, to read and modify them."""

from __future__ import annotations

from pathlib import Path

from weir.files import copy_files
from weir.labs.base import Lab


def copy_lab(lab: Lab, into: str | Path) -> list[Path]:
    """Copies the lab's files into a new or empty folder.

    Returns:
        The copies.

    Raises:
        FileError: the folder is not empty, or cannot be written.
    """
    return copy_files((lab.folder / name for name in lab.files), into)
