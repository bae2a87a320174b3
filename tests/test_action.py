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
    (folder / "p4" / "types.p4").write_text("header h_t { bit<8> a; unknown b; }\n")
    ended = steps(folder, GITHUB_ACTIONS="true")
    assert ended.returncode == 0, ended.stdout + ended.stderr
    assert ended.stdout.splitlines()[-1] == "programs: 1, with mistakes: 0; tests: 1, failed: 0"
    assert "::" not in ended.stdout


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
        ({"P4_PATH": "bin"}, 'check-p4: "bin" has neither a program (.p4 with main) nor a test (.stf)\n'),
        ({"P4_WERROR": "yes"}, 'check-p4: werror is "yes"; expected true or false\n'),
    ],
)
def test_a_wrong_input_is_refused(folder: Path, inputs: dict[str, str], message: str):
    ended = steps(folder, **inputs)
    assert (ended.returncode, ended.stdout, ended.stderr) == (2, "", message)


def test_the_action_passes_each_input_to_its_script():
    action = (ROOT / "action.yml").read_text()
    script = (ROOT / "packaging" / "check-p4").read_text()
    inputs = re.findall(r"^  (\w+):\n    description:", action, re.MULTILINE)
    for name in inputs:
        assert f"${{{{ inputs.{name} }}}}" in action
    names = {f"P4_{name.upper()}" for name in inputs} - {"P4_INSTALL"}
    assert names == set(re.findall(r"P4_[A-Z]+", action)) == set(re.findall(r'"(P4_[A-Z]+)"', script))
