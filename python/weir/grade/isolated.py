"""Runs tests of hostile programs in processes with limits."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from weir.files import system_errors
from weir.grade.exercise import Exercise, ExerciseError, Test
from weir.grade.lines import seed
from weir.grade.submission import Submission
from weir.units import format_time

_WAIT: Final = 4
"""How many times the limit on its processor time a process may run, since others use processors."""


class RefusedError(Exception):
    """An error about a program that no test can run; the text says why."""


class Runner:
    """Runs the tests of a submission.

    The program is stored as JSON that contains its text, so that it can include Weir's own files
    only: an error must not show lines of other files, such as hidden tests.

    Args:
        exercise: the exercise.
        submission: the submission.
        folder: an empty folder.
        executor: what runs the program; ``None`` for the default.
    """

    def __init__(
        self, exercise: Exercise, submission: Submission, folder: Path, executor: str | None
    ) -> None:
        self._exercise = exercise
        self._seed = seed(exercise.name, submission.student)
        self._folder = folder
        self._executor = executor
        name = exercise.template.name
        carried = {"program": name, "files": {name: submission.text}, "folders": [], "defines": {}}
        self._program = f"{exercise.template.stem}.json"
        with system_errors(folder, "cannot be written"):
            (folder / self._program).write_text(json.dumps({"weir": carried}), encoding="utf-8")

    def compile(self) -> None:
        """Compiles the program.

        Raises:
            RefusedError: the program has errors, or the compiler does not end.
        """
        reasons = self._run(None)
        if reasons:
            raise RefusedError("\n".join(reasons))

    def run(self, test: Test) -> list[str]:
        """Runs a test, and returns the reasons why the program failed it, if it did.

        Raises:
            ExerciseError: the test is wrong.
            RefusedError: the program has errors.
        """
        return self._run(test)

    def _run(self, test: Test | None) -> list[str]:
        seconds = self._exercise.time_limit_ns // 10**9
        task = {
            "program": self._program,
            "test": None if test is None else str(test.file.resolve()),
            "seed": self._seed,
            "executor": self._executor,
            "seconds": seconds,
        }
        what = "the compiler" if test is None else "the test"
        ended_late = [f"{what} did not end within {format_time(seconds * 10**9)}"]
        try:
            ended = subprocess.run(
                [sys.executable, "-P", "-B", "-m", "weir.grade.worker"],
                input=json.dumps(task).encode(),
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd=self._folder,
                timeout=_WAIT * seconds + 10,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return ended_late
        if ended.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
            return ended_late
        if ended.returncode:
            return [f"{what} ended abruptly ({_reason(ended.returncode)})"]
        return self._report(json.loads(ended.stdout), test)

    def _report(self, report: dict[str, Any], test: Test | None) -> list[str]:
        if "refused" in report:
            raise RefusedError(report["refused"])
        if "mistake" in report:
            assert test is not None, "only tests have files of the exercise"
            file = Path(report["file"])
            shown = test.file if file == test.file.resolve() else file
            raise ExerciseError(report["mistake"], file=shown, where=report["where"])
        return list(report["reasons"])


def _reason(code: int) -> str:
    return f"exit code {code}" if code > 0 else signal.Signals(-code).name


@contextmanager
def runner(exercise: Exercise, submission: Submission, executor: str | None) -> Iterator[Runner]:
    """Yields a runner in a temporary folder, which is removed at the end."""
    with tempfile.TemporaryDirectory(prefix="weir-grade-", ignore_cleanup_errors=True) as folder:
        yield Runner(exercise, submission, Path(folder), executor)
