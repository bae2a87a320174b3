"""``weir bench compile``: measures the time from a program's text to its first packet."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from weir.cli import text
from weir.cli.bench.options import json_option
from weir.cli.group import define_option, executor_option, include_option, read_defines


@click.command(
    "compile",
    short_help="Measure the time from a program's text to its first packet.",
    epilog="""\b
Examples:
  weir bench compile router.p4
  weir bench compile programs/ --rounds 3 --json""",
)
@click.argument("programs", metavar="FILE.p4|FOLDER…", type=click.Path(), nargs=-1, required=True)
@click.option(
    "--rounds",
    type=click.IntRange(1, 1000),
    default=5,
    show_default=True,
    help="Number of measurements; the result is the median.",
)
@executor_option
@json_option
@include_option
@define_option
def compile_(
    programs: tuple[str, ...],
    rounds: int,
    executor: str | None,
    as_json: bool,
    include: tuple[str, ...],
    define: tuple[str, ...],
) -> None:
    """Measure the time from a program's text to its first packet, stage by stage.

    The stages are parsing, checking with all warnings, lowering, passes, preparing the executor,
    and creating a switch with its machine code that processes one packet. A folder means all P4
    programs in it. Programs that cannot run are listed at the end.
    """
    from weir.bench import time_compiler
    from weir.errors import WeirError
    from weir.program import compile

    defines = read_defines(define)
    files = _programs(programs)
    is_single = len(files) == 1
    if is_single:
        # Reports the program's errors once, in colour.
        compile(files[0], include, defines, executor=executor, colour=text.colour(sys.stderr))
    speeds, refused = [], []
    for number, file in enumerate(files, 1):
        with text.show_progress(f"{number} of {len(files)}: {file}"):
            try:
                speeds.append(time_compiler(file, include, defines, executor=executor, rounds=rounds))
            except WeirError as error:
                if is_single:
                    raise
                refused.append((file, click.unstyle(str(error)).splitlines()[0]))
    if as_json:
        fields = [
            {
                "program": speed.program,
                "lines": speed.lines,
                "check_seconds": speed.check,
                "ready_seconds": speed.ready,
                "stages": dict(speed.stages),
                "rounds": speed.rounds,
            }
            for speed in speeds
        ]
        failed = [{"program": file, "error": message} for file, message in refused]
        click.echo(json.dumps(fields[0] if is_single else {"programs": fields, "refused": failed}))
        return
    if speeds:
        stages = list(speeds[0].stages)
        rows = [
            [
                speed.program,
                f"{speed.lines:,}",
                *(f"{1e3 * speed.stages[stage]:.1f}" for stage in stages),
                f"{1e3 * speed.ready:.1f}",
            ]
            for speed in speeds
        ]
        text.table(["program", "lines", *stages, "ms in total"], rows)
    for file, message in refused:
        click.echo(f"cannot run: {file}: {message}")


def _programs(paths: tuple[str, ...]) -> list[str]:
    """Returns the given files, and the P4 files in the given folders."""
    files: list[str] = []
    for one in paths:
        if Path(one).is_dir():
            within = sorted(str(path) for path in Path(one).rglob("*.p4") if path.is_file())
            if not within:
                raise click.BadParameter(f'there is no .p4 file in "{one}".', param_hint="FOLDER")
            files += within
        else:
            files.append(one)
    return files
