"""Options of commands that receive reports: accepted senders, and the size of the store."""

from __future__ import annotations

from typing import Any

import click

DEFAULT_LIMIT = "4GB"


def sender_option(command: Any) -> Any:
    """Adds ``--sender``, for :class:`weir.telemetry.Listener`."""
    return click.option(
        "--sender",
        "senders",
        multiple=True,
        metavar="ADDRESS",
        help="Accept only datagrams from this address or network, such as 10.0.0.0/8. May be repeated.",
    )(command)


def limit_options(command: Any) -> Any:
    """Adds ``--limit`` and ``--when-full``, for :class:`weir.telemetry.Store`."""
    command = click.option(
        "--when-full",
        type=click.Choice(["stop", "oldest"]),
        default="stop",
        show_default=True,
        help="The action at the limit: stop with an error, or remove the oldest batches.",
    )(command)
    return click.option(
        "--limit",
        default=DEFAULT_LIMIT,
        show_default=True,
        metavar="SIZE",
        help="The maximum size of the store, or unlimited.",
    )(command)
