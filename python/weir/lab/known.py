"""Finds labs in installed packages by name, and other labs by their folder."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import shlex
import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

from weir.errors import CommandError, WeirError
from weir.errors.extras import lab_extra
from weir.files.modules import module_spec
from weir.hints.usercode import experiment_files, user_code
from weir.lab.installed import MISSING, InstalledLab, offers
from weir.text.suggest import listing, nearest

if TYPE_CHECKING:
    from weir.lab.lab import Lab


def lab_folders() -> Mapping[str, Path]:
    """Returns the folders of the labs in installed packages, by the lab's name.

    Labs that cannot be found are left out; :func:`load_lab` reports the reason.
    """
    return {name: lab.folder for name, lab in offers().labs.items()}


def lab_title(folder: Path) -> str:
    """Reads the title of a lab, the first paragraph of its docstring, without loading the lab.

    Raises:
        WeirError: the lab's ``__init__.py`` cannot be read, or is not Python.
    """
    start = folder / "__init__.py"
    with user_code(start, WeirError, "the lab has no title"):
        text = ast.get_docstring(ast.parse(start.read_text(encoding="utf-8"), str(start))) or ""
    return " ".join(text.partition("\n\n")[0].split()).rstrip(".")


def lab_folder(name: str) -> Path:
    """Finds the folder of a lab.

    Args:
        name: the name of an installed lab, or the folder of another lab.

    Raises:
        CommandError: there is no such lab.
    """
    lab = _find(name)
    return lab.folder if isinstance(lab, InstalledLab) else lab


def load_lab(name: str) -> Lab:
    """Loads a lab.

    Args:
        name: the lab, as in :func:`lab_folder`.

    Raises:
        CommandError: there is no such lab.
        WeirError: the lab's code cannot be loaded.
        MissingExtraError: a library for labs is not installed.
    """
    module = lab_module(name, "lab")
    with lab_extra("labs"):
        from weir.lab.lab import Lab
    lab = getattr(module, "LAB", None)
    if not isinstance(lab, Lab):
        raise WeirError(f"{module.__file__} declares no lab: expected LAB = Lab(…)")
    if name in lab_folders() and lab.name != name:
        raise WeirError(
            f'is installed as the lab "{name}", but its name is "{lab.name}"', file=module.__file__
        )
    return lab


def lab_module(name: str, module: str) -> ModuleType:
    """Loads a module of a lab.

    Args:
        name: the lab, as in :func:`lab_folder`.
        module: the module's name, such as ``lab``.

    Raises:
        CommandError: there is no such lab.
        WeirError: the lab's code cannot be loaded.
        MissingExtraError: a library for labs is not installed.
    """
    lab = _find(name)
    if isinstance(lab, Path):
        return _load_folder(lab, module)
    message = f'the lab "{name}" of {lab.distribution} cannot be loaded'
    with user_code(lab.folder, WeirError, message), lab_extra("labs"):
        return importlib.import_module(f"{lab.package}.{module}")


def _find(name: str) -> InstalledLab | Path:
    """Finds an installed lab, or the folder of another lab."""
    offered = offers()
    if name in offered.labs:
        return offered.labs[name]
    if name in offered.unusable:
        raise CommandError(offered.unusable[name])
    folder = Path(name)
    if (folder / "lab.py").is_file():
        return folder.resolve()
    suggestion = nearest(name, offered.labs)
    if folder.is_dir():
        command = next(
            (f"weir experiment run {shlex.quote(str(file))}" for file in experiment_files(folder)), None
        )
        raise CommandError(f'the folder "{name}" is not a lab: it has no lab.py', suggestion=command)
    if folder.suffix == ".py" and folder.is_file():
        is_lab_folder = (folder.parent / "lab.py").is_file()
        command = (
            f"weir lab run {shlex.quote(str(folder.parent))}"
            if is_lab_folder
            else f"weir experiment run {shlex.quote(name)}"
        )
        raise CommandError(f"{name} is a file, not a lab", suggestion=command)
    if not offered.has_weir_labs:
        raise CommandError(f'there is no lab "{name}": {MISSING}')
    have = (
        ""
        if suggestion
        else f" (there are: {listing(offered.labs)}; a folder with a lab.py is also possible)"
    )
    raise CommandError(f'there is no lab "{name}"{have}', suggestion=suggestion)


def _load_folder(folder: Path, name: str) -> ModuleType:
    """Loads a lab's folder as a package, and returns one of its modules."""
    package = f"weir_lab_{folder.name.replace('-', '_')}"
    for one in [one for one in sys.modules if one.partition(".")[0] == package]:
        del sys.modules[one]
    start = folder / "__init__.py"
    if not start.is_file():
        raise WeirError(f"the lab {folder} has no __init__.py, whose first line is its title")
    spec = module_spec(package, start, [str(folder)])
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[package] = module
    with user_code(folder, WeirError, "the lab cannot be loaded"), lab_extra("labs"):
        spec.loader.exec_module(module)
        return importlib.import_module(f"{package}.{name}")
