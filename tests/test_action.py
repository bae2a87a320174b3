"""The action for users (action.yml): its steps run on good and bad programs."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
FIRST = ROOT / "docs" / "tutorials" / "first"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a good program and its test, and the command `weir` of this checkout."""
    command = tmp_path / "bin" / "weir"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m weir "$@"\n')
    command.chmod(0o755)
    (tmp_path / "p4").mkdir()
    for name in ("guard.p4", "guard.stf"):
        shutil.copy(FIRST / name, tmp_path / "p4")
    return tmp_path


def steps(folder: Path, **inputs: str) -> subprocess.CompletedProcess[str]:
    """Runs what the action's last step runs."""
    environment = os.environ | {"PATH": f"{folder / 'bin'}:{os.environ['PATH']}", "P4_PATH": "p4"} | inputs
    environment["PYTHONPATH"] = os.pathsep.join(filter(None, [*sys.path, str(ROOT / "python")]))
    return subprocess.run(
        [sys.executable, ROOT / "packaging" / "check-p4"],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_good_programs_pass(folder: Path):
    # A file that programs include is not a program.
    (folder / "p4" / "types.p4").write_text("header h_t { bit<8> a; address_t b; }\n")
    program = folder / "p4" / "guard.p4"
    program.write_text(
        program.read_text().replace("struct ", 'typedef bit<8> address_t;\n#include "types.p4"\nstruct ', 1)
    )
    ended = steps(folder, GITHUB_ACTIONS="true", P4_WERROR="false")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert ended.stdout.splitlines()[-1] == "programs: 1, with mistakes: 0; tests: 1, failed: 0"
    assert "p4/types.p4: not checked alone, because guard.p4 includes it" in ended.stdout
    assert "::error" not in ended.stdout


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("unfinished.p4", "main;", "main"),
        ("comment.p4", "main;", "main /* the end */ ;\nbroken"),
        ("nameless.p4", "main;", ""),
        ("-I.p4", "main;", "main"),
        ("x\n::error file=x::HI.p4", "main;", "main"),
    ],
)
def test_a_broken_program_is_not_left_out(folder: Path, name: str, old: str, new: str):
    text = (FIRST / "guard.p4").read_text()
    (folder / "p4" / name).write_text(text.replace(old, new) + ("\n" if new else "\nbroken"))
    for path in ("p4", f"p4/{name}"):
        ended = steps(folder, P4_PATH=path, GITHUB_ACTIONS="true")
        assert ended.returncode == 1, ended.stdout + ended.stderr
        assert "with mistakes: 1;" in ended.stdout.splitlines()[-1]
        commands = [line for line in ended.stdout.splitlines() if line.startswith("::")]
        assert [line for line in commands if line.startswith("::error file=p4/")], ended.stdout
        assert not [line for line in commands if line.startswith("::error file=x")], ended.stdout


def test_files_that_include_each_other_are_checked(folder: Path):
    for name, other in (("a", "b"), ("b", "a")):
        (folder / "p4" / f"{name}.p4").write_text(f'#include "{other}.p4"\nbroken\n')
    assert "programs: 3, with mistakes: 2" in steps(folder).stdout


def test_a_mistake_in_a_test_is_marked(folder: Path):
    test = folder / "p4" / "guard.stf"
    number = len(test.read_text().splitlines()) + 1
    test.write_text(test.read_text() + "pakcet 1 00\n")
    ended = steps(folder, GITHUB_ACTIONS="true")
    assert ended.returncode == 1
    (line,) = [line for line in ended.stdout.splitlines() if line.startswith("::error")]
    assert line.startswith(f"::error file=p4/guard.stf,line={number}::") and "pakcet" in line


def test_a_mistake_and_a_failed_test_are_marked_in_their_lines(folder: Path):
    program = folder / "p4" / "wrong.p4"
    program.write_text((FIRST / "guard.p4").read_text().replace("mac.apply()", "mac.aply()"))
    test = folder / "p4" / "guard.stf"
    test.write_text(re.sub(r"^expect \d+", "expect 9", test.read_text(), flags=re.MULTILINE))
    ended = steps(folder, GITHUB_ACTIONS="true")
    assert ended.returncode == 1
    assert ended.stdout.splitlines()[-1] == "programs: 2, with mistakes: 1; tests: 1, failed: 1"
    place = next(
        number for number, line in enumerate(program.read_text().splitlines(), 1) if "mac.aply()" in line
    )
    line = f"::error file=p4/wrong.p4,line={place}::`table mac` has no method `aply` [unknown-method]"
    assert line in ended.stdout.splitlines()
    assert "::error file=p4/guard.stf,line=" in ended.stdout
    assert "did you mean `apply`?" in ended.stdout
    # Elsewhere, the same text has no annotations.
    assert "::" not in steps(folder, GITHUB_ACTIONS="").stdout


def test_warnings_are_errors_unless_the_user_says_otherwise(folder: Path):
    program = folder / "p4" / "guard.p4"
    program.write_text(program.read_text().replace("action drop()", "action other() { }\n    action drop()"))
    assert steps(folder).returncode == 1
    ended = steps(folder, P4_WERROR="false")
    assert ended.returncode == 0, ended.stdout
    assert "warning" in ended.stdout


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ({"P4_PATH": "nothing"}, 'check-p4: there is no "nothing"\n'),
        ({"P4_PATH": "bin"}, 'check-p4: "bin" has neither a program (.p4) nor a test (.stf)\n'),
        ({"P4_INCLUDE": "nix"}, 'check-p4: include: there is no folder "nix"\n'),
        ({"P4_WERROR": "yes"}, 'check-p4: werror is "yes"; expected true or false\n'),
    ],
)
def test_a_wrong_input_is_refused(folder: Path, inputs: dict[str, str], message: str):
    ended = steps(folder, **inputs)
    assert (ended.returncode, ended.stdout, ended.stderr) == (2, "", message)


def test_an_unknown_target_is_a_wrong_input(folder: Path):
    ended = steps(folder, P4_TARGET="foo")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.startswith("check-p4: ") and "--target" in ended.stderr and "foo" in ended.stderr


def test_the_action_passes_each_input_to_its_script():
    action = (ROOT / "action.yml").read_text()
    script = (ROOT / "packaging" / "check-p4").read_text()
    inputs = re.findall(r"^  (\w+):\n    description:", action, re.MULTILINE)
    for name in inputs:
        assert f"${{{{ inputs.{name} }}}}" in action
    names = {f"P4_{name.upper()}" for name in inputs} - {"P4_INSTALL"}
    assert names == set(re.findall(r"P4_[A-Z]+", action)) == set(re.findall(r'"(P4_[A-Z]+)"', script))
