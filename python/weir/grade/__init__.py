"""Grades P4 programs of students with the packet tests of an exercise."""

from weir.grade.exercise import Exercise, ExerciseError, Test, read_exercise
from weir.grade.grading import grade
from weir.grade.known import EXERCISES, find_exercise
from weir.grade.outcome import Grade, Outcome
from weir.grade.submission import Submission, read_submission

__all__ = [
    "EXERCISES",
    "Exercise",
    "ExerciseError",
    "Grade",
    "Outcome",
    "Submission",
    "Test",
    "find_exercise",
    "grade",
    "read_exercise",
    "read_submission",
]
