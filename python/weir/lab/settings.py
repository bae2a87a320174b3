"""Manages the folder of a lab's results, and the settings on which its runs depend.

If a lab runs again with the same settings, complete experiments are kept. If the lab's files or the
settings have changed, they are removed. Other files in the folder are never removed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import weir
from weir.errors import FileError
from weir.experiments.store import DECLARATION, Store
from weir.files import system_errors
from weir.files.opening import is_link
from weir.files.schema import instance_of, list_of, mapping_of
from weir.files.sealed import Kind, read_sealed, sealed
from weir.files.whole_file import write_whole_json

SETTINGS: Final = "lab.json"
"""The file that marks a folder of results. It contains the lab's name and the settings on which the
runs depend."""

_KIND: Final = Kind(
    "results of a lab",
    2,
    unsealed=("lab", "version", "files"),
    members={"lab": instance_of(str), "version": instance_of(str)},
    optional={
        "files": instance_of(str),
        "quick": instance_of(bool),
        "values": mapping_of(list_of(instance_of(str, int, float, bool))),
        "seed": instance_of(int),
        "seeds": instance_of(int, type(None)),
        "world": instance_of(str),
        "computer": instance_of(dict),
    },
)


def digest(folder: Path) -> str:
    """Computes a digest of all files of a lab that its results depend on."""
    found = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.suffix in (".p4", ".py", ".json", ".c") and "__pycache__" not in path.parts:
            found.update(path.relative_to(folder).as_posix().encode() + b"\0")
            found.update(hashlib.sha256(path.read_bytes()).digest())
    return found.hexdigest()[:16]


def open_results(out: Path, lab: str, settings: Mapping[str, Any], fresh: bool) -> None:
    """Prepares a folder for the results of a lab.

    Args:
        out: the folder, which may be new or empty, or contain results of the same lab.
        lab: the lab's name.
        settings: the settings that the results depend on.
        fresh: whether to remove earlier results in any case.

    Raises:
        FileError: the path is a file, or the folder contains something else or cannot be written.
    """
    wanted = {"lab": lab, "version": weir.__version__, **settings}
    with system_errors(out, "cannot be written"):
        if out.exists() and not out.is_dir():
            raise FileError("is a file, expected a folder for the results", file=out)
        if out.is_dir() and any(out.iterdir()):
            earlier = _read(out)
            if earlier.get("lab") != lab:
                what = f'the results of the lab "{earlier["lab"]}"' if "lab" in earlier else "other files"
                raise FileError(f"contains {what}: name another folder", file=out)
            if fresh or earlier != wanted:
                _clear(out)
        out.mkdir(parents=True, exist_ok=True)
        write_whole_json(out / SETTINGS, sealed(_KIND, wanted), indent=2)


def complete(folder: Path) -> bool:
    """Returns whether an experiment's folder has a complete and undamaged result.

    Raises:
        ExperimentError: a file of a complete result is missing or damaged.
    """
    store = Store(folder)
    if not store.is_complete:
        return False
    store.check()
    return True


def _read(out: Path) -> dict[str, Any]:
    return read_sealed(out / SETTINGS, _KIND) if (out / SETTINGS).is_file() else {}


def _clear(out: Path) -> None:
    """Removes the files that an earlier run wrote."""
    for declaration in out.glob(f"*/{DECLARATION}"):
        if is_link(declaration.parent):
            continue
        Store(declaration.parent).clear()
        declaration.unlink()
        folder = declaration.parent
        for emptied in (folder / "runs", folder / "frames", folder):
            if emptied.is_dir() and not any(emptied.iterdir()):
                emptied.rmdir()
    plots = () if is_link(out / "plots") else ("plots/*.png", "plots/*.svg")
    for pattern in (*plots, "report.html", "published.csv"):
        for file in out.glob(pattern):
            file.unlink()
