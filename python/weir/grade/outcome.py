"""Results: the outcome of each test, and the grade of a submission."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from weir.grade.exercise import Exercise, Test


@dataclass(frozen=True)
class Outcome:
    """The outcome of a test.

    Attributes:
        test: the test.
        passed: whether the submission passed.
        reasons: lines that say why the submission failed: what the test sent, what it expected, and
            what the switch sent.
    """

    test: Test
    passed: bool
    reasons: Sequence[str] = ()

    @property
    def points(self) -> int:
        """The points that the submission gets for the test."""
        return self.test.points if self.passed else 0

    def for_student(self) -> Outcome:
        """Returns the outcome as the student may see it: without reasons if the test is hidden."""
        return replace(self, reasons=()) if self.test.hidden else self


@dataclass(frozen=True)
class Grade:
    """The grade of a submission.

    Attributes:
        exercise: the exercise.
        student: the student's id.
        error: why no test ran, in one or more lines; empty if the tests ran.
        outcomes: the outcome of each test, in order.
    """

    exercise: Exercise
    student: str
    error: str
    outcomes: Sequence[Outcome]

    @property
    def points(self) -> int:
        """The points of all tests that the submission passed."""
        return sum(outcome.points for outcome in self.outcomes)

    @property
    def is_full(self) -> bool:
        """Whether the submission passed all tests."""
        return all(outcome.passed for outcome in self.outcomes)

    def for_student(self) -> Grade:
        """Returns the grade as the student may see it."""
        return replace(self, outcomes=[outcome.for_student() for outcome in self.outcomes])
