"""Grades a submission: runs all tests of the exercise."""

from __future__ import annotations

from weir.grade.exercise import Exercise
from weir.grade.isolated import RefusedError, runner
from weir.grade.outcome import Grade, Outcome
from weir.grade.submission import Submission


def grade(exercise: Exercise, submission: Submission, executor: str | None = None) -> Grade:
    """Grades a submission. The same exercise and submission give the same grade.

    Args:
        exercise: the exercise.
        submission: the submission.
        executor: what runs the program: ``native`` or ``interp``; ``None`` for the default.

    Raises:
        ExerciseError: a test of the exercise is wrong.
    """
    if submission.error:
        return _refused(exercise, submission, submission.error)
    with runner(exercise, submission, executor) as isolated:
        try:
            isolated.compile()
            reasons = [isolated.run(test) for test in exercise.tests]
        except RefusedError as error:
            return _refused(exercise, submission, str(error))
    outcomes = [
        Outcome(test, not reason, reason) for test, reason in zip(exercise.tests, reasons, strict=True)
    ]
    return Grade(exercise, submission.student, "", outcomes)


def _refused(exercise: Exercise, submission: Submission, error: str) -> Grade:
    outcomes = [Outcome(test, False, ["the program does not run"]) for test in exercise.tests]
    return Grade(exercise, submission.student, error, outcomes)
