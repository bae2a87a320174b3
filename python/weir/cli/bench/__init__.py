"""``weir bench``: measures speed on this machine."""

from __future__ import annotations

import click

from weir.cli.bench.compile import compile_
from weir.cli.bench.network import network
from weir.cli.bench.pipeline import pipeline
from weir.cli.bench.tables import tables_
from weir.cli.bench.telemetry import telemetry
from weir.cli.group import LazyGroup


@click.group(
    "bench",
    cls=LazyGroup,
    short_help="Measure speed on this machine.",
    no_args_is_help=True,
    epilog="""\b
Examples:
  weir bench pipeline router.p4 --entries s1-runtime.json
  weir bench compile router.p4
  weir bench tables
  weir bench network --hosts 100
  weir bench telemetry""",
)
def command() -> None:
    """Measure speed on this machine."""


for _benchmark in (pipeline, compile_, tables_, network, telemetry):
    command.add_command(_benchmark)
