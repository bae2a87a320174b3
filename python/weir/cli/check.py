"""``weir check``: is this P4 program valid?"""

from __future__ import annotations

import sys

import click

from weir.cli.app import define_option, include_option, read_defines
from weir.cli.text import colour


@click.command(
    "check",
    short_help="Check a P4 program.",
    epilog="""\b
Examples:
  weir check router.p4
  weir check router.p4 -I headers -D WITH_ACL""",
)
@click.argument("file", metavar="FILE.p4")
@include_option
@define_option
@click.option("-w", "--warnings", is_flag=True, help="Show the warnings of valid programs too.")
def command(file: str, include: tuple[str, ...], define: tuple[str, ...], warnings: bool) -> int:
    """Check a P4 program: silent and exit code 0 if it is valid, else its errors and exit code 1."""
    from weir.program import check

    coloured = colour(sys.stderr)
    found = check(file, include, read_defines(define), colour=coloured)
    failed = any(d.severity == "error" for d in found)
    if found and (failed or warnings):
        click.echo("\n\n".join(d.rendered.rstrip("\n") for d in found), err=True, color=coloured)
    return int(failed)
