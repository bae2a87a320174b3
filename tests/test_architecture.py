"""Checks that the code follows docs/explanation/architecture.md: crates, modules, layers.

Also checks the length of files, and the calls of pure crates.
"""

import ast
import re
import tomllib
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from module_arrows import Crate, Module, Package

ROOT = Path(__file__).parent.parent
CRATES = sorted(path.parent.name for path in ROOT.glob("crates/*/Cargo.toml"))
PURE = [
    "weir-suggest",
    "weir-syntax",
    "weir-device",
    "weir-ir",
    "weir-exec",
    "weir-testgen",
    "weir-compiler",
    "weir-lint",
    "weir-interp",
    "weir-tables",
    "weir-switch",
    "weir-json",
    "weir-bmv2",
    "weir-control",
    "weir-stf",
    "weir-topology",
    "weir-tcp",
    "weir-capture",
    "weir-filter",
    "weir-impair",
    "weir-qdisc",
    "weir-sim",
]


# Crates whose modules still use one another in a circle. This list only shrinks.
OPEN_CIRCLES: list[str] = []
LAYERED = ["weir-native", "weir-sim", "weir-switch"]
"""Crates that must have a table of layers; others may have one."""

MAX_LINES = 450
# Files that are still longer. This list only shrinks.
LONG_FILES: list[str] = []


def drawn_arrows() -> dict[str, set[str]]:
    """The allowed dependencies of each crate, from the table in
    docs/explanation/architecture.md."""
    page = (ROOT / "docs/explanation/architecture.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(weir-[a-z0-9-]+)` \|[^|]*\|([^|]*)\|$", page, re.MULTILINE)
    return {crate: set(re.findall(r"`(weir-[a-z0-9-]+)`", third)) for crate, third in rows}


def manifest(crate: str) -> dict:
    """The crate's Cargo.toml."""
    return tomllib.loads((ROOT / "crates" / crate / "Cargo.toml").read_text(encoding="utf-8"))


def arrows(cargo: dict) -> set[str]:
    """Our crates that a manifest depends on, outside its tests."""
    tables = [cargo, *cargo.get("target", {}).values()]
    names = [
        name
        for table in tables
        for kind in ("dependencies", "build-dependencies")
        for name in table.get(kind, {})
    ]
    return {name for name in names if name.startswith("weir-")}


def test_architecture_lists_every_crate():
    assert set(drawn_arrows()) == set(CRATES)


@pytest.mark.parametrize("crate", CRATES)
def test_no_arrow_that_is_not_drawn(crate: str):
    undrawn = arrows(manifest(crate)) - drawn_arrows()[crate]
    assert not undrawn, (
        f"{crate} depends on {sorted(undrawn)}; docs/explanation/architecture.md does not say so"
    )


def test_arrows_only_run_one_way():
    below: dict[str, set[str]] = {}
    remaining = drawn_arrows()
    while remaining:
        ready = [crate for crate, uses in remaining.items() if uses <= below.keys()]
        assert ready, f"a circle among {sorted(remaining)}"
        for crate in ready:
            below[crate] = remaining.pop(crate)


def test_an_undrawn_arrow_is_seen():
    cargo = tomllib.loads(
        '[dependencies]\nweir-sim = { path = "x" }\n[target."cfg(unix)".dependencies]\nweir-tables = "1"'
    )
    assert arrows(cargo) == {"weir-sim", "weir-tables"}


def layers(page: str) -> dict[str, list[list[Module]]]:
    """The layers of each crate from the bottom up.

    A layer has the modules in backquotes of a row's first column.
    """
    section = page.partition("## Inside the crates")[2].partition("\n## ")[0]
    tables: dict[str, list[list[Module]]] = {}
    for part in section.split("\n### ")[1:]:
        crate = re.match(r"`?(weir-[a-z0-9-]+)`?\n", part)
        assert crate, f"a heading that names no crate: {part.splitlines()[0]}"
        rows = re.findall(r"^\|([^|]*)\|[^|]*\|$", part, re.MULTILINE)
        named = [[tuple(name.split("::")) for name in re.findall(r"`([^`]+)`", row)] for row in rows]
        tables[crate[1]] = [row for row in named if row]
    return tables


