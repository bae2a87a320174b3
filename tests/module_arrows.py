"""The imports between the modules of a crate, or of the Python package, read from source.

``python tests/module_arrows.py weir-sim`` prints the circles among sibling modules of a crate, if
there are any: by ``use`` declarations and paths. With ``python`` it prints the circles among files
of ``python/weir`` and ``labs/weir_labs``. All imports count: at the top of a file,
in a function, or under ``TYPE_CHECKING`` for annotations only.
"""

from __future__ import annotations

import ast
import re
import sys
from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent

Module = tuple[str, ...]
"""A module's path from the crate's root; ``()`` is the root."""


class Modules(ABC):
    """The modules of a crate or a package."""

    @abstractmethod
    def arrows(self) -> dict[tuple[Module, Module], Module]:
        """Arrows from module to module, each with a module whose file has the arrow."""

    def sibling_arrows(self) -> dict[Module, dict[Module, set[Module]]]:
        """The children of each module that use each other, directly or through their children."""
        siblings: dict[Module, dict[Module, set[Module]]] = defaultdict(lambda: defaultdict(set))
        for source, target in self.arrows():
            common = 0
            while common < min(len(source), len(target)) and source[common] == target[common]:
                common += 1
            # A parent and its children may use each other: they are one unit in several files.
            if common < len(source) and common < len(target):
                siblings[source[:common]][source[: common + 1]].add(target[: common + 1])
        return siblings

    def circles(self) -> list[list[Module]]:
        """Sibling modules that use one another in a circle."""
        return [circle for graph in self.sibling_arrows().values() for circle in _circles(graph)]

    def circles_of_files(self) -> list[list[Module]]:
        """Files that use one another in a circle."""
        graph: dict[Module, set[Module]] = defaultdict(set)
        for source, target in self.arrows():
            graph[source].add(target)
        return list(_circles(graph))


class Crate(Modules):
    """The modules of a crate, without its tests."""

    def __init__(self, source: Path) -> None:
        self.texts: dict[Module, str] = {}
        for path in sorted(source.rglob("*.rs")):
            module = _module(path.relative_to(source))
            if "tests" not in module:
                self.texts[module] = _without_tests(path.read_text(encoding="utf-8"))
        self.reexports = {module: dict(_reexports(text)) for module, text in self.texts.items()}

    def arrows(self) -> dict[tuple[Module, Module], Module]:
        """Arrows from module to module, each with a module whose file has the arrow."""
        arrows: dict[tuple[Module, Module], Module] = {}
        for module, text in self.texts.items():
            for path in _paths(text):
                target = self._resolve(module, path)
                if target is not None and target != module:
                    arrows.setdefault((module, target), module)
        return arrows

    def _resolve(self, module: Module, path: list[str]) -> Module | None:
        """The module that a path leads to, through re-exports; None if it is in another crate."""
        at: Module
        if path[0] == "crate":
            at, rest = (), path[1:]
        elif path[0] == "super":
            at, rest = module, path
            while rest and rest[0] == "super":
                at, rest = at[:-1], rest[1:]
        elif path[0] == "self":
            at, rest = module, path[1:]
        else:
            if (*module, path[0]) not in self.texts:
                return None
            at, rest = module, path
        for _ in range(16):
            while rest and (*at, rest[0]) in self.texts:
                at, rest = (*at, rest[0]), rest[1:]
            known = self.reexports.get(at, {})
            if not rest or rest[0] not in known or known[rest[0]][0] not in ("crate", "self", "super"):
                return at
            found = known[rest[0]]
            target = self._resolve(at, found[:-1]) if len(found) > 1 else None
            if target is None or target == at:
                return at
            at, rest = target, found[-1:] + rest[1:]
        return at


class Package(Modules):
    """The modules of a Python package; stubs count as modules.

    A module that imports a name from a package's ``__init__`` uses the ``__init__`` and its
    imports.
    """

    def __init__(self, folder: Path) -> None:
        self.name = folder.name
        self.trees: dict[Module, ast.Module] = {}
        self._packages: set[Module] = set()
        for path in sorted({*folder.rglob("*.py"), *folder.rglob("*.pyi")}):
            module = path.relative_to(folder).with_suffix("").parts
            if module[-1] == "__init__":
                module = module[:-1]
                self._packages.add(module)
            self.trees[module] = ast.parse(path.read_text(encoding="utf-8"))

    def arrows(self) -> dict[tuple[Module, Module], Module]:
        """Arrows from file to file, each with the file that has the arrow."""
        return {
            (module, target): module
            for module in self.trees
            for target in self.imports(module)
            if target != module
        }

    def imports(self, module: Module) -> set[Module]:
        """The modules that a module imports, wherever the imports stand in it."""
        modules: set[Module] = set()
        for node in ast.walk(self.trees[module]):
            if isinstance(node, ast.ImportFrom):
                base = self._base(module, node)
                for alias in node.names if base is not None else ():
                    modules.add((*base, alias.name) if (*base, alias.name) in self.trees else base)
            elif isinstance(node, ast.Import):
                modules |= {self._named(alias.name) for alias in node.names} - {None}
            elif isinstance(node, ast.Constant) and isinstance(node.value, str) and "." in node.value:
                # Names of modules that are imported at their first use, and run with -m.
                target = self._named(node.value.partition(":")[0])
                if target is not None and module[: len(target)] != target:
                    modules.add(target)
        return modules

    def _named(self, name: str) -> Module | None:
        """The module of this package with this full name."""
        first, *rest = name.split(".")
        return tuple(rest) if first == self.name and tuple(rest) in self.trees else None

    def _base(self, module: Module, node: ast.ImportFrom) -> Module | None:
        """The module after ``from``; None if it is in another package."""
        named = tuple(node.module.split(".")) if node.module else ()
        if node.level:
            up = node.level - (module in self._packages)
            return (*module[: len(module) - up], *named)
        return named[1:] if named[:1] == (self.name,) else None


