"""``weir telemetry``: collect, watch and query telemetry reports."""

from __future__ import annotations

import click

from weir.cli.group import LazyGroup
from weir.cli.telemetry import questions
from weir.cli.telemetry.stores import bad, check, compact, export, show, sql


class _Telemetry(LazyGroup):
    # These commands need more modules than the queries.
    modules = "listen live"
    package = "weir.cli.telemetry"


@click.group(
    "telemetry",
    cls=_Telemetry,
    short_help="Collect and query in-band telemetry reports.",
    no_args_is_help=True,
    epilog="""\b
Examples:
  weir telemetry listen --udp :6000 --store run1
  weir telemetry live --udp :6000
  weir telemetry show run1
  weir telemetry latencies run1
  weir telemetry shared run1 --node 2 --at-least 20
  weir telemetry bursts run1 --threshold 32""",
)
def command() -> None:
    """Collect and query reports of in-band network telemetry (INT).

    Reports are UDP datagrams of Telemetry Report v2.0, with metadata of INT v2.1.
    """


for _command in (
    show,
    questions.paths,
    questions.latencies,
    questions.queues,
    questions.shared,
    questions.bursts,
    questions.drops,
    questions.losses,
    bad,
    sql,
    export,
    compact,
    check,
):
    command.add_command(_command)
