"""Labs use the public API only: the names on the pages of docs/reference/python."""

import ast
import importlib
import re
from collections.abc import Iterator
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import Any

import pytest

from weir.lab import copy_lab
from weir.lab.new import TEMPLATES, new_lab

ROOT = Path(__file__).parent.parent.parent
LABS = sorted(path.parent for path in ROOT.glob("labs/weir_labs/*/lab.py"))


@cache
def public_names() -> frozenset[str]:
    """The full names on the pages of the Python reference."""
    pages = (path.read_text(encoding="utf-8") for path in (ROOT / "docs/reference/python").glob("*.md"))
    # The functions of the core have no docstrings that a page could show: a table names them.
    matches = re.findall(r"^::: ([\w.]+)$|^\| `(weir\.units\.\w+)\(", "\n".join(pages), re.MULTILINE)
    return frozenset(name for names in matches for name in names if name)


def private_names(source: str, depth: int = 0) -> list[str]:
    """The names that a file of a lab uses that are neither public nor in the lab's folder.

    Args:
        source: the text of the file.
        depth: the number of the lab's folders that contain the file.
    """
    return [name for node in ast.walk(ast.parse(source)) for name in _used(node, depth) if not _allowed(name)]


def _used(node: ast.AST, depth: int) -> Iterator[str]:
    """The full names that a statement imports, or that an expression reads from ``weir``."""
    match node:
        case ast.Import():
            # An import of a module below weir loads the module whatever it exports.
            yield from (f"{one.name}.*" if one.name.startswith("weir.") else one.name for one in node.names)
        case ast.ImportFrom():
            above = "." * node.level if node.level > depth + 1 else ""
            module = f"{node.module}." if node.module is not None and (above or not node.level) else ""
            yield from (f"{above}{module}{one.name}" for one in node.names)
        case ast.Attribute() if re.fullmatch(r"weir(\.(?!__)\w+)+", name := ast.unparse(node)):
            # An attribute of something public is public.
            starts = accumulate(name.split("."), "{}.{}".format)
            yield next((one for one in starts if one in public_names()), name)
        case ast.Name(id=name) | ast.Attribute(attr=name) if name in ("import_module", "__import__"):
            yield name


def _allowed(name: str) -> bool:
    """Whether a lab may use this name.

    A name may also be imported from the public module that defines it, as weir.FileError from
    weir.errors.
    """
    public = public_names()
    modules = {one.rpartition(".")[0] for one in public}
    module, _, last = name.rpartition(".")
    if name.startswith((".", "weir_labs")) or last in ("*", "import_module"):
        return False
    if any(part.startswith("_") and part != "__future__" for part in name.split(".")):
        return False
    if name.partition(".")[0] != "weir" or name == "weir":
        return True
    return name in public or name in modules or (module in modules and f"weir.{last}" in public)


def private_in(folder: Path) -> dict[str, list[str]]:
    """The names that each file of a lab uses but must not use."""
    return {
        str(place): found
        for path in sorted(folder.rglob("*.py"))
        if (place := path.relative_to(folder))
        and (found := private_names(path.read_text(encoding="utf-8"), len(place.parts) - 1))
    }


@pytest.mark.parametrize("lab", LABS, ids=lambda path: path.name)
def test_a_lab_imports_only_what_the_reference_shows(lab: Path, tmp_path: Path):
    wrong = private_in(lab)
    assert not wrong, f"not on a page of docs/reference/python, or not in the lab's folder: {wrong}"
    # The copy that `weir lab copy` makes is the same, and complete.
    copied = {path.relative_to(tmp_path / "mine") for path in copy_lab(str(lab), tmp_path / "mine")}
    assert {path.relative_to(lab) for path in lab.rglob("*.py")} <= copied
    assert not private_in(tmp_path / "mine")


@pytest.mark.parametrize("template", TEMPLATES)
def test_a_new_lab_imports_only_what_the_reference_shows(template: str, tmp_path: Path):
    new_lab(template, tmp_path / "mine")
    assert not private_in(tmp_path / "mine")


def test_all_labs_are_checked():
    assert {"weir.report.Page", "weir.packets.internet_checksum", "weir.units.rate_bps"} <= public_names()
    assert sum(len([*lab.rglob("*.py")]) for lab in LABS) > 200
    # Everything in the package belongs to a lab.
    others = {path.name for path in (ROOT / "labs/weir_labs").iterdir()} - {lab.name for lab in LABS}
    assert others - {"__pycache__"} == {"__init__.py", "py.typed"}
    assert not private_names((ROOT / "labs/weir_labs/__init__.py").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    "source",
    [
        "from weir.text.suggest import nearest",
        "from weir.files import copy_files",
        "def late():\n    from weir.report.plot import Plot",
        "import weir.report",
        "from weir.report import _numbers",
        "from weir.linux.process import WirelessProcess",
        "from weir_labs.delay import chain",
        "import weir_labs",
        "from ..delay import chain",
        "from .. import delay",
        "import weir\nweir.network.world.WORLDS",
        "import weir\ndef join(flow: weir.TcpFlow): ...",
        "import importlib\nimportlib.import_module('weir.files')",
        "from importlib import import_module",
        "__import__('weir.files')",
        "from json import _default_decoder",
    ],
)
def test_a_private_import_of_a_lab_is_seen(source: str):
    assert private_names(source)


def test_public_imports_of_a_lab_are_allowed():
    source = "import weir\nfrom weir.errors import FileError\nfrom . import x\nfrom .x import y\nweir.Network.load.__doc__"
    assert not private_names(f"from __future__ import annotations\n{source}")
    assert not private_names("from ..chain import network", depth=1)
    assert private_names("from ...delay import network", depth=1)


def test_every_public_name_of_the_reference_exists():
    for name in public_names():
        parts = name.split(".")
        for length in range(len(parts) - 1, 0, -1):
            try:
                value: Any = importlib.import_module(".".join(parts[:length]))
            except ModuleNotFoundError:
                continue
            break
        for part in parts[length:]:
            value = getattr(value, part)
