"""``weir bench network``: measures packet-hops per second through a virtual network."""

from __future__ import annotations

import dataclasses
import json

import click

from weir.cli import text
from weir.cli.bench.options import json_option, seed_option
from weir.cli.group import executor_option


@click.command(
    "network",
    short_help="Measure packet-hops per second through a virtual network.",
    epilog="""\b
Examples:
  weir bench network
  weir bench network --topology fat-tree --hosts 128 --json""",
)
@click.option(
    "--topology",
    type=click.Choice(["dumbbell", "star", "fat-tree"]),
    default="dumbbell",
    show_default=True,
    help="The shape of the network.",
)
@click.option(
    "--hosts",
    type=click.IntRange(2, 1024),
    default=20,
    show_default=True,
    help="Half of the hosts send to the others. At most 1000 in a dumbbell and 500 in a star; "
    "a fat tree has 2, 16, 54, 128, 250, 432, 686 or 1024.",
)
@click.option(
    "--seconds",
    type=click.FloatRange(0.01, 3600),
    default=5.0,
    show_default=True,
    help="The duration of the measurement, in real time.",
)
@click.option(
    "--congestion",
    type=click.Choice(["reno", "cubic", "cubic-rfc", "bbr", "bbr-draft"]),
    default="cubic",
    show_default=True,
    help="The flows' congestion control.",
)
@seed_option
@executor_option
@json_option
def network(
    topology: str,
    hosts: int,
    seconds: float,
    congestion: str,
    seed: int,
    executor: str | None,
    as_json: bool,
) -> None:
    """Measure how many packet-hops per second a virtual network processes on one core.

    TCP flows cross P4 switches that route IPv4 over links of 1 Gbit/s. A hop is the arrival of a
    frame, data or acknowledgement, at the other end of a link.
    """
    from weir.bench import time_network

    speed = time_network(
        topology, hosts, seconds=seconds, executor=executor, seed=seed, congestion=congestion
    )
    if as_json:
        fields = {
            "packet_hops_per_second": speed.packet_hops_per_second,
            "ns_per_hop": speed.ns_per_hop,
            **dataclasses.asdict(speed),
        }
        click.echo(json.dumps(fields))
        return
    rows = [
        ["packet-hops per second", f"{speed.packet_hops_per_second:,.0f}"],
        ["ns per packet-hop", f"{speed.ns_per_hop:,.0f}"],
        ["executor", speed.executor],
        ["hosts", f"{speed.hosts:,}"],
        ["switches", f"{speed.switches:,}"],
        ["virtual time", f"{speed.virtual_seconds:.2f} s in {speed.seconds:.2f} s"],
        ["goodput", f"{speed.goodput_bps / 1e9:.3f} Gbit/s, summed over all flows"],
        ["packet-hops", f"{speed.hops:,}"],
        ["events", f"{speed.events:,}"],
    ]
    text.table([speed.topology, ""], rows)
