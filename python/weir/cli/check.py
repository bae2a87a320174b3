"""``weir check``: checks whether P4 programs are valid."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from weir.cli.group import define_option, include_option, read_defines
from weir.cli.text import colour, coloured_line, error
from weir.text.visible import visible_but_colours

if TYPE_CHECKING:
    from weir.errors.diagnostic import Diagnostic


@click.command(
    "check",
    short_help="Check P4 programs.",
    epilog="""\b
Examples:
  weir check router.p4
  weir check router.p4 -I headers -D WITH_ACL
  weir check --werror -W no-unused-parameter *.p4
  weir check --json router.p4
  weir check --gso router.p4
  weir check --target bmv2 router.p4""",
)
@click.argument("files", metavar="FILE.p4|FILE.json...", type=click.Path(), nargs=-1, required=True)
@include_option
@define_option
@click.option(
    "-W",
    "choices",
    multiple=True,
    metavar="no-ID",
    help="Suppress warnings and notes with this id (`weir explain` lists all ids); no-all suppresses all. May be repeated.",
)
@click.option(
    "--target",
    metavar="NAME",
    help="Warn about code that another switch would refuse (bmv2-refuses) or run differently "
    "(bmv2-differs). The only target is bmv2: `p4c-bm2-ss` with `simple_switch`.",
)
@click.option("--werror", is_flag=True, help="Exit with code 1 if there are warnings.")
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="Write each diagnostic as a line of JSON to standard output.",
)
@click.option(
    "--gso",
    is_flag=True,
    help="Report whether `weir switch` can process large frames (GSO) without splitting them and, if not, why.",
)
def command(
    files: tuple[str, ...],
    include: tuple[str, ...],
    define: tuple[str, ...],
    choices: tuple[str, ...],
    target: str | None,
    werror: bool,
    as_json: bool,
    gso: bool,
) -> int:
    """Check P4 programs.

    Prints nothing for valid programs without warnings. Programs for an architecture that Weir
    implements are also loaded. Errors, warnings and notes go to standard error. The exit code is 1
    if there is an error, or with --werror a warning, and 0 otherwise. `weir explain ID` explains an
    id.
    """
    from weir.errors import FileError, NetworkError
    from weir.program import check, compile as compile_program
    from weir.program.choices import known_target

    if gso and as_json:
        raise click.UsageError("--gso prints sentences: leave out --json.")

    left_out = _suppressed_ids(choices)
    try:
        other = None if target is None else known_target(target)
    except NetworkError as e:
        raise click.BadParameter(str(e), param_hint="--target") from None
    coloured = not as_json and colour(sys.stderr)
    failed = False
    shown_count = 0
    for file in files:
        try:
            diagnostics = check(file, include, read_defines(define), target=other, colour=coloured)
        except FileError as e:
            error(str(e))
            if as_json:
                click.echo(_json_of_unreadable(file, str(e)))
            failed = True
            continue
        reported = [
            d
            for d in diagnostics
            if d.severity == "error" or ("all" not in left_out and d.id not in left_out)
        ]
        failures = ("error", "warning") if werror else ("error",)
        failed |= any(d.severity in failures for d in reported)
        if as_json:
            for d in reported:
                click.echo(_json(d))
        elif reported:
            text = "\n\n".join(d.rendered.rstrip("\n") for d in reported)
            coloured_line(visible_but_colours(f"\n{text}" if shown_count else text), err=True)
            shown_count += len(reported)
        if gso and not any(d.severity == "error" or d.id in _NOT_LOADED for d in diagnostics):
            for line in compile_program(file, include, read_defines(define)).whole_frames():
                click.echo(f"{file}: {line}" if len(files) > 1 else line)
    return int(failed)


_NOT_LOADED = ("no-main", "unknown-architecture")
"""The ids of the findings for a valid program that cannot be loaded."""


def _suppressed_ids(choices: tuple[str, ...]) -> set[str]:
    """Reads the ids that the options ``-W no-ID`` suppress."""
    ids = set()
    for choice in choices:
        no, dash, name = choice.partition("-")
        if no != "no" or not dash or not name:
            raise click.BadParameter(f'"{choice}" is not of the form no-ID', param_hint="-W")
        ids.add(name)
    unknown = [name for name in ids if name != "all"]
    if unknown:
        from weir.program.explain import ids as known_ids
        from weir.text.suggest import nearest

        known = known_ids()
        for name in unknown:
            if name not in known:
                suggestion = nearest(name, known)
                hint = f' Did you mean "no-{suggestion}"?' if suggestion else ""
                raise click.BadParameter(f'no warning is called "{name}".{hint}', param_hint="-W")
    return ids


def _json(d: Diagnostic) -> str:
    """Writes a finding as JSON, as docs/reference/diagnostics.md describes it."""
    import json

    primary = next((label for label in d.labels if label.primary), d.labels[0] if d.labels else None)
    place = primary.place if primary else None
    return json.dumps(
        {
            **(_place(place) if place else _empty_place(d.file)),
            "severity": d.severity,
            "id": d.id,
            "message": d.message,
            "labels": [
                {**_place(label.place), "message": label.message, "primary": label.primary}
                for label in d.labels
            ],
            "notes": list(d.notes),
            "suggestions": [
                {**_place(s.place), "message": s.message, "replacement": s.replacement} for s in d.suggestions
            ],
        },
        ensure_ascii=False,
    )


def _json_of_unreadable(file: str, message: str) -> str:
    """Formats the reason why a file cannot be read as JSON, in the form of a finding without an
    id."""
    import json

    diagnostic = {
        **_empty_place(file),
        "severity": "error",
        "id": None,
        "message": message.removeprefix(f"{file}: "),
    }
    return json.dumps({**diagnostic, "labels": [], "notes": [], "suggestions": []}, ensure_ascii=False)


def _empty_place(file: str | None) -> dict[str, object]:
    return {"file": file, "line": None, "column": None, "endLine": None, "endColumn": None}


def _place(place: tuple[str, int, int, int, int]) -> dict[str, object]:
    return dict(zip(("file", "line", "column", "endLine", "endColumn"), place, strict=True))
