"""``weir link``: links real interfaces, like ``weir-link``, which needs no Python."""

from __future__ import annotations

import sys

import click

from weir import _core
from weir.cli.service import run_service
from weir.errors.linux import require_linux


@click.command(
    "link",
    short_help="Link network interfaces with rate, delay and loss.",
    add_help_option=False,
    context_settings={"ignore_unknown_options": True},
)
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
def command(arguments: tuple[str, ...]) -> None:
    """Link network interfaces with rate, delay, jitter and loss, until a signal stops it."""
    require_linux("weir link", "networks of `weir run` have links, too")
    sys.exit(run_service(lambda: _core.run_link(["weir link", *arguments])))
