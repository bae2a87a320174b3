"""Grades as JUnit XML, which CI systems and course platforms read."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from weir.grade.exercise import Exercise
from weir.grade.outcome import Grade, Outcome
from weir.text.visible import visible


def junit_xml(exercise: Exercise, grades: Sequence[Grade]) -> str:
    """Returns the grades of an exercise as XML: a suite for each submission, without times."""
    root = Element("testsuites", name=visible(exercise.title))
    for grade in grades:
        failed = sum(not outcome.passed for outcome in grade.outcomes)
        suite = SubElement(
            root,
            "testsuite",
            name=visible(grade.student),
            tests=str(len(grade.outcomes)),
            failures=str(failed),
            errors="0",
            skipped="0",
        )
        properties = SubElement(suite, "properties")
        SubElement(properties, "property", name="points", value=str(grade.points))
        SubElement(properties, "property", name="maximum", value=str(exercise.points))
        for outcome in grade.outcomes:
            _add_case(suite, exercise, outcome)
        if grade.error:
            SubElement(suite, "system-err").text = visible(grade.error)
    indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + tostring(root, encoding="unicode") + "\n"


def _add_case(suite: Element, exercise: Exercise, outcome: Outcome) -> None:
    case = SubElement(suite, "testcase", classname=visible(exercise.name), name=visible(outcome.test.title))
    if not outcome.passed:
        hint = f"; {outcome.test.hint}" if outcome.test.hint else ""
        lost = f"{outcome.points} of {outcome.test.points} points{hint}"
        SubElement(case, "failure", message=visible(lost)).text = visible("\n".join(outcome.reasons))
