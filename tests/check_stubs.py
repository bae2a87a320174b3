"""Compares the stubs of ``weir._core``, which are in several files, with the compiled module.

``python tests/check_stubs.py`` exits with 1 if they differ. stubtest checks names in the file that
defines them, so this script makes a module for each file, with the core's classes of these names.
The stubs of classes of values are data classes, whose constructor stubtest expects in ``__init__``:
the script compares their fields with the core's constructors.
"""

import ast
import inspect
import sys
import tempfile
from pathlib import Path
from types import ModuleType

from mypy import stubtest

from weir import _core

ROOT = Path(__file__).parent.parent


def fields(stub: ast.ClassDef) -> list[tuple[str, bool]]:
    """The fields of a data class, and whether each has a default."""
    attributes = [node for node in stub.body if isinstance(node, ast.AnnAssign)]
    return [(ast.unparse(node.target), node.value is not None) for node in attributes]


def parameters(value: type) -> list[tuple[str, bool]]:
    """The parameters of a constructor, and whether each has a default."""
    params = inspect.signature(value).parameters.values()
    return [(one.name, one.default is not one.empty) for one in params]


def main() -> int:
    parts = sorted((ROOT / "python/weir").glob("_core_*.pyi"))
    wrong, constructors = False, []
    for path in parts:
        part = ModuleType(f"weir.{path.stem}")
        body = ast.parse(path.read_text(encoding="utf-8")).body
        for stub in body:
            if not isinstance(stub, ast.ClassDef) or not hasattr(_core, stub.name):
                continue
            value = getattr(_core, stub.name)
            part.__dict__[stub.name] = value
            is_data = any(ast.unparse(one).startswith("dataclass") for one in stub.decorator_list)
            if is_data != hasattr(value, "__dataclass_fields__"):
                print(f"{stub.name}: only one of stub and class is a data class")
                wrong = True
            elif is_data:
                constructors.append(rf"weir\.{path.stem}\.{stub.name}\.__(init|new)__")
                if fields(stub) != parameters(value):
                    print(f"{stub.name}: the stub has {fields(stub)}, the class {parameters(value)}")
                    wrong = True
        sys.modules[part.__name__] = part
    with tempfile.NamedTemporaryFile("w", suffix=".allow") as allowed:
        # The other allowed names are aliases of types, which only the stubs have.
        aliases = (ROOT / "tests/stubs.allow").read_text(encoding="utf-8")
        allowed.write("\n".join([*constructors, r"weir\._core\.__all__", aliases]))
        allowed.flush()
        options = ["--mypy-config-file", str(ROOT / "pyproject.toml"), "--allowlist", allowed.name]
        # Protocols are not classes of the core; the stubs of the core's classes inherit from them.
        modules = ["weir._core", *(f"weir.{path.stem}" for path in parts if path.stem != "_core_contracts")]
        return stubtest.test_stubs(stubtest.parse_options([*modules, *options])) or int(wrong)


if __name__ == "__main__":
    sys.exit(main())
