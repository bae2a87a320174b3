"""``weir bench telemetry``: measures telemetry reports per second that the collector stores."""

from __future__ import annotations

import dataclasses
import json

import click

from weir.cli import text
from weir.cli.bench.options import json_option, seed_option


@click.command(
    "telemetry",
    short_help="Measure telemetry reports per second that the collector stores.",
    epilog="""\b
Examples:
  weir bench telemetry
  weir bench telemetry --hops 3 --batch 10000 --json""",
)
@click.option(
    "--reports",
    type=click.IntRange(100, 100_000_000),
    default=200_000,
    show_default=True,
    help="The number of reports.",
)
@click.option(
    "--hops",
    type=click.IntRange(1, 40),
    default=5,
    show_default=True,
    help="The number of nodes on the path of each report.",
)
@click.option(
    "--batch",
    type=click.IntRange(1, 10_000_000),
    default=50_000,
    show_default=True,
    help="The number of datagrams in each stored batch.",
)
@seed_option
@json_option
def telemetry(reports: int, hops: int, batch: int, seed: int, as_json: bool) -> None:
    """Measure how many telemetry reports per second one core decodes and stores.

    Each datagram has one report of INT-MD over UDP, with node, ports, latency and queue of each
    hop. A report counts when it is on disk. Times are processor time, summed over all threads.
    """
    from weir.bench import time_collector

    speed = time_collector(reports, hops, batch, seed)
    if as_json:
        fields = {
            "reports_per_second": speed.reports_per_second,
            "decode_ratio": speed.decode_ratio,
            **dataclasses.asdict(speed),
        }
        click.echo(json.dumps(fields))
        return
    rows = [
        ["reports per second, stored", f"{speed.reports_per_second:,.0f}"],
        ["reports per second, decoded", f"{speed.reports / speed.decode_seconds:,.0f}"],
        ["the same, decoded one by one", f"{speed.reports / speed.loop_seconds:,.0f}"],
        ["ratio", f"{speed.decode_ratio:.1f}"],
        ["bytes per datagram", f"{speed.datagram_bytes}"],
        ["bytes per report on disk", f"{speed.store_bytes / speed.reports:.1f}"],
    ]
    text.table([f"{speed.reports:,} reports of {speed.hops} hops", ""], rows)
