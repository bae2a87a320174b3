"""Installs the stand-ins in a folder, under the names of the programs that they replace."""

from __future__ import annotations

import sys
import sysconfig
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import weir
from weir.errors import FileError

SHIMS: Final[Mapping[str, tuple[str, str]]] = {
    "bf-p4c": ("weir.dropin.tofino", "bf_p4c"),
    "bf_switchd": ("weir.dropin.tofino", "bf_switchd"),
    "p4_build.sh": ("weir.dropin.tofino", "p4_build"),
    "p4c": ("weir.dropin.p4c", "p4c"),
    "p4c-bm2-ss": ("weir.dropin.p4c", "bm2_ss"),
    "run_bfshell.sh": ("weir.dropin.tofino", "run_bfshell"),
    "run_switchd.sh": ("weir.dropin.tofino", "run_switchd"),
    "run_tofino_model.sh": ("weir.dropin.tofino", "run_tofino_model"),
    "simple_switch": ("weir.dropin.simple_switch", "simple_switch"),
    "simple_switch_CLI": ("weir.dropin.simple_switch", "simple_switch_cli"),
    "simple_switch_grpc": ("weir.dropin.simple_switch", "simple_switch_grpc"),
    "tofino-model": ("weir.dropin.tofino", "tofino_model"),
}
"""The module and the function that each stand-in calls, by the stand-in's name."""

MODULES: Final = "python"
"""The subfolder for a module that the p4lang tutorials' controllers import."""

_FOLDERS: Final = (f"{MODULES}/p4/tmp", f"{MODULES}/p4", MODULES)

_MARK: Final = "# Made by `weir shims install`; `weir shims uninstall` removes it."

# The package `p4` of PyPI's p4runtime has no `p4.tmp`. This package is earlier in the path and
# finds the modules of both.
_PACKAGE: Final = f"""{_MARK}
import pkgutil

__path__ = pkgutil.extend_path(__path__, __name__)
"""


def install(folder: str | Path) -> list[Path]:
    """Writes the stand-ins into a folder, and creates the folder if it does not exist.

    Existing stand-ins are overwritten. If another file has one of the names, nothing is written.

    Returns:
        The paths of the stand-ins.

    Raises:
        FileError: another file has one of the names, or the folder cannot be written.
    """
    files = _files(Path(folder))
    try:
        foreign = [path for path in files if path.is_symlink() or (path.exists() and not _is_ours(path))]
        if foreign:
            raise FileError(
                "is not a stand-in of Weir and was not replaced; choose another folder", file=foreign[0]
            )
        for path, (text, mode) in files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            new = path.with_name(f".{path.name}.new")
            new.write_text(text, encoding="utf-8")
            new.chmod(mode)
            new.replace(path)
    except OSError as error:
        raise FileError(f"cannot be written: {error.strerror}", file=error.filename or folder) from None
    return list(files)


def uninstall(folder: str | Path) -> list[Path]:
    """Removes the stand-ins from a folder and keeps its other files.

    Returns:
        The paths of the removed files.

    Raises:
        FileError: a file cannot be removed.
    """
    removed = []
    try:
        for path in _files(Path(folder)):
            if path.is_file() and not path.is_symlink() and _is_ours(path):
                path.unlink()
                removed.append(path)
                # Also remove Python's compiled modules, and folders that are now empty.
                for compiled in (path.parent / "__pycache__").glob(f"{path.stem}.*.pyc"):
                    compiled.unlink()
        for place in _FOLDERS if removed else ():
            for empty in (Path(folder) / place / "__pycache__", Path(folder) / place):
                if empty.is_dir() and not empty.is_symlink() and not any(empty.iterdir()):
                    empty.rmdir()
    except OSError as error:
        raise FileError(f"cannot be removed: {error.strerror}", file=error.filename or folder) from None
    return removed


def _files(folder: Path) -> dict[Path, tuple[str, int]]:
    """Creates the files of the stand-ins: the content and the file mode of each, by path."""
    files = {folder / name: (_text(*called), 0o755) for name, called in SHIMS.items()}
    module = Path(__file__).with_name("p4config.py").read_text(encoding="utf-8")
    files[folder / MODULES / "p4" / "__init__.py"] = (_PACKAGE, 0o644)
    files[folder / MODULES / "p4" / "tmp" / "__init__.py"] = (_PACKAGE, 0o644)
    files[folder / MODULES / "p4" / "tmp" / "p4config_pb2.py"] = (f"{_MARK}\n{module}", 0o644)
    return files


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
