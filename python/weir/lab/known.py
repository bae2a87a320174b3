"""Finds labs: those that come with Weir by name, others by their folder."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Final

from weir.errors import CommandError, WeirError
from weir.errors.extras import lab_extra
from weir.hints.usercode import experiment_files, user_code
from weir.text.suggest import listing, nearest

if TYPE_CHECKING:
    from weir.lab.lab import Lab

_PACKAGE: Final = Path(__file__).resolve().parents[1] / "labs"


def lab_folders() -> Mapping[str, Path]:
    """The folders of the labs that come with Weir, by name: all that have a ``lab.py``."""
    return {path.parent.name.replace("_", "-"): path.parent for path in sorted(_PACKAGE.glob("*/lab.py"))}


def lab_title(folder: Path) -> str:
    """The first line of a lab's docstring, without loading it."""
    text = ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))) or ""
    return text.partition("\n")[0].rstrip(".")


def lab_folder(name: str) -> Path:
    """The folder of a lab.

    Args:
        name: the name of one of Weir's labs, or the folder of your own.

    Raises:
        CommandError: there is none.
    """
    known = lab_folders()
    if name in known:
        return known[name]
    folder = Path(name)
    if (folder / "lab.py").is_file():
        return folder.resolve()
    suggestion = nearest(name, known)
    if folder.is_dir():
        command = next((f"weir experiment run {file}" for file in experiment_files(folder)), None)
        raise CommandError(f'the folder "{name}" is not a lab: it has no lab.py', suggestion=command)
    if folder.suffix == ".py" and folder.is_file():
        own = (folder.parent / "lab.py").is_file()
        command = f"weir lab run {folder.parent}" if own else f"weir experiment run {name}"
        raise CommandError(f"{name} is a file, not a lab", suggestion=command)
    have = "" if suggestion else f" (there are: {listing(known)}; a folder with a lab.py is one, too)"
    raise CommandError(f'there is no lab "{name}"{have}', suggestion=suggestion)


def load_lab(name: str) -> Lab:
    """Loads a lab.

    Args:
        name: the lab, as in :func:`lab_folder`.

    Raises:
        CommandError: there is none.
        WeirError: its code cannot be loaded.
        MissingExtraError: a library for labs is not installed.
    """
    folder = lab_folder(name)
    with lab_extra("labs"):
        own = folder.parent == _PACKAGE
        module = importlib.import_module(f"weir.labs.{folder.name}.lab") if own else _load_folder(folder)
    lab: Lab | None = getattr(module, "LAB", None)
    if lab is None:
        raise WeirError(f"{folder / 'lab.py'} declares no lab: expected LAB = Lab(…)")
    return lab


def _load_folder(folder: Path) -> ModuleType:
    """Loads a lab's folder as a package."""
    package = f"weir_lab_{folder.name.replace('-', '_')}"
    for name in [name for name in sys.modules if name.partition(".")[0] == package]:
        del sys.modules[name]
    start = folder / "__init__.py"
    if not start.is_file():
        raise WeirError(f"the lab {folder} has no __init__.py, whose first line is its title")
    spec = importlib.util.spec_from_file_location(package, start, submodule_search_locations=[str(folder)])
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[package] = module
    with user_code(folder, WeirError, "the lab cannot be loaded"):
        spec.loader.exec_module(module)
        return importlib.import_module(f"{package}.lab")
