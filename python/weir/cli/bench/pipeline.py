"""``weir bench pipeline``: measures packets per second through a program."""

from __future__ import annotations

import json
import sys

import click

from weir.cli import text
from weir.cli.bench.options import json_option, seed_option
from weir.cli.group import define_option, executor_option, fill, include_option, read_defines
from weir.text.digits import whole_number


@click.command(
    "pipeline",
    short_help="Measure packets per second through a program.",
    epilog="""\b
Examples:
  weir bench pipeline router.p4 --entries s1-runtime.json
  weir bench pipeline acl.p4 --entries acl.txt --flows 100000 --seconds 5 --json""",
)
@click.argument("program", metavar="FILE.p4", type=click.Path())
@click.option(
    "--entries",
    metavar="FILE",
    type=click.Path(),
    help="Entries: the tutorials' runtime JSON, or runtime commands.",
)
@click.option(
    "--size", type=click.IntRange(42, 9000), default=64, show_default=True, help="Bytes of a packet."
)
@click.option(
    "--packet", metavar="HEX", help="The packet to copy for all flows.  [default: an IPv4 packet with UDP]"
)
@click.option(
    "--flows",
    type=click.IntRange(1, 1 << 22),
    default=1024,
    show_default=True,
    help="The number of different packets. Fields that tables match on get random values from the "
    "entries; fields that an entry does not constrain keep their value.",
)
@click.option(
    "--ports", metavar="N,N,…", default="0", show_default=True, help="The ingress ports, used in turn."
)
@click.option(
    "--seconds",
    type=click.FloatRange(0.01, 3600),
    default=2.0,
    show_default=True,
    help="The duration of the measurement.",
)
@seed_option
@executor_option
@json_option
@include_option
@define_option
def pipeline(
    program: str,
    entries: str | None,
    size: int,
    packet: str | None,
    flows: int,
    ports: str,
    seconds: float,
    seed: int,
    executor: str | None,
    as_json: bool,
    include: tuple[str, ...],
    define: tuple[str, ...],
) -> None:
    """Measure how many packets per second a program processes on one core.

    Packets pass from memory to memory through parser, tables and deparser, without queues or pass
    latency. Dropped packets also count. The table shows how many packets left the switch.
    """
    from weir import _core
    from weir.bench import time_pipeline
    from weir.control.switch import Switch
    from weir.program import compile

    octets = _core.read_hex(packet, "the packet") if packet is not None else None
    compiled = compile(
        program, include, read_defines(define), executor=executor, colour=text.colour(sys.stderr)
    )
    numbers = _ports(ports, compiled._ports[-1])

    def load(switch: Switch) -> None:
        if entries is not None:
            with text.show_progress(f"creating the entries of {entries}"):
                fill(switch, entries)

    speed = time_pipeline(
        compiled, load=load, packet=octets, size=size, flows=flows, ports=numbers, seconds=seconds, seed=seed
    )
    if as_json:
        fields = {
            "program": speed.program,
            "executor": speed.executor,
            "packets_per_second": speed.packets_per_second,
            "ns_per_packet": speed.ns_per_packet,
            "packets": speed.packets,
            "out": speed.out,
            "dropped": speed.dropped,
            "seconds": speed.seconds,
            "size": speed.size,
            "flows": speed.flows,
            "entries": speed.entries,
            "ns_undisturbed": speed.ns_undisturbed,
            "varied": list(speed.varied),
        }
        click.echo(json.dumps(fields))
        return
    rows = [
        ["packets per second", f"{speed.packets_per_second:,.0f}"],
        ["ns per packet", f"{speed.ns_per_packet:,.1f}"],
        ["  undisturbed", f"{speed.ns_undisturbed:,.1f}"],
        ["executor", speed.executor],
        ["sent", f"{100 * speed.out / speed.packets:.1f} %"],
        ["dropped", f"{100 * speed.dropped / speed.packets:.1f} %"],
        ["packet", f"{speed.size} bytes"],
        ["entries", f"{speed.entries:,}"],
        ["flows", f"{speed.flows:,}"],
        [
            "that differ in",
            ", ".join(speed.varied) or "no field: no table with entries matches on a header field",
        ],
    ]
    text.table([speed.program, ""], rows)
    if entries is None:
        constant = "except for constant entries " if speed.entries else ""
        click.echo(
            f"No --entries: tables are empty {constant}and packets take their default actions. "
            "Results with a file of entries are more realistic."
        )


def _ports(text: str, last: int) -> list[int]:
    numbers = []
    for part in text.split(","):
        number = whole_number(part.strip(), most=last)
        if number is None:
            raise click.BadParameter(
                f'"{part}" is not a port: expected numbers from 0 to {last} such as 0,1,2.',
                param_hint="--ports",
            )
        numbers.append(number)
    return numbers