def _module(path: Path) -> Module:
    parts = list(path.with_suffix("").parts)
    if parts[-1] in ("mod", "lib", "main"):
        parts.pop()
    return tuple(parts)


def _without_tests(text: str) -> str:
    """Source without comments, strings and test modules."""
    text = re.sub(r"//[^\n]*", "", text)
    text = re.sub(r'"(?:\\.|[^"\\])*"', '""', text)
    text = re.sub(r"r#\".*?\"#|r\"[^\"]*\"", '""', text, flags=re.DOTALL)
    while match := re.search(
        r"#\[cfg\(test\)\]\s*(?:#\[[^\]]*\]\s*)*(?:pub(?:\([^)]*\))? )?mod \w+ \{", text
    ):
        depth, end = 1, match.end()
        while depth and end < len(text):
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        text = text[: match.start()] + text[end:]
    return re.sub(r"#\[cfg\(test\)\]\s*use [^;]*;", "", text)


def _uses(text: str) -> Iterator[tuple[bool, list[str]]]:
    """Each path that is imported, and whether it is exported again."""
    for match in re.finditer(r"(?m)^\s*(pub(?:\([^)]*\))?\s+)?use\s+([\w:{},*\s]+);", text):
        for path in _expand(re.sub(r"\s+", " ", match[2]).strip()):
            yield match[1] is not None, path


def _expand(tree: str) -> Iterator[list[str]]:
    """The paths of a use tree, ``self`` and ``as`` resolved."""
    prefix, brace, rest = tree.partition("{")
    if not brace:
        yield [part.strip() for part in tree.split(" as ")[0].split("::") if part.strip()]
        return
    head = [part for part in prefix.strip().split("::") if part]
    depth, start = 0, 0
    body = rest[: rest.rindex("}")]
    for at, sign in enumerate(body + ","):
        depth += {"{": 1, "}": -1}.get(sign, 0)
        if sign == "," and depth == 0:
            part = body[start:at].strip()
            start = at + 1
            if part:
                for path in _expand(part):
                    yield head if path == ["self"] else head + path


def _reexports(text: str) -> Iterator[tuple[str, list[str]]]:
    for exported, path in _uses(text):
        if exported and path[-1] != "*":
            full = path if path[0] in ("crate", "super", "self") else ["self", *path]
            yield path[-1], full


def _paths(text: str) -> Iterator[list[str]]:
    # A name that a module re-exports is used by its importers, not by the module.
    for exported, path in _uses(text):
        if not exported:
            yield path
    body = re.sub(r"(?m)^\s*(?:pub(?:\([^)]*\))?\s+)?use\s+[\w:{},*\s]+;", "", text)
    for match in re.finditer(r"\b(?:crate|super|self)(?:::\w+)+|\b[a-z_]\w*(?:::\w+)+", body):
        yield match[0].split("::")


def _circles(graph: dict[Module, set[Module]]) -> Iterable[list[Module]]:
    """Strongly connected components of more than one module (Tarjan)."""
    index: dict[Module, int] = {}
    low: dict[Module, int] = {}
    stack: list[Module] = []
    circles: list[list[Module]] = []

    def visit(node: Module) -> None:
        index[node] = low[node] = len(index)
        stack.append(node)
        for target in sorted(graph.get(node, ())):
            if target not in index:
                visit(target)
                low[node] = min(low[node], low[target])
            elif target in stack:
                low[node] = min(low[node], index[target])
        if low[node] == index[node]:
            component = []
            while True:
                component.append(stack.pop())
                if component[-1] == node:
                    break
            if len(component) > 1:
                circles.append(sorted(component))

    for node in sorted(graph):
        if node not in index:
            visit(node)
    return circles


def print_files(package: Package) -> None:
    """Prints the circles among files, with their arrows."""
    arrows = package.arrows()
    for circle in package.circles_of_files():
        print(f"python: {len(circle)} files: {' '.join('.'.join(module) or 'weir' for module in circle)}")
        for source, target in sorted(arrows):
            if {source, target} <= set(circle):
                print(f"    {'.'.join(source) or 'weir'} -> {'.'.join(target) or 'weir'}")


def main() -> None:
    for name in sys.argv[1:] or sorted(path.parent.name for path in ROOT.glob("crates/*/Cargo.toml")):
        if name == "python":
            print_files(Package(ROOT / "python/weir"))
            print_files(Package(ROOT / "labs/weir_labs"))
            continue
        crate = Crate(ROOT / "crates" / name / "src")
        siblings = crate.sibling_arrows()
        for circle in crate.circles():
            print(f"{name}: {' '.join('::'.join(module) for module in circle)}")
            inside = siblings[circle[0][:-1]]
            for source, target in sorted(crate.arrows()):
                size = len(circle[0])
                above, below = source[:size], target[:size]
                if above != below and {above, below} <= set(circle) and below in inside[above]:
                    print(f"    {'::'.join(source)} -> {'::'.join(target)}")


if __name__ == "__main__":
    main()
