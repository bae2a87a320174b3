"""Options that several benchmarks share."""

from __future__ import annotations

import click

from weir.cli.numbers import AnyWhole

json_option = click.option("--json", "as_json", is_flag=True, help="Write JSON, for tools.")
seed_option = click.option(
    "--seed",
    type=AnyWhole(),
    default=1,
    show_default=True,
    metavar="N",
    help="The seed of all random numbers.",
)
