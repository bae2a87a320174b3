"""All commands of weir, from the commands themselves, so that tests do not miss a new one."""

from collections.abc import Iterator

import click

from weir.cli.app import app
from weir.cli.man import walk
from weir.cli.service import ServiceCommand


def _commands() -> Iterator[tuple[str, click.Command]]:
    for path, command, _ in walk(click.Context(app, info_name="weir"), app, ("weir",)):
        if not isinstance(command, (click.Group, ServiceCommand)):
            yield " ".join(path), command


COMMANDS = dict(_commands())
"""Each command whose line Python reads, by the words that call it."""
