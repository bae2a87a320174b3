"""README's two commands set up a bare machine; `.ci/run` calls them."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
COMMANDS = ("demo", "test")


@pytest.mark.parametrize("target", COMMANDS)
def test_readme_says_what_each_does_and_how_long_it_takes(target: str):
    blocks = re.findall(r"^```sh\n(.*?)^```", (ROOT / "README.md").read_text(encoding="utf-8"), re.M | re.S)
    (block,) = [block for block in blocks if "make test" in block]
    (line,) = [line for line in block.splitlines() if line.startswith("make " + target)]
    assert re.fullmatch(rf"make {target} +# \d+ minutes, later \d+: builds the package, runs .+", line)
    assert len(block.splitlines()) == len(COMMANDS)


@pytest.mark.parametrize("target", COMMANDS)
def test_ci_calls_what_readme_names(target: str):
    lines = [line.partition("#")[0] for line in (ROOT / ".ci" / "run").read_text().splitlines()]
    calls = [line for line in lines if re.search(rf"\bmake( --?[\w=-]+( \d+)?)* {target}\b(?!-)", line)]
    assert len(calls) == 1
    # A step that may fail without ending the run, or that nothing calls, would be useless.
    assert not re.search(r"\|\||\bif\b|;", calls[0])
    text = "\n".join(lines)
    (part,) = [
        name for name, body in re.findall(r"^(\w+)\(\) \{\n(.*?)^\}", text, re.M | re.S) if calls[0] in body
    ]
    assert re.search(rf"^together .*\b{part}\b", text, re.M)


@pytest.mark.parametrize("target", COMMANDS)
def test_make_needs_only_python_rust_and_a_c_compiler(target: str):
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "CARGO_TEST"))
    }
    # The effect in a checkout where nothing is built yet.
    ended = subprocess.run(
        ["make", "--dry-run", "--always-make", "VENV=nowhere/.venv", target],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    lines = [line for line in ended.stdout.splitlines() if not line.startswith("#")]
    commands = [command for line in lines for command in line.split(" && ")]
    programs = [next(word for word in command.split() if not re.match(r"\w+=", word)) for command in commands]
    ours = {"pip", "maturin", "python", "weir", "pytest"}
    shell = {"command", "touch", "nice", "packaging/page", "packaging/rust-version", "tests/run_python"}
    assert set(programs) <= {"python3", "cargo", *shell, *(f"nowhere/.venv/bin/{name}" for name in ours)}
    steps = [
        "-m venv",
        "pip install",
        "maturin develop --release",
        {"demo": "lab run delay", "test": "pytest -q"}[target],
    ]
    places = [ended.stdout.index(step) for step in steps]
    assert places == sorted(places)
    if target == "test":
        assert ended.stdout.count("cargo test --workspace") == 2


def rust_version(tmp_path: Path, rustc: str | None) -> subprocess.CompletedProcess[str]:
    for name in ("bash", "cut", "dirname", "head", "sed", "sort"):
        (tmp_path / name).symlink_to(str(shutil.which(name)))
    if rustc is not None:
        for name in ("cargo", "rustc"):
            (tmp_path / name).write_text(f"#!/bin/sh\necho '{rustc}'\n")
            (tmp_path / name).chmod(0o755)
    script = ROOT / "packaging" / "rust-version"
    return subprocess.run([script], env={"PATH": str(tmp_path)}, capture_output=True, text=True, timeout=20)


@pytest.mark.parametrize(
    "rustc", ["rustc 1.95.0 (59807616e 2026-04-14)", "rustc 1.100.0-nightly", "rustc 2.0.0"]
)
def test_a_new_rust_is_accepted(tmp_path: Path, rustc: str):
    ended = rust_version(tmp_path, rustc)
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "", "")


@pytest.mark.parametrize(
    ("rustc", "message"),
    [
        (None, "Weir needs Rust 1.95 or newer, and there is none. To install it:\n"),
        ("rustc 1.9.0", "Weir needs Rust 1.95 or newer; rustc is 1.9.0. To install a newer one:\n"),
        ("rustc 1.94.1", "Weir needs Rust 1.95 or newer; rustc is 1.94.1. To install a newer one:\n"),
    ],
)
def test_without_a_new_rust_make_says_what_to_type(tmp_path: Path, rustc: str | None, message: str):
    ended = rust_version(tmp_path, rustc)
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr.startswith(message)
    assert "  rustup update stable " in ended.stderr
    # README says the same.
    assert "Rust 1.95 or newer" in " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
