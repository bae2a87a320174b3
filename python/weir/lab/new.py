"""Creates folders with new experiments from templates, or with copies of labs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from weir.errors import CommandError
from weir.files import copy_files, copy_folder
from weir.lab.known import lab_folder
from weir.text.suggest import listing, nearest

_PACKAGE: Final = Path(__file__).resolve().parent.parent
_TEMPLATES: Final = Path(__file__).resolve().parent / "templates"

TEMPLATES: Final[Mapping[str, tuple[str, ...]]] = {
    "hello": (),
    "experiment": (),
    "p4": ("programs/router.p4",),
    "controller": tuple(
        f"examples/learning/{name}" for name in ("learning.p4", "topology.json", "s1-runtime.json")
    ),
}
"""The files of the package that a template needs in addition to its own files, by the template's
name."""


def new_lab(template: str, into: str | Path) -> list[Path]:
    """Writes the files of a template into a new or empty folder.

    Returns:
        The paths of the files.

    Raises:
        CommandError: there is no such template.
        FileError: the folder is not empty, or cannot be written.
    """
    if template not in TEMPLATES:
        suggestion = nearest(template, TEMPLATES)
        alternatives = "" if suggestion else f" (there are: {listing(list(TEMPLATES))})"
        raise CommandError(f'there is no template "{template}"{alternatives}', suggestion=suggestion)
    template_files = [path for path in sorted((_TEMPLATES / template).iterdir()) if path.is_file()]
    return copy_files([*template_files, *(_PACKAGE / name for name in TEMPLATES[template])], into)


def copy_lab(name: str, into: str | Path) -> list[Path]:
    """Copies a lab into a new or empty folder, where ``weir lab run FOLDER`` runs it.

    Args:
        name: the lab, as in :func:`load_lab`.
        into: the folder.

    Returns:
        The paths of the copies.

    Raises:
        CommandError: there is no such lab.
        FileError: the folder is not empty, or cannot be written.
    """
    return copy_folder(lab_folder(name), into, (".p4", ".py", ".json", ".md", ".csv", ".lua", ".c"))
