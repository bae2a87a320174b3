"""``weir lab``: experiments that are ready to run and to modify."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from weir.cli.app import LazyGroup, complete_from, executor_option
from weir.errors import CommandError
from weir.suggest import listing, nearest

if TYPE_CHECKING:
    from weir.labs import Lab


def _labs() -> Mapping[str, Lab]:
    from weir.labs import LABS

    return LABS


@click.group(
    "lab",
    cls=LazyGroup,
    short_help="Run experiments from papers, or copy them.",
    no_args_is_help=True,
    epilog="""\b
Examples:
  weir lab list
  weir lab run delay --quick
  weir lab new delay my-delay""",
)
def command() -> None:
    """Run experiments from papers."""


@command.command("list", epilog="\b\nExample:\n  weir lab list")
def list_labs() -> None:
    """List the labs."""
    from weir.cli import text

    text.table(["lab", "what it shows"], [[lab.name, lab.title] for lab in _labs().values()])


@command.command(
    "run",
    short_help="Run a lab.",
    epilog="""\b
Examples:
  weir lab run delay
  weir lab run delay --quick --out results/delay --seed 7""",
)
@click.argument("name", metavar="LAB", shell_complete=complete_from(_labs))
@click.option("--quick", is_flag=True, help="Fewer packets, but every case.")
@click.option(
    "--out", metavar="DIR", type=click.Path(), help="The folder of the results.  [default: out/LAB]"
)
@click.option(
    "--seed",
    type=int,
    default=1,
    show_default=True,
    metavar="N",
    help="The seed of all randomness. A lab without random effects, such as delay, gives the same for each seed.",
)
@click.option(
    "--profile", metavar="NAME", help="The timing profile of the switches; each lab has its own default."
)
@executor_option
def run(
    name: str, quick: bool, out: str | None, seed: int, profile: str | None, executor: str | None
) -> None:
    """Run a lab: print its table, and write its results and report to a folder."""
    from weir.labs import Options

    lab = _find(name)
    lab.run(
        Options(
            out=lab.default_out if out is None else Path(out),
            seed=seed,
            quick=quick,
            profile=lab.profiles[0] if profile is None else profile,
            executor=executor,
        )
    )


@command.command(
    "new", short_help="Copy a lab, to modify it.", epilog="\b\nExample:\n  weir lab new delay my-delay"
)
@click.argument("name", metavar="LAB", shell_complete=complete_from(_labs))
@click.argument("folder", metavar="DIR", type=click.Path())
def new(name: str, folder: str) -> None:
    """Copy a lab's program, topology and entries into a new folder, to modify them."""
    from weir.labs import copy_lab

    for file in copy_lab(_find(name), folder):
        click.echo(str(file))


def _find(name: str) -> Lab:
    labs = _labs()
    if name not in labs:
        suggestion = nearest(name, labs)
        known = "" if suggestion else f" (there are: {listing(labs)})"
        raise CommandError(f'there is no lab "{name}"{known}', suggestion=suggestion)
    return labs[name]
