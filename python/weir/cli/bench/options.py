"""Options that several benchmarks share."""

from __future__ import annotations

import click

json_option = click.option("--json", "as_json", is_flag=True, help="Write JSON, for tools.")
seed_option = click.option(
    "--seed", type=int, default=1, show_default=True, metavar="N", help="The seed of all random numbers."
)
