"""Manages the folder of a lab's results, and the settings on which its runs depend.

If a lab runs again with the same settings, complete experiments are kept. Results of other settings
are refused; only ``--fresh`` removes them. Other files in the folder are never removed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
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
from weir.text.suggest import listing

SETTINGS: Final = "lab.json"
"""The file that marks a folder of results. It contains the lab's name and the settings on which the
runs depend."""

_SOURCES: Final = (".p4", ".py", ".json", ".c")
"""The suffixes of the files of a lab that its results depend on."""

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
        "changed": instance_of(str, list, dict, bool, type(None)),
    },
)


def digest(folder: Path) -> str:
    """Computes a digest of all files of a lab that its results depend on."""
    hasher = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.suffix in _SOURCES and "__pycache__" not in path.parts:
            hasher.update(path.relative_to(folder).as_posix().encode() + b"\0")
            hasher.update(hashlib.sha256(path.read_bytes()).digest())
    return hasher.hexdigest()[:16]


def changed_files(own: Path, installed: Path) -> list[str]:
    """Lists the files of a copied lab that its results depend on and that differ from those of the
    installed lab, or that only one of both has.

    Changes of the report's code do not count, because this code computes no value that is compared
    with a publication.
    """
    installed_hashes, own_hashes = _file_hashes(installed), _file_hashes(own)
    names = sorted(installed_hashes.keys() | own_hashes.keys())
    return [
        name
        for name in names
        if installed_hashes.get(name) != own_hashes.get(name) and not name.startswith("report/")
    ]


def _file_hashes(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.suffix in _SOURCES and "__pycache__" not in path.parts
    }


def open_results(
    out: Path, lab: str, settings: Mapping[str, Any], fresh: bool, only: Iterable[str] = ()
) -> None:
    """Prepares a folder for the results of a lab.

    Args:
        out: the folder, which may be new or empty, or contain results of the same lab.
        lab: the lab's name.
        settings: the settings that the results depend on.
        fresh: whether to remove earlier results.
        only: the experiments that will run; none for all. With ``fresh``, the results of other
            experiments stay.

    Raises:
        FileError: the path is a file, or the folder contains something else, contains results of
            other settings, or cannot be written.
    """
    new_settings = {"lab": lab, "version": weir.__version__, **settings}
    with system_errors(out, "cannot be written"):
        if out.exists() and not out.is_dir():
            raise FileError("is a file, expected a folder for the results", file=out)
        if out.is_dir() and any(out.iterdir()):
            earlier = _read(out)
            if earlier.get("lab") != lab:
                contents = f'the results of the lab "{earlier["lab"]}"' if "lab" in earlier else "other files"
                raise FileError(f"contains {contents}: name another folder", file=out)
            changes = _changes(earlier, new_settings)
            remaining = [] if not only else [name for name in _experiments(out) if name not in set(only)]
            if changes and not fresh:
                raise FileError(
                    f"contains earlier results, and {changes[0]}: name another folder with --out, or remove "
                    "them with --fresh",
                    file=out,
                )
            if changes and remaining:
                raise FileError(
                    f"contains earlier results of {listing(remaining)}, and {changes[0]}: name another folder with "
                    "--out, or leave out --only, so that --fresh removes them",
                    file=out,
                )
            if fresh:
                _clear(out, remaining)
        out.mkdir(parents=True, exist_ok=True)
        write_whole_json(out / SETTINGS, sealed(_KIND, new_settings), indent=2)


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
    if not (out / SETTINGS).is_file():
        return {}
    try:
        return read_sealed(out / SETTINGS, _KIND)
    except FileError as error:
        raise FileError(
            f"{error.message}: name another folder with --out, or remove this one", file=error.file
        ) from None


def _changes(earlier: Mapping[str, Any], wanted: Mapping[str, Any]) -> list[str]:
    """Describes the settings of earlier results that differ from the wanted ones."""
    changes = []
    for name in dict.fromkeys([*earlier, *wanted]):
        before, now = earlier.get(name), wanted.get(name)
        if before == now or name == "changed":
            continue
        match name:
            case "version":
                changes.append(f"Weir {before} made them")
            case "files":
                changes.append("the lab's files have changed")
            case "quick":
                changes.append(
                    f"they have {'small sizes (--quick)' if before else 'full sizes (no --quick)'}"
                )
            case "values":
                words = " ".join(f"--set {key}={','.join(texts)}" for key, texts in (before or {}).items())
                changes.append(f"they have {words or 'no values of --set'}")
            case "seed":
                changes.append(f"they have the master seed {before}")
            case "seeds":
                changes.append(f"they have {before or 'the declared number of'} seeds")
            case "world":
                changes.append(f"they are of the {before or 'virtual'} world")
            case "computer":
                changes.append(
                    "they have another computer (--computer)" if before else "they have no --computer"
                )
            case _:
                changes.append("they have other settings")
    return changes


def _experiments(out: Path) -> list[str]:
    """Lists the experiments with results in a folder."""
    return sorted(declaration.parent.name for declaration in out.glob(f"*/{DECLARATION}"))


def _clear(out: Path, kept: Iterable[str]) -> None:
    """Removes the files that an earlier run wrote, except those of experiments to keep."""
    for declaration in out.glob(f"*/{DECLARATION}"):
        if declaration.parent.name in kept or is_link(declaration.parent):
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
