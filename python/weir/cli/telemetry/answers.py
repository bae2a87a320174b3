"""Options of commands that query a store, and functions that show the answer."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from weir.cli import text
from weir.cli.output_file import OutputFile
from weir.errors.extras import lab_extra, require_plots

if TYPE_CHECKING:
    from weir.telemetry.limit import WhenFull
    from weir.telemetry.questions.answer import Answer
    from weir.telemetry.store import Store

_MEMORY_KEY = "weir.cli.telemetry.memory"
"""The key in the context's ``meta`` of the maximum memory of a query."""


def _keep_memory(context: click.Context, _: click.Parameter, value: str | None) -> None:
    if value is not None:
        context.meta[_MEMORY_KEY] = value


store_argument = click.argument("store", metavar="STORE", type=click.Path())

memory_option = click.option(
    "--memory",
    metavar="SIZE",
    callback=_keep_memory,
    expose_value=False,
    help="The maximum memory of the query.  [default: 2GB]",
)


def _checked_time(_: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    """Checks the value of an option that is a time, so that an error names the option."""
    if value is not None:
        from weir import units

        units.time_ns(value, parameter.opts[0], "s")
    return value


_CHOICE = {
    "flow": click.option(
        "--flow",
        metavar="FLOW",
        help='Select this flow, such as "udp 10.0.1.1:4000 > 10.0.2.2:5000"; parts may be missing or *.',
    ),
    "node": click.option("--node", type=click.IntRange(0), metavar="N", help="Select the node with this id."),
    "port": click.option("--port", type=click.IntRange(0), metavar="N", help="Select this egress port."),
    "queue": click.option(
        "--queue", type=click.IntRange(0), metavar="N", help="Select the queue with this id."
    ),
    "start": click.option(
        "--from",
        "start",
        callback=_checked_time,
        metavar="TIME",
        help="Select reports that arrived at this time or later, such as 1.5s.",
    ),
    "end": click.option(
        "--to",
        "end",
        callback=_checked_time,
        metavar="TIME",
        help="Select reports that arrived before this time.",
    ),
}

clock_option = click.option(
    "--clock",
    type=click.Choice(["arrival", "node"]),
    default="arrival",
    show_default=True,
    help="The clock for times: the arrival of reports, or the packet's time at the node if reports contain it.",
)

_OUTPUT = (
    click.option(
        "--rows",
        type=click.IntRange(0),
        default=40,
        show_default=True,
        metavar="N",
        help="The number of rows to print; 0 for all.",
    ),
    click.option("--json", "as_json", is_flag=True, help="Print all rows as JSON."),
    click.option("--csv", metavar="FILE", type=OutputFile(), help="Write all rows to this file."),
    click.option(
        "--plot", metavar="FILE", type=OutputFile(), help="Draw all rows to this file (.png, .svg, .pdf)."
    ),
)


def selection_options(*names: str) -> Callable[[Any], Any]:
    """Returns a decorator that adds the options with these names, which select the reports of a
    query."""

    def add(command: Any) -> Any:
        for name in reversed(names):
            command = _CHOICE[name](command)
        return command

    return add


def output_options(command: Any) -> Any:
    """Adds the options that choose how to show an answer, for :func:`show_answer`."""
    for option in (memory_option, *reversed(_OUTPUT)):
        command = option(command)
    return command


def open_store(folder: str, limit: str | None = None, when_full: WhenFull = "stop") -> Store:
    """Opens the store in a folder, with a size limit for added reports."""
    with lab_extra("telemetry stores"):
        from weir.telemetry.database import MEMORY
        from weir.telemetry.store import Store

    memory = click.get_current_context().meta.get(_MEMORY_KEY, MEMORY)
    return Store(folder, limit=limit, when_full=when_full, memory=memory)


def show_answer(
    ask: Callable[[], Answer],
    rows: int,
    as_json: bool,
    csv: str | None,
    plot: str | None,
    *,
    limited: bool = False,
) -> None:
    """Runs a query, and prints, writes or draws the answer.

    ``limited`` is whether options restrict the query to some flows, nodes, ports or times.
    """
    if plot is not None:
        require_plots(plot)
    with text.show_progress("reading the store"):
        answer = ask()
    if as_json:
        click.echo(json.dumps(answer.rows(), indent=2, default=bytes.hex))
    elif len(answer):
        print_table(answer, rows)
    else:
        hint = " with these options; weir telemetry show lists nodes and flows" if limited else ""
        click.echo(f"no {answer.title}{hint}")
    if csv is not None:
        answer.to_csv(csv)
    if plot is not None:
        answer.plot(plot)


def print_table(answer: Answer, rows: int) -> None:
    """Prints the first rows, or all if ``rows`` is 0, and the number of further rows."""
    head, *lines = answer.table(rows or None)
    text.heading(head)
    for line in lines:
        click.echo(line)
    if 0 < rows < len(answer):
        click.echo(f"and {len(answer) - rows} more: --rows 0 prints all, --csv FILE writes them")
