"""Puts the stand-ins into a folder, under the names of the programs whose place they take."""

from __future__ import annotations

import sys
import sysconfig
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import weir
from weir.errors import FileError

SHIMS: Final[Mapping[str, tuple[str, str]]] = {
    "p4c": ("weir.dropin.p4c", "p4c"),
    "p4c-bm2-ss": ("weir.dropin.p4c", "bm2_ss"),
    "simple_switch": ("weir.dropin.simple_switch", "simple_switch"),
    "simple_switch_CLI": ("weir.dropin.simple_switch", "simple_switch_cli"),
    "simple_switch_grpc": ("weir.dropin.simple_switch", "simple_switch_grpc"),
}
"""By the name of each stand-in: the module and the function that it calls."""

_MARK: Final = "# Made by `weir shims install`; `weir shims uninstall` removes it."


def install(folder: str | Path) -> list[Path]:
    """Writes the stand-ins into a folder, which is made if it is not there.

    Those that are there already are written again. If one of the names belongs to another file,
    nothing is written.

    Returns:
        The files.

    Raises:
        FileError: a file of that name is not Weir's, or the folder cannot be written.
    """
    place = Path(folder)
    paths = {place / name: called for name, called in SHIMS.items()}
    try:
        place.mkdir(parents=True, exist_ok=True)
        foreign = [path for path in paths if path.is_symlink() or (path.exists() and not _is_ours(path))]
        if foreign:
            raise FileError("is not Weir's and stays; choose another folder", file=foreign[0])
        for path, (module, function) in paths.items():
            new = path.with_name(f".{path.name}.new")
            new.write_text(_text(module, function), encoding="utf-8")
            new.chmod(0o755)
            new.replace(path)
    except OSError as error:
        raise FileError(f"cannot be written: {error.strerror}", file=error.filename or place) from None
    return list(paths)


def uninstall(folder: str | Path) -> list[Path]:
    """Removes the stand-ins from a folder. Other files stay.

    Returns:
        The removed files.

    Raises:
        FileError: a file cannot be removed.
    """
    removed = []
    try:
        for name in SHIMS:
            path = Path(folder) / name
            if path.is_file() and not path.is_symlink() and _is_ours(path):
                path.unlink()
                removed.append(path)
    except OSError as error:
        raise FileError(f"cannot be removed: {error.strerror}", file=error.filename or folder) from None
    return removed


def _is_ours(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            return _MARK.encode() in file.read(4096)
    except OSError:
        return False


def _text(module: str, function: str) -> str:
    package = str(Path(weir.__file__).resolve().parent.parent)
    installed = {str(Path(path).resolve()) for path in sysconfig.get_paths().values()}
    path = "" if package in installed else f"sys.path.insert(0, {package!r})\n"
    return f"#!{sys.executable}\n{_MARK}\nimport sys\n\n{path}from {module} import {function}\n\nsys.exit({function}())\n"
