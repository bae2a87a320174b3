"""The house stands as drawn: crates lean only where docs/architecture.md says, and labs use only the public API."""

import ast
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
CRATES = sorted(path.parent.name for path in ROOT.glob("crates/*/Cargo.toml"))
PURE = [
    "weir-syntax",
    "weir-ir",
    "weir-compiler",
    "weir-interp",
    "weir-tables",
    "weir-switch",
    "weir-tcp",
    "weir-sim",
]


def drawn_arrows() -> dict[str, set[str]]:
    """What each crate may lean on, from the table in docs/architecture.md."""
    page = (ROOT / "docs/architecture.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(weir-[a-z0-9]+)` \|[^|]*\|([^|]*)\|$", page, re.MULTILINE)
    return {crate: set(re.findall(r"`(weir-[a-z0-9]+)`", third)) for crate, third in rows}


def manifest(crate: str) -> dict:
    """The crate's Cargo.toml."""
    return tomllib.loads((ROOT / "crates" / crate / "Cargo.toml").read_text(encoding="utf-8"))


def arrows(cargo: dict) -> set[str]:
    """The crates of this house that a manifest leans on, outside its tests."""
    tables = [cargo, *cargo.get("target", {}).values()]
    names = [
        name
        for table in tables
        for kind in ("dependencies", "build-dependencies")
        for name in table.get(kind, {})
    ]
    return {name for name in names if name.startswith("weir-")}


def test_every_crate_is_drawn_and_every_drawn_crate_exists():
    assert set(drawn_arrows()) == set(CRATES)


@pytest.mark.parametrize("crate", CRATES)
def test_no_arrow_that_is_not_drawn(crate: str):
    undrawn = arrows(manifest(crate)) - drawn_arrows()[crate]
    assert not undrawn, f"{crate} leans on {sorted(undrawn)}, which docs/architecture.md does not draw"


def test_arrows_only_run_one_way():
    below: dict[str, set[str]] = {}
    remaining = drawn_arrows()
    while remaining:
        ready = [crate for crate, leans in remaining.items() if leans <= below.keys()]
        assert ready, f"a circle among {sorted(remaining)}"
        for crate in ready:
            below[crate] = remaining.pop(crate)


def test_an_undrawn_arrow_is_seen():
    cargo = tomllib.loads(
        '[dependencies]\nweir-sim = { path = "x" }\n[target."cfg(unix)".dependencies]\nweir-tables = "1"'
    )
    assert arrows(cargo) == {"weir-sim", "weir-tables"}


@pytest.mark.parametrize("crate", PURE)
def test_pure_rooms_are_under_the_ban(crate: str):
    assert not (ROOT / "crates" / crate / "clippy.toml").exists(), (
        "a clippy.toml of its own would lift the ban"
    )
    assert manifest(crate)["lints"] == {"workspace": True}


@pytest.mark.parametrize("crate", PURE)
def test_pure_rooms_lift_the_ban_nowhere_outside_tests(crate: str):
    for path in (ROOT / "crates" / crate / "src").rglob("*.rs"):
        if path.name == "tests.rs":
            continue
        text = path.read_text(encoding="utf-8")
        assert not re.search(r"(allow|expect)\([^)]*clippy::disallowed", text), f"{path} lifts a ban"


@pytest.mark.parametrize("crate", ["weir-sim", "weir-tcp"])
def test_floats_take_their_functions_from_libm(crate: str):
    # Those of the standard library differ between platforms, and `powi` between debug and release builds: runs would, too.
    banned = re.compile(
        r"\.(ln|ln_1p|log|log2|log10|exp|exp2|exp_m1|powi|powf|cbrt|hypot|sin|cos|tan|a?sinh?|a?cosh?|a?tanh?|atan2)\("
    )
    for path in (ROOT / "crates" / crate / "src").rglob("*.rs"):
        found = banned.search(path.read_text(encoding="utf-8"))
        assert found is None, f"{path}: {found and found.group()} is not the same on every machine: use libm"


def test_the_ban_names_clock_files_environment_and_threads():
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


def test_labs_use_only_the_public_api():
    for path in (ROOT / "python/weir/labs").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom):
                modules = [node.module or ""]
            elif isinstance(node, ast.Import):
                modules = [alias.name for alias in node.names]
            else:
                continue
            for module in modules:
                parts = module.split(".")
                assert not any(part.startswith("_") and part != "__future__" for part in parts), (
                    f"{path} imports {module}"
                )
