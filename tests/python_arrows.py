"""Which file of a Python package imports which, read from its source.

``python tests/module_arrows.py python`` prints the files of ``python/weir`` that import one
another in a circle. Imports count wherever they stand: at the top of a module, in a function, or
under ``TYPE_CHECKING`` for annotations only.
"""

from __future__ import annotations

import ast
from pathlib import Path

Module = tuple[str, ...]
"""A module's path from the package's root; ``()`` is the root."""


class Package:
    """The modules of a Python package."""

    def __init__(self, folder: Path) -> None:
        self.name = folder.name
        self.trees: dict[Module, ast.Module] = {}
        self.packages: set[Module] = set()
        for path in sorted({*folder.rglob("*.py"), *folder.rglob("*.pyi")}):
            module = path.relative_to(folder).with_suffix("").parts
            if module[-1] == "__init__":
                module = module[:-1]
                self.packages.add(module)
            self.trees[module] = ast.parse(path.read_text(encoding="utf-8"))
        self.texts = self.trees  # The name that a crate has for its modules.
        self.reexports = {
            module: {
                alias.asname or alias.name: (base, alias.name)
                for node in ast.walk(self.trees[module])
                if isinstance(node, ast.ImportFrom) and (base := self._base(module, node)) is not None
                for alias in node.names
            }
            for module in self.packages
        }

    def arrows(self) -> dict[tuple[Module, Module], Module]:
        """From file to file, each with the file that has the arrow."""
        return {
            (module, target): module
            for module in self.trees
            for target in self.imports(module)
            if target != module
        }

    def imports(self, module: Module) -> set[Module]:
        """The modules whose names a module imports: where the names are defined, not re-exported.

        What a package's ``__init__`` exports again is used by whoever takes it from there.
        """
        exported = self._exported(module) if module in self.packages else set()
        found: set[Module] = set()
        whole: set[str] = set()
        for node in ast.walk(self.trees[module]):
            if isinstance(node, ast.ImportFrom):
                base = self._base(module, node)
                if base is None:
                    continue
                for alias in node.names:
                    if (alias.asname or alias.name) not in exported:
                        found.add(self.defining(base, alias.name))
            elif isinstance(node, ast.Import):
                for alias in node.names:
                    parts = tuple(alias.name.split("."))
                    if parts == (self.name,):
                        whole.add(alias.asname or self.name)
                    elif parts[0] == self.name and parts[1:] in self.trees:
                        found.add(parts[1:])
            elif isinstance(node, ast.Constant) and isinstance(node.value, str) and not exported:
                # Names of modules that are imported at their first use.
                parts = tuple(node.value.partition(":")[0].split("."))
                if parts[0] == self.name and len(parts) > 1 and parts[1:] in self.trees:
                    found.add(parts[1:])
        for node in ast.walk(self.trees[module]):
            if (
                isinstance(node, ast.Attribute)
                and isinstance(node.value, ast.Name)
                and node.value.id in whole
            ):
                found.add(self.defining((), node.attr))
        return found

    def defining(self, base: Module, name: str) -> Module:
        """The module that defines what is imported from a module by a name."""
        for _ in range(8):
            if (*base, name) in self.trees:
                return (*base, name)
            further = self.reexports.get(base, {}).get(name)
            if further is None:
                return base
            base, name = further
        return base

    def _base(self, module: Module, node: ast.ImportFrom) -> Module | None:
        """The module after ``from``; None if it is in another package."""
        named = tuple(node.module.split(".")) if node.module else ()
        if node.level:
            up = node.level - (module in self.packages)
            return (*module[: len(module) - up], *named)
        if named[:1] != (self.name,):
            return None
        return named[1:]

    def _exported(self, module: Module) -> set[str]:
        """The names in a module's ``__all__``, or that an import marks with ``as`` itself."""
        names: set[str] = set()
        for node in ast.walk(self.trees[module]):
            if isinstance(node, ast.Assign) and any(
                isinstance(target, ast.Name) and target.id == "__all__" for target in node.targets
            ):
                names |= {part.value for part in ast.walk(node.value) if isinstance(part, ast.Constant)}
        return names