def architecture_layers() -> dict[str, list[list[Module]]]:
    return layers((ROOT / "docs/explanation/architecture.md").read_text(encoding="utf-8"))


def upward_arrows(arrows: Iterable[tuple[Module, Module]], rows: list[list[Module]]) -> list[str]:
    """The arrows that lead to the same row or to a higher one."""
    height = {module: number for number, row in enumerate(rows) for module in row}

    def listed(module: Module) -> Module | None:
        starts = (module[:length] for length in range(len(module), 0, -1))
        return next((start for start in starts if start in height), None)

    wrong = []
    for source, target in sorted(arrows):
        above, below = listed(source), listed(target)
        if above is not None and below is not None and above != below and height[below] >= height[above]:
            wrong.append(f"{'::'.join(source)} uses {'::'.join(target)}")
    return wrong


@pytest.mark.parametrize("crate", CRATES)
def test_no_circle_among_the_modules_of_a_crate(crate: str):
    circles = Crate(ROOT / "crates" / crate / "src").circles()
    if crate in OPEN_CIRCLES:
        assert circles, f"{crate} has no circle any more: remove it from OPEN_CIRCLES"
    else:
        assert not circles, f"python tests/module_arrows.py {crate} shows the arrows of {circles}"


@pytest.mark.parametrize("crate", CRATES)
def test_modules_use_only_lower_layers(crate: str):
    if crate in OPEN_CIRCLES:
        pytest.skip("its modules have circles still")
    rows = architecture_layers().get(crate)
    if rows is None:
        assert crate not in LAYERED, (
            f'{crate} needs a table in docs/explanation/architecture.md, "Inside the crates"'
        )
        return
    modules = Crate(ROOT / "crates" / crate / "src")
    listed = [module for row in rows for module in row]
    assert len(listed) == len(set(listed)), "a module is listed twice"
    assert not set(listed) - modules.texts.keys(), "modules that do not exist"
    top = {module[:1] for module in modules.texts if module} - {("main",)}
    assert not top - {module[:1] for module in listed}, "modules without a layer"
    wrong = upward_arrows(modules.arrows(), rows)
    assert not wrong, f"{crate}: not downwards:\n" + "\n".join(wrong)


def test_an_arrow_upwards_is_seen():
    page = """
## Inside the crates

### weir-sim

| module | what it holds |
|---|---|
| `time` | the clock |
| `link`, `host` | between and at the ends |
| `network` | all of them |

## More
"""
    rows = layers(page)["weir-sim"]
    assert rows == [[("time",)], [("link",), ("host",)], [("network",)]]
    arrows = [
        (("network", "run"), ("time",)),
        (("host", "tcp"), ("host", "udp")),
        (("time",), ("network", "run")),
        (("link",), ("host", "tcp")),
    ]
    assert upward_arrows(arrows, rows) == ["link uses host::tcp", "time uses network::run"]


def test_no_file_is_longer_than_one_idea():
    sources = [
        *ROOT.glob("crates/*/*/**/*.rs"),
        *ROOT.glob("labs/**/*.py"),
        *ROOT.glob("python/**/*.py*"),
        *ROOT.glob("tests/**/*.py"),
    ]
    lengths = {
        str(path.relative_to(ROOT)): path.read_text(encoding="utf-8").count("\n")
        for path in sources
        if path.suffix in (".rs", ".py", ".pyi")
    }
    long = {name for name, lines in lengths.items() if lines >= MAX_LINES}
    assert not long - set(LONG_FILES), f"split them: {MAX_LINES} lines or more"
    assert not set(LONG_FILES) - long, "short now: remove them from LONG_FILES"


@pytest.mark.parametrize("crate", PURE)
def test_pure_crates_are_under_the_ban(crate: str):
    assert not (ROOT / "crates" / crate / "clippy.toml").exists(), (
        "a clippy.toml of its own would lift the ban"
    )
    assert manifest(crate)["lints"] == {"workspace": True}


