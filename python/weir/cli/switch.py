"""``weir switch``: runs a switch between real interfaces, like ``weir-switchd``, which needs no
Python."""

from __future__ import annotations

import sys

import click

from weir import _core
from weir.cli.service import run_service
from weir.errors.linux import require_linux


@click.command(
    "switch",
    short_help="Run a program between network interfaces.",
    add_help_option=False,
    context_settings={"ignore_unknown_options": True},
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def command(arguments: tuple[str, ...]) -> None:
    """Run a P4 program as a switch between network interfaces, until a signal stops it."""
    require_linux("weir switch", "`weir run` runs switches in a virtual network")
    from weir.programs import find

    sys.exit(run_service(lambda: _core.run_switch(["weir switch", *arguments], find=find)))
