"""``weir test``: does a P4 program do with packets what its tests expect?"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from weir.cli import text
from weir.cli.app import define_option, include_option, read_defines

if TYPE_CHECKING:
    from weir.stf import Failure, Result


@click.command(
    "test",
    short_help="Test a P4 program with packets.",
    epilog="""\b
Examples:
  weir test router.p4 router.stf
  weir test router.p4 tests/*.stf -I headers""",
)
@click.argument("program", metavar="FILE.p4")
@click.argument("files", metavar="FILE.stf...", nargs=-1, required=True)
@include_option
@define_option
@click.option("--no-trace", is_flag=True, help="Leave out the journeys of packets that are not as expected.")
@click.option("-v", "--verbose", is_flag=True, help="Show what commands such as register_read print.")
def command(
    program: str,
    files: tuple[str, ...],
    include: tuple[str, ...],
    define: tuple[str, ...],
    no_trace: bool,
    verbose: bool,
) -> int:
    """Run files of the simple test framework (packet, expect, add, …) on a P4 program, each on a switch of its own. A line a file;
    exit code 1 if one fails. docs/testing-p4.md tells what the files may say."""
    from weir.errors import WeirError
    from weir.program import compile
    from weir.stf import run_stf

    compiled = compile(program, include, read_defines(define), colour=text.colour(sys.stderr))
    failed = 0
    for file in files:
        try:
            result = run_stf(compiled, file)
        except WeirError as error:
            text.error(str(error))
            failed += 1
            continue
        show(result, trace=not no_trace, verbose=verbose)
        failed += not result.passed
    if len(files) > 1:
        click.echo(f"{len(files) - failed} of {len(files)} files passed")
    return 1 if failed else 0


def show(result: Result, *, trace: bool, verbose: bool) -> None:
    """Writes a file's result: a line, and behind it what was not as expected."""
    coloured = text.colour(sys.stdout)
    verdict = click.style("pass", fg="green") if result.passed else click.style("FAIL", fg="red", bold=True)
    click.echo(
        f"{verdict}  {result.path}  packets: {result.packets}, checks: {result.checks}", color=coloured
    )
    if verbose:
        for line in result.printed:
            click.echo(f"  {line}")
    for failure in result.failures:
        _show(result.path, failure, trace=trace)


def _show(path: str, failure: Failure, *, trace: bool) -> None:
    place = f"{path}:{failure.line}: " if failure.line else f"{path}: "
    click.echo(f"{place}{failure.message}")
    for line in failure.details:
        click.echo(f"  {line}")
    if trace and failure.journey:
        click.echo("  its journey:")
        for line in failure.journey:
            click.echo(f"    {line}")