@pytest.mark.parametrize("crate", PURE)
def test_pure_crates_do_not_lift_the_ban(crate: str):
    for path in (ROOT / "crates" / crate / "src").rglob("*.rs"):
        if path.name == "tests.rs":
            continue
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"(allow|expect)\([^)]*clippy::disallowed", text), f"{path} lifts a ban"


@pytest.mark.parametrize("crate", ["weir-impair", "weir-qdisc", "weir-sim", "weir-tcp"])
def test_floats_take_their_functions_from_libm(crate: str):
    # The standard library's functions differ between platforms, and `powi` between debug and
    # release builds, so runs would differ, too.
    banned = re.compile(
        r"\.(ln|ln_1p|log|log2|log10|exp|exp2|exp_m1|powi|powf|cbrt|hypot|sin|cos|tan|a?sinh?|a?cosh?|a?tanh?|atan2)\("
    )
    for path in (ROOT / "crates" / crate / "src").rglob("*.rs"):
        match = banned.search(path.read_text(encoding="utf-8"))
        assert match is None, f"{path}: {match and match.group()} is not the same on every machine: use libm"


def test_banned_calls():
    ban = tomllib.loads((ROOT / "clippy.toml").read_text(encoding="utf-8"))
    paths = {entry["path"] for kind in ("disallowed-types", "disallowed-methods") for entry in ban[kind]}
    assert {
        "std::time::Instant",
        "std::time::SystemTime",
        "std::fs::File",
        "std::fs::read_to_string",
        "std::env::var",
        "std::thread::spawn",
        "std::collections::HashMap",
    } <= paths


@cache
def python_package() -> Package:
    return Package(ROOT / "python/weir")


@cache
def python_arrows() -> dict[tuple[Module, Module], Module]:
    return python_package().arrows()


def python_layers() -> list[list[Module]]:
    """The layers of ``python/weir`` from the bottom up."""
    page = (ROOT / "docs/explanation/architecture.md").read_text(encoding="utf-8")
    section = page.partition("## Inside the Python package")[2].partition("\n## ")[0]
    rows = re.findall(r"^\|([^|]*)\|[^|]*\|$", section, re.MULTILINE)
    named = [[tuple(name.split(".")) for name in re.findall(r"`([^`]+)`", row)] for row in rows]
    return [row for row in named if row]


def test_python_imports_only_lower_layers():
    package, rows = python_package(), python_layers()
    listed = [module for row in rows for module in row]
    assert len(listed) == len(set(listed)), "a module is listed twice"
    assert not set(listed) - package.trees.keys(), "modules that do not exist"
    top = {module[:1] for module in package.trees if module}
    assert not top - set(listed), "modules without a layer"
    wrong = upward_arrows(python_arrows(), rows)
    assert not wrong, "not downwards:\n" + "\n".join(wrong).replace("::", ".")


@pytest.mark.parametrize("folder", ["python/weir", "labs/weir_labs"])
def test_no_circle_among_the_files_of_a_python_package(folder: str):
    package = Package(ROOT / folder)
    circles = package.circles_of_files() + package.circles()
    assert not circles, "python tests/module_arrows.py python shows the arrows"


PLANTED = {
    "function": "def serve():\n    from weir.a import A\n",
    "annotation": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from weir.a import A\n",
    "whole module": "import weir.a\n",
    "relative": "from . import a\n",
    "name of a module": "import importlib\nimportlib.import_module('weir.a')\n",
}


@pytest.mark.parametrize("kind", PLANTED)
def test_a_planted_circle_of_python_is_seen(kind: str, tmp_path: Path):
    folder = tmp_path / "weir"
    folder.mkdir()
    (folder / "__init__.py").touch()
    (folder / "a.py").write_text("from weir.b import serve\n", encoding="utf-8")
    (folder / "b.py").write_text(PLANTED[kind], encoding="utf-8")
    package = Package(folder)
    assert package.circles_of_files() == [[("a",), ("b",)]]
    assert upward_arrows(package.arrows(), [[("b",)], [("a",)]]) == ["b uses a"]
    (folder / "b.py").write_text("import random\n", encoding="utf-8")
    assert Package(folder).circles_of_files() == []


