"""Grades as a page."""

from __future__ import annotations

from collections.abc import Sequence

from weir.grade.exercise import Exercise
from weir.grade.outcome import Grade
from weir.report.page import Page, Section, Table
from weir.text.counted import count_noun


def grades_page(exercise: Exercise, grades: Sequence[Grade]) -> Page:
    """Builds the page of one or several submissions."""
    facts = [("exercise", exercise.name), ("tests", str(len(exercise.tests)))]
    if len(grades) == 1:
        (grade,) = grades
        return Page(
            exercise.title,
            f"{grade.student}: {grade.points} of {exercise.points} points.",
            facts,
            [_section(grade, "Tests")],
        )
    full = sum(grade.is_full for grade in grades)
    return Page(
        exercise.title,
        f"{count_noun(len(grades), 'submission')}, of which {full} have all {exercise.points} points.",
        facts,
        [_summary(grades), *(_section(grade, grade.student) for grade in grades)],
    )


def _summary(grades: Sequence[Grade]) -> Section:
    rows = [
        [
            grade.student,
            str(grade.points),
            ", ".join(one.test.title for one in grade.outcomes if not one.passed),
        ]
        for grade in grades
    ]
    return Section(
        "All submissions",
        tables=[Table(["student", "points", "failed tests"], rows, words=(0, 2), prose=True)],
    )


def _section(grade: Grade, title: str) -> Section:
    rows = [
        [outcome.test.title, f"{outcome.points} of {outcome.test.points}", outcome.test.hint]
        for outcome in grade.outcomes
    ]
    points = Table(["test", "points", "hint"], rows, words=(0, 2), prose=True)
    reasons = [
        Table(["reason"], [[line] for line in outcome.reasons], outcome.test.title, words=(0,), prose=True)
        for outcome in grade.outcomes
        if outcome.reasons and not grade.error
    ]
    return Section(title, grade.error.splitlines(), [points, *reasons])
