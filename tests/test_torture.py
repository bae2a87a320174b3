"""The first cases of each class of hostile input, and the runner's own promises."""

import re
from pathlib import Path

import pytest

import needed
from torture import classes, runner
from torture.case import Class

CASES = {
    "programs": 60, "control": 60, "packets": 60, "networks": 60, "files": 50, "arguments": 30, "thrift": 20,
    "processes": 10,
}  # fmt: skip


def load(name: str) -> Class:
    """The class; the test is skipped if it needs a library that is not installed."""
    if name == "thrift":
        needed.module("thriftpy2")
    return classes.load(name)


@pytest.mark.slow
@pytest.mark.parametrize("name", classes.NAMES)
def test_hostile_input(name: str, tmp_path: Path):
    outcome = runner.run(load(name), 0, range(CASES[name]), tmp_path, jobs=2)
    assert not outcome.failures, "\n".join(outcome.lines() + [text for _, text in outcome.failures])
    assert outcome.cases == CASES[name]


@pytest.mark.parametrize("name", classes.NAMES)
def test_the_same_seed_makes_the_same_cases(name: str):
    tortured = load(name)
    for number in range(20):
        one, other = tortured.make(7, number), tortured.make(7, number)
        assert (one.kind, one.inputs) == (other.kind, other.inputs)


@pytest.mark.parametrize("name", classes.NAMES)
def test_each_kind_is_made(name: str):
    tortured = load(name)
    for kind in tortured.makers:
        assert tortured.make(0, 1, kind).kind == kind


FAILURES = {
    "raises": ("raise ValueError('wrong')", "ValueError: wrong"),
    "prints": ("import os; os.write(2, b'panicked at')", "unexpected output"),
    "dies": ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", "SIGSEGV"),
    "exits": ("import os; os._exit(3)", "exit code 3"),
    "spins": ("while True: pass", "processor time"),
    "sleeps": ("import time; time.sleep(60)", "hangs"),
    "grows": ("import time; x = bytearray(b'x') * (400 << 20); time.sleep(60)", "memory"),
}


@pytest.mark.parametrize("kind", FAILURES)
def test_failures_are_seen_and_written_down(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    # A class of its own, which the worker imports.
    (tmp_path / "hostile").mkdir()
    (tmp_path / "hostile" / "failures.py").write_text(
        "from torture.case import Case, Class\n"
        f"FAILURES = {FAILURES!r}\n"
        "def maker(kind):\n"
        "    def run(folder):\n"
        "        exec(FAILURES[kind][0])\n"
        "        return 'done'\n"
        "    return lambda chance: Case(kind, run, {'number.txt': str(chance.getrandbits(32))})\n"
        "CLASS = Class('hostile.failures', {kind: (1, maker(kind)) for kind in FAILURES},\n"
        "              cpu_seconds=1.0, wall_seconds=3.0, megabytes=300)\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.syspath_prepend(tmp_path)
    outcome = runner.run(classes.load("hostile.failures"), 3, [0], tmp_path / "out", kind=kind)
    (failure,) = outcome.failures
    assert FAILURES[kind][1] in failure[1]
    folder = tmp_path / "out" / "hostile.failures-3-0"
    assert FAILURES[kind][1] in (folder / "failure.txt").read_text()
    case = classes.load("hostile.failures").make(3, 0, kind)
    assert (folder / "number.txt").read_text() == case.inputs["number.txt"]
    assert "--seed 3 --case 0" in (folder / "repeat").read_text()


def test_time_ends_a_class_between_cases(tmp_path: Path):
    outcome = runner.run(classes.load("control"), 0, range(10), tmp_path, minutes=0.0)
    assert (outcome.cases, outcome.failures) == (0, [])


def test_no_test_looks_into_a_folder_that_others_use():
    # Where others leave files, a test judges only by the folders it made.
    shared = re.compile(
        r"""Path\(["']/(tmp|var/tmp|dev/shm)\b|gettempdir\(\)|\bhome\(\)\.(glob|rglob|iterdir)"""
    )
    here = Path(__file__)
    files = [file for file in here.parent.rglob("*.py") if file != here]
    assert len(files) > 100
    assert [f"{file}: {found[0]}" for file in files if (found := shared.search(file.read_text()))] == []
