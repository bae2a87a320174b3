"""Scripts in packaging/, which `make wheels` and others run, say what they need."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

import needed

PACKAGING = Path(__file__).resolve().parent.parent / "packaging"


@pytest.mark.parametrize("script", ["switchd", "wheels"])
def test_an_unknown_processor_is_refused(script: str):
    ended = subprocess.run([PACKAGING / script, "aarch64", "arm"], capture_output=True, text=True, timeout=20)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr == f'packaging/{script}: no processor is called "arm"; expected x86_64 or aarch64\n'


def test_a_rustup_that_serves_another_rustc_does_not_help(tmp_path: Path):
    # With Debian's rustc before rustup in the path, rustup succeeds, and rustc still lacks it.
    script = 'case "$1" in --version) echo rustc 1.2.3 ;; *) echo /nowhere ;; esac'
    for name, text in (("rustc", script), ("rustup", "echo rustup: $@ >&2")):
        (tmp_path / name).write_text(f"#!/bin/sh\n{text}\n")
        (tmp_path / name).chmod(0o755)
    ended = subprocess.run(
        [PACKAGING / "rust-for", "aarch64-unknown-linux-gnu"],
        env=os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        timeout=20,
    )
    assert ended.returncode == 1
    assert ended.stderr.startswith(
        "rustup: target add aarch64-unknown-linux-gnu\n"
        "rustc 1.2.3 has no standard library for: aarch64-unknown-linux-gnu."
    )
    assert "libstd-rust-web-dev:arm64" in ended.stderr


@pytest.mark.parametrize(
    ("there", "missing"),
    [
        ([], "no qemu-aarch64-static: apt-get install qemu-user-static"),
        (
            ["qemu-aarch64-static"],
            "no aarch64-linux-gnu-gcc: apt-get install gcc-aarch64-linux-gnu libc6-dev-arm64-cross",
        ),
    ],
)
def test_tests_for_arm_name_what_is_not_installed(tmp_path: Path, there: list[str], missing: str):
    for name in ("bash", "dirname"):
        (tmp_path / name).symlink_to(str(shutil.which(name)))
    for name in there:
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    ended = subprocess.run(
        [PACKAGING / "test-arm"], env={"PATH": str(tmp_path)}, capture_output=True, text=True, timeout=20
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (1, "", f"packaging/test-arm: {missing}\n")


def test_make_build_works_in_a_folder_with_a_space(tmp_path: Path):
    needed.need("cargo")
    folder = tmp_path / "my projects"
    (folder / ".venv/bin").mkdir(parents=True)
    for name in ("Makefile", "Cargo.toml", "Cargo.lock", "pyproject.toml"):
        shutil.copy(PACKAGING.parent / name, folder)
    (folder / "crates").mkdir()
    shutil.copytree(PACKAGING, folder / "packaging")
    shutil.copytree(
        PACKAGING.parent / "labs", folder / "labs", ignore=lambda _, names: set(names) - {"pyproject.toml"}
    )
    for program in ("maturin", "pip"):
        (folder / ".venv/bin" / program).write_text('#!/bin/sh\necho "$VIRTUAL_ENV"\n')
        (folder / ".venv/bin" / program).chmod(0o755)
    (folder / ".venv/made").touch()
    (folder / "web/node_modules").mkdir(parents=True)
    for file in ("package-lock.json", "node_modules/.package-lock.json"):
        (folder / "web" / file).touch()
    for program in ("node", "npm"):
        (folder / program).write_text("#!/bin/sh\n")
        (folder / program).chmod(0o755)
    inherited = {
        name: value for name, value in os.environ.items() if name not in ("VIRTUAL_ENV", "MAKEFLAGS")
    }
    ended = subprocess.run(
        ["make", "build"],
        cwd=folder,
        env=inherited | {"PATH": f"{folder}:{inherited['PATH']}"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (ended.returncode, ended.stderr) == (0, "")
    assert f"\n{folder}/.venv\n" in ended.stdout
