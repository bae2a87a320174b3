"""Copies labs, to read and modify them."""

from __future__ import annotations

from pathlib import Path

from weir.files import copy_folder
from weir.lab.known import lab_folder


def copy_lab(name: str, into: str | Path) -> list[Path]:
    """Copies a lab into a new or empty folder, where ``weir lab run FOLDER`` runs it.

    Args:
        name: the lab, as in :func:`load_lab`.
        into: the folder.

    Returns:
        The copies.

    Raises:
        CommandError: there is no such lab.
        FileError: the folder is not empty, or cannot be written.
    """
    return copy_folder(lab_folder(name), into, (".p4", ".py", ".json", ".md", ".csv", ".lua", ".c"))
