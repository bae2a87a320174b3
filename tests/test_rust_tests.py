"""Cargo compiles a crate again for tests in its sources, and reads it again for examples in its
documentation. It does so only in folders that have such files."""

import re
import tomllib
from pathlib import Path

import pytest

CRATES = sorted((Path(__file__).parent.parent / "crates").iterdir())
TEST = re.compile(r"^\s*#\[(tokio::)?test\b|^\s*proptest! \{", re.MULTILINE)
EXAMPLE = re.compile(r"^\s*//[/!] ```(?P<language>.*)\n(?:\s*//[/!].*\n)*?\s*//[/!] ```$", re.MULTILINE)
PLAIN = {"text", "json", "p4"}
"""Languages of blocks that rustdoc does not run."""


@pytest.mark.parametrize("crate", CRATES, ids=lambda crate: crate.name)
def test_cargo_looks_for_tests_where_there_are_some(crate: Path):
    manifest = tomllib.loads((crate / "Cargo.toml").read_text(encoding="utf-8"))
    sources = {path: path.read_text(encoding="utf-8") for path in (crate / "src").rglob("*.rs")}
    main = sources.pop(crate / "src" / "main.rs", "")
    library = manifest.get("lib", {})
    has_tests = any(TEST.search(text) for text in sources.values())
    examples = [found["language"] for text in sources.values() for found in EXAMPLE.finditer(text)]
    has_examples = any(language not in PLAIN for language in examples)
    set_flags = {flag: library.get(flag, True) for flag in ("test", "bench", "doctest")}
    assert set_flags == {"test": has_tests, "bench": has_tests, "doctest": has_examples}, (
        f"set these flags in the section `lib` of {crate.name}/Cargo.toml"
    )
    for program in manifest.get("bin", []):
        assert program["test"] == program["bench"] == bool(TEST.search(main))
