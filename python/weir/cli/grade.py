"""``weir grade``: grades programs of students with the tests of an exercise."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from weir.cli import text
from weir.cli.files import Input, Output, OutputFile
from weir.cli.group import complete_from, executor_option
from weir.text.visible import visible

if TYPE_CHECKING:
    from weir.grade import Exercise, Grade, Outcome, Submission


def _names() -> Iterable[str]:
    from weir.grade import EXERCISES

    return EXERCISES


@click.command(
    "grade",
    short_help="Grade programs of students.",
    epilog="""\b
Examples:
  weir grade reflector --copy my-reflector
  weir grade my-reflector my-reflector/solution
  weir grade my-reflector submissions/*.p4 --page grades.html --junit grades.xml
  weir grade my-reflector submissions/ada.p4 --student ada --page ada.html""",
)
@click.argument("exercise", metavar="EXERCISE", shell_complete=complete_from(_names))
@click.argument("submissions", metavar="FILE.p4|DIR...", type=Input(), nargs=-1)
@click.option(
    "--student",
    metavar="ID",
    help="Write output that this student may see: of hidden tests, only title, points and hint. The id also seeds random tests.",
)
@executor_option
@click.option("--json", "as_json", is_flag=True, help="Write JSON for tools (docs/how-to/grading.md).")
@click.option("--junit", metavar="FILE", type=OutputFile(), help="Write JUnit XML into this file.")
@click.option("--page", metavar="FILE", type=OutputFile(), help="Write a page (HTML) into this file.")
@click.option(
    "--copy", metavar="DIR", type=Output(), help="Copy the exercise into a new folder, to modify it."
)
def command(
    exercise: str,
    submissions: tuple[str, ...],
    student: str | None,
    executor: str | None,
    as_json: bool,
    junit: str | None,
    page: str | None,
    copy: str | None,
) -> int:
    """Grade P4 programs of students with the visible and hidden tests of an exercise.

    EXERCISE is a folder with exercise.toml (docs/how-to/grading.md), or an exercise that comes with
    Weir: reflector, ipv4, tags, quota or trail. Each submission is a program, or a folder with a
    program that has the name of the exercise's template. The name of the file or folder is the
    student's id. Each test runs in a process of its own, with a time limit. The exit code is 1 if a
    test fails.
    """
    from weir.errors import CommandError
    from weir.grade import find_exercise

    found = find_exercise(exercise)
    if copy is not None:
        if submissions:
            raise CommandError("--copy takes no submissions: expected weir grade EXERCISE --copy DIR")
        return _copy(found, copy)
    if not submissions:
        raise click.UsageError("Missing argument 'FILE.p4|DIR...'.")
    if student is not None and len(submissions) > 1:
        raise CommandError(f"--student takes one submission, found {len(submissions)}")
    if page is not None:
        from weir.errors.extras import lab_extra

        with lab_extra("pages"):
            import weir.grade.page  # noqa: F401
    with text.show_progress(f"grading {found.name}"):
        grades = _grades(found, submissions, student, executor)
    _write(found, grades, junit, page)
    if as_json:
        from weir.grade.document import json_text

        click.echo(json_text(found, grades))
    elif len(grades) == 1:
        _show(grades[0])
    else:
        _show_all(grades)
    return 0 if all(grade.is_full for grade in grades) else 1


def _copy(exercise: Exercise, folder: str) -> int:
    from weir.files import copy_folder

    for file in copy_folder(exercise.folder, folder, (".toml", ".md", ".p4", ".stf", ".py")):
        click.echo(str(file))
    solution = text.shell_path(str(Path(folder) / "solution"))
    click.echo(f"Try it: weir grade {text.shell_path(folder)} {solution}")
    return 0


def _grades(
    exercise: Exercise, paths: Sequence[str], student: str | None, executor: str | None
) -> list[Grade]:
    from weir.grade import grade

    grades = [grade(exercise, one, executor) for one in _submissions(exercise, paths, student)]
    return grades if student is None else [one.for_student() for one in grades]


def _submissions(exercise: Exercise, paths: Sequence[str], student: str | None) -> list[Submission]:
    """Reads the submissions; each student may have only one."""
    from weir.errors import CommandError
    from weir.grade import read_submission

    submissions: dict[str, Submission] = {}
    for path in paths:
        submission = read_submission(Path(path), exercise.template.name, student)
        if submission.student in submissions:
            raise CommandError(
                f"a second submission of {submission.student}: expected one of each student", file=path
            )
        submissions[submission.student] = submission
    return list(submissions.values())


def _write(exercise: Exercise, grades: Sequence[Grade], junit: str | None, page: str | None) -> None:
    if junit is not None:
        from weir.files.whole_file import write_whole_text
        from weir.grade.junit import junit_xml

        write_whole_text(Path(junit), junit_xml(exercise, grades), follow=True)
    if page is not None:
        from weir.grade.page import grades_page

        grades_page(exercise, grades).write(Path(page), follow=True)


def _show(grade: Grade) -> None:
    if grade.error:
        text.error(grade.error)
    for outcome in grade.outcomes:
        points = f"{outcome.points}/{outcome.test.points}"
        text.coloured_line(f"{text.verdict(outcome.passed)}  {points:5}  {visible(outcome.test.title)}")
        for line in [] if grade.error else _explained(outcome):
            click.echo(f"             {line}")
    click.echo(f"{grade.student}: {grade.points} of {grade.exercise.points} points")


def _explained(outcome: Outcome) -> list[str]:
    """Returns the lines below a failed test: the hint, and the reasons."""
    if outcome.passed:
        return []
    return [*([f"hint: {outcome.test.hint}"] if outcome.test.hint else []), *outcome.reasons]


def _show_all(grades: Sequence[Grade]) -> None:
    rows = [[grade.student, f"{grade.points} of {grade.exercise.points}", _failed(grade)] for grade in grades]
    text.table(["student", "points", "failed tests"], rows)
    full = sum(grade.is_full for grade in grades)
    click.echo(f"{full} of {len(grades)} submissions passed all tests")


def _failed(grade: Grade) -> str:
    if grade.error:
        return f"all: {click.unstyle(grade.error.splitlines()[0])}"
    return ", ".join(outcome.test.title for outcome in grade.outcomes if not outcome.passed)
