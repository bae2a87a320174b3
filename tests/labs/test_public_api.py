"""Labs use the public API only: the names on the pages of docs/reference/python."""

import ast
import importlib
import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent.parent


def public_names() -> set[str]:
    """The full names on the pages of the Python reference."""
    pages = (path.read_text(encoding="utf-8") for path in (ROOT / "docs/reference/python").glob("*.md"))
    # The functions of the core have no docstrings that a page could show: a table names them.
    shown = re.findall(r"^::: ([\w.]+)$|^\| `(weir\.units\.\w+)\(", "\n".join(pages), re.MULTILINE)
    return {name for names in shown for name in names if name}


def private_imports(source: str, public: set[str]) -> list[str]:
    """What a lab imports of Weir that is on no page of the reference.

    A name may also be imported from the public module that defines it, as weir.FileError from
    weir.errors.
    """
    modules = {name.rpartition(".")[0] for name in public}
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found += [
                alias.name for alias in node.names if alias.name.partition(".")[0] == "weir" != alias.name
            ]
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module is not None:
            if node.module.partition(".")[0] != "weir":
                continue
            for alias in node.names:
                name = f"{node.module}.{alias.name}"
                at_top = node.module in modules and f"weir.{alias.name}" in public
                if name not in public and name not in modules and not at_top:
                    found.append(name)
    return found


LABS = [
    path
    for path in sorted((ROOT / "python/weir/labs").rglob("*.py"))
    if path != ROOT / "python/weir/labs/__init__.py"  # It exports what labs need.
]


def test_the_package_of_labs_uses_one_internal_interface():
    source = (ROOT / "python/weir/labs/__init__.py").read_text(encoding="utf-8")
    internal = private_imports(source, public_names())
    assert {name.rpartition(".")[0] for name in internal} == {"weir", "weir.lab"}
    assert "weir.lab" in internal and "weir.lab.run_lab" in internal


def test_labs_import_only_what_the_reference_shows():
    public = public_names()
    assert {"weir.report.Page", "weir.packets.internet_checksum", "weir.units.rate_bps"} <= public
    wrong = {
        str(path.relative_to(ROOT)): found
        for path in LABS
        if (found := private_imports(path.read_text(encoding="utf-8"), public))
    }
    assert len(LABS) > 200 and not wrong, f"not on a page of docs/reference/python: {wrong}"


@pytest.mark.parametrize(
    "source",
    [
        "from weir.text.suggest import nearest",
        "from weir.files import copy_files",
        "def late():\n    from weir.report.plot import Plot",
        "import weir.report",
        "from weir.report import _numbers",
        "from weir.linux.process import WirelessProcess",
    ],
)
def test_a_private_import_of_a_lab_is_seen(source: str):
    assert private_imports(source, public_names())
    assert not private_imports(
        "import weir\nfrom weir.errors import FileError\nfrom . import x", public_names()
    )


def test_every_public_name_of_the_reference_exists():
    for name in public_names():
        parts = name.split(".")
        for length in range(len(parts) - 1, 0, -1):
            try:
                found: Any = importlib.import_module(".".join(parts[:length]))
            except ModuleNotFoundError:
                continue
            break
        for part in parts[length:]:
            found = getattr(found, part)
