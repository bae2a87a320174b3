"""``weir test``: tests P4 programs with packets."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from weir.cli import text
from weir.cli.files import Input
from weir.cli.group import define_option, executor_option, include_option, read_defines
from weir.text.visible import visible

if TYPE_CHECKING:
    from weir.errors import WeirError
    from weir.program import Program
    from weir.stf import Failure, Result

_MAX_LINES = 500

VERSION = 1
"""The version of the JSON format. It increases when tools that read the JSON must change."""


@click.command(
    "test",
    short_help="Test P4 programs with packets.",
    epilog="""\b
Examples:
  weir test router.p4 router.stf
  weir test router.p4 tests/ -I headers
  weir test examples/""",
)
@click.argument("arguments", metavar="[FILE.p4] FILE.stf|DIR...", type=Input(), nargs=-1, required=True)
@executor_option
@include_option
@define_option
@click.option(
    "--no-trace", is_flag=True, help="Do not show the traces of packets that differ from the expected ones."
)
@click.option("--json", "as_json", is_flag=True, help="Write JSON for tools (docs/how-to/testing-p4.md).")
@click.option(
    "-v",
    "--verbose",
    is_flag=True,
    help="Also show the output of commands such as register_read, and the switch's digests, log lines and idle notices.",
)
def command(
    arguments: tuple[str, ...],
    executor: str | None,
    include: tuple[str, ...],
    define: tuple[str, ...],
    no_trace: bool,
    as_json: bool,
    verbose: bool,
) -> int:
    """Run test files of the simple test framework (packet, expect, add, …) on a P4 program.

    Each file runs on a new switch. A folder means all .stf files in it. Without FILE.p4, each test
    runs on the program of the same name in its folder. FILE.p4 can also be p4c's JSON (FILE.json),
    or the name of a program that comes with Weir, such as router.
    """
    from weir.errors import WeirError
    from weir.stf import run_stf

    programs = _Programs(include, read_defines(define), executor)
    rows = []
    failed = 0
    for path, program in _tests(arguments):
        try:
            if program is None:
                program = _own_program(Path(path))
            result = run_stf(programs.compiled_program(program), path)
        except WeirError as error:
            failed += 1
            rows.append(_error_row(program or "", path, error))
            if not as_json:
                text.error(_error_text(error))
            continue
        failed += not result.passed
        rows.append(_row(program, result))
        if not as_json:
            show(result, trace=not no_trace, verbose=verbose)
    if as_json:
        document = {"format": "weir-test", "version": VERSION, "passed": len(rows) - failed, "failed": failed}
        click.echo(json.dumps({**document, "files": rows}, indent=1, ensure_ascii=False))
    elif len(rows) > 1:
        click.echo(f"{len(rows) - failed} of {len(rows)} files passed")
    return 1 if failed else 0


class _Programs:
    """Compiles the programs of tests, each only once, and reports the errors of each program
    once."""

    def __init__(self, include: Sequence[str], defines: dict[str, str], executor: str | None) -> None:
        self._include = include
        self._defines = defines
        self._executor = executor
        self._known: dict[str, Program | WeirError] = {}

    def compiled_program(self, path: str) -> Program:
        from weir.errors import CommandError, WeirError
        from weir.program import compile

        if path not in self._known:
            try:
                self._known[path] = compile(
                    path,
                    self._include,
                    self._defines,
                    executor=self._executor,
                    colour=text.colour(sys.stderr),
                )
            except WeirError as error:
                self._known[path] = CommandError(f"not run: {path} has errors")
                raise error
        compiled = self._known[path]
        if isinstance(compiled, WeirError):
            raise compiled
        return compiled


def _tests(arguments: Sequence[str]) -> Iterator[tuple[str, str | None]]:
    """Yields the test files, each with its program if the command line names one."""
    from weir.errors import CommandError, FileError
    from weir.programs import is_program

    program = None
    if is_program(arguments[0]):
        program, *arguments = arguments
        if not arguments:
            test_file = Path(program).with_suffix(".stf")
            if not test_file.exists():
                raise CommandError(f"expected test files after {program} (there is no {test_file})")
            arguments = [str(test_file)]
    if late := next((argument for argument in arguments if argument.endswith(".p4")), None):
        raise CommandError(f"expected one program, before the test files: weir test {late} FILE.stf")
    for argument in arguments:
        path = Path(argument)
        if not path.is_dir():
            yield argument, program
            continue
        files = sorted(path.rglob("*.stf"))
        if not files:
            raise FileError("has no .stf files", file=path)
        for file in files:
            yield str(file), program


def _own_program(path: Path) -> str:
    from weir.errors import CommandError
    from weir.files.textfile import no_such_file

    program = path.with_suffix(".p4")
    if not path.exists():
        raise no_such_file(path)
    if not program.exists():
        raise CommandError(
            f"there is no {program.name} in its folder: name the program first (weir test FILE.p4 "
            f"{path.name})",
            file=path,
        )
    return str(program)


def show(result: Result, *, trace: bool, verbose: bool) -> None:
    """Prints the result of a test file: a line with the verdict, and then the failures."""
    text.coloured_line(
        f"{text.verdict(result.passed)}  {visible(str(result.path))}  packets: {result.packets}, checks: {result.checks}"
    )
    if verbose:
        for line in result.printed:
            click.echo(f"  {line}")
    if result.unnamed and (verbose or not result.checks):
        click.echo(f"  packets left at {' and '.join(result.unnamed)}, which are not checked")
    shown_steps: set[int] = set()
    for failure in result.failures:
        _show_failure(result.path, failure, shown_steps, trace=trace)


def _show_failure(path: str, failure: Failure, shown: set[int], *, trace: bool) -> None:
    from weir.cli.journey import echo

    place = f"{path}:{failure.line}: " if failure.line else f"{path}: "
    text.coloured_line(f"{visible(place)}{text.bold(failure.message)}")
    for line in failure.details:
        click.echo(f"  {line}")
    for difference in failure.differences:
        click.echo(f"    {difference}")
    if not trace or failure.journey is None:
        return
    # A packet can fail several lines; its trace is shown once.
    if id(failure.journey) in shown:
        click.echo(f"  the packet of line {failure.sent}, as above")
        return
    shown.add(id(failure.journey))
    click.echo(f"  the packet of line {failure.sent}:")
    echo(failure.journey, indent="  ", maximum=_MAX_LINES)
    if failure.lost_steps:
        text.error(f"the trace is too long: {failure.lost_steps} steps are left out")


def _error_text(error: WeirError) -> str:
    """Formats an error; an error in a test file gets the place and the line."""
    from weir.errors import StfError

    if not isinstance(error, StfError):
        return str(error)
    place = f"{error.file}:{error.line}:"
    snippet = "".join(f"\n  {line}" for line in error.snippet.splitlines())
    return f"{place}{error.column}:{str(error).removeprefix(place)}{snippet}"


def _row(program: str, result: Result) -> dict[str, Any]:
    return {
        "program": program,
        "file": result.path,
        "passed": result.passed,
        "error": None,
        "packets": result.packets,
        "checks": result.checks,
        "printed": result.printed,
        "unnamed": result.unnamed,
        "failures": [_failure(failure) for failure in result.failures],
    }


def _failure(failure: Failure) -> dict[str, Any]:
    from dataclasses import asdict

    from weir.trace import document
    from weir.trace.paths import Paths

    journey, lost = failure.journey, failure.lost_steps
    return {
        "line": failure.line,
        "message": failure.message,
        "details": failure.details,
        "differences": [asdict(difference) for difference in failure.differences],
        "sent": failure.sent,
        "packet": None if journey is None else document.packet(journey.number, Paths([journey], False, lost)),
    }


def _error_row(program: str, path: str, error: WeirError) -> dict[str, Any]:
    empty: dict[str, Any] = {"packets": 0, "checks": 0, "printed": [], "unnamed": [], "failures": []}
    message = click.unstyle(str(error))
    return {"program": program, "file": path, "passed": False, "error": message, **empty}
