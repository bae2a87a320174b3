import ast
from pathlib import Path

import pytest

import weir.labs

FOLDER = Path(weir.labs.__file__).parent
MODULES = sorted(FOLDER.rglob("*.py"))


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.relative_to(FOLDER).as_posix())
def test_labs_use_only_the_public_api(module: Path) -> None:
    names: list[str] = []
    for node in ast.walk(ast.parse(module.read_text())):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names += [f"{node.module}.{alias.name}" for alias in node.names]
    private = [
        name
        for name in names
        if any(part.startswith("_") and part != "__future__" for part in name.split("."))
    ]
    assert private == []
