"""``weir trace``: a packet's journey through a P4 program."""

from __future__ import annotations

import sys

import click

from weir.cli import text
from weir.cli.app import define_option, include_option, read_defines


@click.command(
    "trace",
    short_help="Tell a packet's journey.",
    epilog="""\b
Examples:
  weir trace router.p4 --packet "080000000001 080000000002 0800 45" --port 1
  weir trace router.p4 --packet 0102 --port 1 --entries s1-runtime.json""",
)
@click.argument("program", metavar="FILE.p4")
@click.option("--packet", metavar="HEX", required=True, help="The packet; spaces do not matter.")
@click.option(
    "--port", type=click.IntRange(0, 510), metavar="N", required=True, help="The port that it comes in on."
)
@click.option("--entries", metavar="FILE", help="Entries: the tutorials' runtime JSON, or runtime commands.")
@include_option
@define_option
def command(
    program: str,
    packet: str,
    port: int,
    entries: str | None,
    include: tuple[str, ...],
    define: tuple[str, ...],
) -> int:
    """Tell a packet's journey through a P4 program: states, headers, tables with key, entry and action, values, queues, bytes out;
    each step with its source line. Copies share the list, in order of time."""
    from weir.program import compile
    from weir.stf.bench import Bench
    from weir.stf.pattern import grouped, read_hex

    octets = read_hex(packet, "the packet")
    compiled = compile(program, include, read_defines(define), colour=text.colour(sys.stderr))
    bench = Bench(compiled, range(511))
    if entries is not None and entries.endswith(".json"):
        bench.switch.load_entries(entries)
    elif entries is not None:
        bench.switch.run_commands(entries)
    number = bench.receive(port, octets)
    outputs, empty = bench.settle()
    for line in bench.journey(number):
        click.echo(line)
    for output in outputs:
        click.echo(f"out of port {output.port}: {grouped(output.packet.hex())}")
    if not outputs and empty:
        click.echo("nothing came out")
    if not empty:
        text.error("the packet was still in the switch after a virtual second")
    return 0 if empty else 1
