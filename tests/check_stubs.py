"""Compares the stubs of ``weir._core``, which are in several files, with the compiled module.

``python tests/check_stubs.py`` exits with 1 if they differ. stubtest checks names in the file that
defines them, so each file gets a module at run time with the core's classes of these names.
"""

import ast
import sys
from pathlib import Path
from types import ModuleType

from mypy import stubtest

from weir import _core

ROOT = Path(__file__).parent.parent


def main() -> int:
    parts = sorted((ROOT / "python/weir").glob("_core_*.pyi"))
    for path in parts:
        part = ModuleType(f"weir.{path.stem}")
        declared = [
            node.name
            for node in ast.parse(path.read_text(encoding="utf-8")).body
            if isinstance(node, ast.ClassDef)
        ]
        part.__dict__.update({name: getattr(_core, name) for name in declared if hasattr(_core, name)})
        sys.modules[part.__name__] = part
    # The allowed names are aliases of types, which only the stubs have.
    options = [
        "--mypy-config-file",
        str(ROOT / "pyproject.toml"),
        "--allowlist",
        str(ROOT / "tests/stubs.allow"),
    ]
    # Protocols are not classes of the core; the stubs of its classes inherit what they say.
    modules = ["weir._core", *(f"weir.{path.stem}" for path in parts if path.stem != "_core_contracts")]
    return stubtest.test_stubs(stubtest.parse_options([*modules, *options]))


if __name__ == "__main__":
    sys.exit(main())
