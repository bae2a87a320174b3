"""`tests/run_python`: failed tests run once more, and tests that fail twice have failed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

RUN = Path(__file__).parent / "run_python"


def run(folder: Path, tests: str) -> subprocess.CompletedProcess[str]:
    (folder / "test_it.py").write_text(tests)
    (folder / "pytest.ini").write_text("[pytest]\n")
    command = [str(RUN), sys.executable, "-m", "pytest", "-q", "--maxprocesses", "1"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=100, check=False)


@pytest.mark.parametrize(
    ("tests", "code", "again"),
    [
        ("def test_a(): pass\n", 0, False),
        (
            "from pathlib import Path\ndef test_a(): p = Path('ran'); n = p.exists(); p.touch(); assert n\n",
            0,
            True,
        ),
        ("def test_a(): assert False\n", 1, True),
        ("\n".join(f"def test_{n}(): assert False" for n in range(6)), 1, False),
        ("def test_a(:\n", 1, True),
    ],
    ids=["passes", "fails once", "fails twice", "too many fail", "is not Python"],
)
def test_failed_tests_run_once_more(tmp_path: Path, tests: str, code: int, again: bool) -> None:
    output = run(tmp_path, tests)
    assert (output.returncode != 0, "once more, alone" in output.stdout) == (code != 0, again), output


@pytest.mark.parametrize(
    ("command", "code", "runs"), [("true", 0, 1), ("test -e ran", 1, 2), ("exit 3", 3, 2)]
)
def test_a_failed_command_runs_once_more(tmp_path: Path, command: str, code: int, runs: int) -> None:
    script = f"echo run; {command}"
    ended = subprocess.run(
        [str(RUN.with_name("run_again")), "sh", "-c", script],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert (ended.returncode, ended.stdout.splitlines().count("run")) == (code, runs), ended
