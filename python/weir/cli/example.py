"""``weir example``: runs or copies small example networks."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from weir.cli.group import LazyGroup, complete_from
from weir.cli.output_file import Output, OutputFile
from weir.cli.text import shell_path
from weir.errors import CommandError
from weir.text.suggest import listing, nearest

if TYPE_CHECKING:
    from weir.examples import Example


def _examples() -> Mapping[str, Example]:
    from weir.examples import EXAMPLES

    return EXAMPLES


@click.group(
    "example",
    cls=LazyGroup,
    short_help="Run small networks, or copy them.",
    no_args_is_help=True,
    epilog="""\b
Examples:
  weir example list
  weir example run nat
  weir example copy nat my-nat""",
)
def command() -> None:
    """Run or copy small networks, each with a program, a topology and a script."""


@command.command("list", epilog="\b\nExample:\n  weir example list")
@click.option("--json", "as_json", is_flag=True, help="Print JSON: each example's name and title.")
def list_examples(as_json: bool) -> None:
    """List the examples."""
    from weir.cli import text

    if as_json:
        import json

        rows = [{"name": example.name, "title": example.title} for example in _examples().values()]
        click.echo(json.dumps({"version": 1, "examples": rows}, indent=2))
        return
    text.table(
        ["example", "what it shows"], [[example.name, example.title] for example in _examples().values()]
    )


@command.command(
    "run",
    short_help="Run an example.",
    epilog="\b\nExamples:\n  weir example run nat\n  weir example run aqm --plot aqm.png",
)
@click.argument("name", metavar="EXAMPLE", shell_complete=complete_from(_examples))
@click.option(
    "--plot", metavar="FILE", type=OutputFile(), help="Draw the result into this file (.png, .svg, .pdf)."
)
def run(name: str, plot: str | None) -> None:
    """Run an example, and print what happens."""
    if plot is not None:
        from weir.errors.extras import require_plots

        require_plots(plot)
    _find(name).run(plot)


@command.command(
    "copy", short_help="Copy an example, to modify it.", epilog="\b\nExample:\n  weir example copy nat my-nat"
)
@click.argument("name", metavar="EXAMPLE", shell_complete=complete_from(_examples))
@click.argument("folder", metavar="DIR", type=Output())
def copy(name: str, folder: str) -> None:
    """Copy an example's program, topology, entries and script into a new folder."""
    for file in _find(name).copy(folder):
        click.echo(str(file))
    click.echo(f"Run it: python {shell_path(str(Path(folder) / 'run.py'))}")


def _find(name: str) -> Example:
    examples = _examples()
    if name not in examples:
        suggestion = nearest(name, examples)
        alternatives = "" if suggestion else f" (there are: {listing(examples)})"
        raise CommandError(f'there is no example "{name}"{alternatives}', suggestion=suggestion)
    return examples[name]