def test_a_circle_through_what_a_package_exports_is_seen(tmp_path: Path):
    folder = tmp_path / "weir"
    (folder / "parts").mkdir(parents=True)
    (folder / "__init__.py").touch()
    (folder / "parts/__init__.py").write_text("from weir.parts.b import B\n", encoding="utf-8")
    (folder / "parts/b.py").write_text("from weir.a import A\n", encoding="utf-8")
    (folder / "a.py").write_text("from weir.parts import B\n", encoding="utf-8")
    assert Package(folder).circles_of_files() == [[("a",), ("parts",), ("parts", "b")]]


LEAVES = {
    "ap": {"cli"},
    "dropin": {"cli"},
    "mininet": set(),
    "telemetry": {"bench", "cli"},
}
"""Packages that the core never imports, and who does."""


@pytest.mark.parametrize("leaf", LEAVES)
def test_leaves_are_imported_by_no_part_of_the_core(leaf: str):
    users = {
        source[0]
        for source, target in python_arrows()
        if source and source[0] != leaf and target[:1] == (leaf,)
    }
    assert users <= LEAVES[leaf]


def imports_of(package: str, tree: ast.Module) -> list[str]:
    """The names that a file imports from a package, also as texts that begin with the package's
    name."""
    imported = []
    for node in ast.walk(tree):
        match node:
            case ast.Import():
                imported += [alias.name for alias in node.names]
            case ast.ImportFrom(module=str(module), level=0):
                imported.append(module)
            case ast.Constant(value=str(text)) if re.fullmatch(r"[\w.]+(:\w+)?", text):
                imported.append(text)
    return [name for name in imported if name.partition(".")[0] == package]


def test_the_core_imports_no_lab():
    arrows = {
        module: names
        for module, tree in python_package().trees.items()
        if (names := imports_of("weir_labs", tree))
    }
    assert not arrows, "weir.lab finds labs by their entry points"


@pytest.mark.parametrize(
    "source",
    [
        "import weir_labs.delay",
        "def late():\n    from weir_labs.delay.fit import fit",
        "import importlib\nimportlib.import_module('weir_labs.delay')",
    ],
)
def test_an_import_of_a_lab_is_seen(source: str):
    assert imports_of("weir_labs", ast.parse(source))
    assert not imports_of(
        "weir_labs", ast.parse("from weir.lab import Lab\nraise ImportError('see weir_labs')")
    )


def locked(path: Path) -> dict[str, list[dict[str, Any]]]:
    """The packages of a lock file by name, one for each version."""
    packages: dict[str, list[dict[str, Any]]] = {}
    for package in tomllib.loads(path.read_text(encoding="utf-8"))["package"]:
        packages.setdefault(package["name"], []).append(package)
    return packages


def test_the_lock_file_of_fuzz_is_up_to_date():
    """CI fuzzes only where there is a C++ compiler, so it can miss an outdated lock file."""
    fuzz, workspace = locked(ROOT / "fuzz" / "Cargo.lock"), locked(ROOT / "Cargo.lock")
    advice = "run `cargo update --workspace` in fuzz"
    own = [name for name in CRATES if name in fuzz]
    assert {"weir-compiler", "weir-syntax", "weir-ir", "weir-suggest"} <= set(own)
    for name in own:
        [package], [here] = fuzz[name], workspace[name]
        assert package["version"] == here["version"], f"{name}: {advice}"
        manifest = tomllib.loads((ROOT / "crates" / name / "Cargo.toml").read_text(encoding="utf-8"))
        named = {**manifest.get("dependencies", {}), **manifest.get("build-dependencies", {})}
        # fuzz uses no features, so its lock file lacks optional packages.
        expected = sorted(
            name for name, one in named.items() if not (isinstance(one, dict) and one.get("optional"))
        )
        dependencies = sorted(dependency.split()[0] for dependency in package.get("dependencies", []))
        assert dependencies == expected, f"{name}: {advice}"
        for dependency in expected:
            known = {package["version"] for package in workspace[dependency]}
            versions = {package["version"] for package in fuzz[dependency]}
            assert versions <= known, (
                f"{dependency}: run `cargo update {dependency} --precise VERSION` in fuzz"
            )
