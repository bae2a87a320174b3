"""The output folder: it contains one complete result or none.

A run writes into a work folder next to the output folder, which gets the final name at the end. An
existing output folder stays until then, and is replaced only if it contains nothing but a result of
the same lab.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from weir.errors import FileError, WeirError
from weir.files import system_errors

MARKER: Final = "weir-run.json"
"""The file that identifies a result folder: it names the lab and the files that the run wrote."""


@contextmanager
def result_folder(out: Path, lab: str) -> Iterator[Path]:
    """Creates a work folder that becomes ``out`` if the block succeeds, and is removed if not.

    Args:
        out: the folder of the result.
        lab: the lab's name.

    Raises:
        FileError: ``out`` is a file, contains something else than a result of this lab, or cannot
            be written.
    """
    shown, out = out, out.resolve()
    _check_replaceable(out, lab, shown)
    work = out.with_name(f".{out.name}.partial-{os.getpid()}")
    try:
        with system_errors(shown, "cannot be written"):
            # An existing folder of this name is from a killed run with the same process number.
            shutil.rmtree(work, ignore_errors=True)
            work.mkdir(parents=True)
            yield work
            _write_marker(work, lab)
            _check_replaceable(out, lab, shown)
            _put_in_place(work, out)
    except WeirError as error:
        if str(work) not in str(error):
            raise
        # The work folder is removed, and its name would mean nothing to the user.
        message = error.message.replace(str(work), str(shown))
        file = None if error.file is None else error.file.replace(str(work), str(shown))
        raise FileError(message, file=file, where=error.where, suggestion=error.suggestion) from None
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _check_replaceable(out: Path, lab: str, shown: Path) -> None:
    with system_errors(shown, "cannot be used"):
        if not out.exists():
            return
        if not out.is_dir():
            raise FileError("is a file, expected a folder for the results", file=shown)
        if Path.cwd().is_relative_to(out):
            raise FileError(
                "is or contains the current folder and cannot be replaced: name another", file=shown
            )
        here = _files(out)
        if not here:
            return
        owner, files = _read_marker(out)
        if owner is None:
            raise FileError("is not empty and contains no results of a lab: name another folder", file=shown)
        if owner != lab:
            raise FileError(f'contains the results of the lab "{owner}": name another folder', file=shown)
        foreign = sorted(set(here) - set(files) - {MARKER})
        if foreign:
            raise FileError(
                f"contains files that no run wrote, such as {foreign[0]}: move them or name another folder",
                file=shown,
            )


def _files(folder: Path) -> list[str]:
    """All files below the folder, and empty folders."""
    paths = (
        path
        for path in folder.rglob("*")
        if path.is_symlink() or not path.is_dir() or not any(path.iterdir())
    )
    return sorted(path.relative_to(folder).as_posix() for path in paths)


def _write_marker(work: Path, lab: str) -> None:
    text = json.dumps({"lab": lab, "files": _files(work)}, indent=2)
    (work / MARKER).write_text(text + "\n", encoding="utf-8")


def _read_marker(out: Path) -> tuple[str | None, list[str]]:
    try:
        marker = json.loads((out / MARKER).read_text(encoding="utf-8"))
        return str(marker["lab"]), [str(name) for name in marker["files"]]
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        return None, []


def _put_in_place(work: Path, out: Path) -> None:
    if not out.exists():
        work.rename(out)
        return
    old = out.with_name(f".{out.name}.old-{os.getpid()}")
    out.rename(old)
    try:
        work.rename(out)
    except BaseException:
        old.rename(out)
        raise
    shutil.rmtree(old, ignore_errors=True)
