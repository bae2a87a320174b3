"""Grades as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final

from weir.grade.exercise import Exercise
from weir.grade.outcome import Grade, Outcome

VERSION: Final = 1
"""The version of the JSON format. It increases when tools that read the JSON must change."""


def json_text(exercise: Exercise, grades: Sequence[Grade]) -> str:
    """Returns the grades of an exercise as a JSON document."""
    document = {
        "format": "weir-grade",
        "version": VERSION,
        "exercise": exercise.name,
        "title": exercise.title,
        "maximum": exercise.points,
        "submissions": [_grade(grade) for grade in grades],
    }
    return json.dumps(document, indent=1, ensure_ascii=False)


def _grade(grade: Grade) -> dict[str, Any]:
    return {
        "student": grade.student,
        "points": grade.points,
        "error": grade.error or None,
        "tests": [_outcome(outcome) for outcome in grade.outcomes],
    }


def _outcome(outcome: Outcome) -> dict[str, Any]:
    return {
        "title": outcome.test.title,
        "hidden": outcome.test.hidden,
        "points": outcome.points,
        "maximum": outcome.test.points,
        "passed": outcome.passed,
        "hint": outcome.test.hint if not outcome.passed and outcome.test.hint else None,
        "reasons": list(outcome.reasons),
    }
