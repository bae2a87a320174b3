"""``weir bench``: how fast things are on this machine."""

from __future__ import annotations

import dataclasses
import json
import sys

import click

from weir.cli import text
from weir.cli.app import LazyGroup, define_option, executor_option, fill, include_option, read_defines


@click.group(
    "bench",
    cls=LazyGroup,
    short_help="Measure speed on this machine.",
    no_args_is_help=True,
    epilog="""\b
Examples:
  weir bench pipeline router.p4 --entries s1-runtime.json
  weir bench compile router.p4
  weir bench tables""",
)
def command() -> None:
    """Measure speed on this machine."""


json_option = click.option("--json", "as_json", is_flag=True, help="Write JSON, for tools.")


@command.command(
    "pipeline",
    short_help="Packets per second through a program.",
    epilog="""\b
Examples:
  weir bench pipeline router.p4 --entries s1-runtime.json
  weir bench pipeline acl.p4 --entries acl.txt --flows 100000 --seconds 5 --json""",
)
@click.argument("program", metavar="FILE.p4")
@click.option("--entries", metavar="FILE", help="Entries: the tutorials' runtime JSON, or runtime commands.")
@click.option(
    "--size", type=click.IntRange(42, 9000), default=64, show_default=True, help="Bytes of a packet."
)
@click.option(
    "--packet", metavar="HEX", help="The packet that all flows start from, in place of IPv4 and UDP."
)
@click.option(
    "--flows",
    type=click.IntRange(1, 1 << 22),
    default=1024,
    show_default=True,
    help="Different packets; the fields that tables match on are drawn from the entries.",
)
@click.option(
    "--ports", metavar="N,N,…", default="0", show_default=True, help="Where the packets come in, in turn."
)
@click.option(
    "--seconds", type=click.FloatRange(0.01, 3600), default=2.0, show_default=True, help="For how long."
)
@click.option("--seed", type=int, default=1, show_default=True, metavar="N", help="Where randomness begins.")
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
    """Measure how many packets a second a program carries from memory to memory on one core: parser, tables, deparser, with nothing that
    holds packets up. Packets that the program drops count too; the table says how many came out."""
    from weir.bench import time_pipeline
    from weir.control.switch import Switch
    from weir.program import compile
    from weir.stf.pattern import read_hex

    octets = read_hex(packet, "the packet") if packet is not None else None
    numbers = _ports(ports)
    compiled = compile(
        program, include, read_defines(define), executor=executor, colour=text.colour(sys.stderr)
    )

    def load(switch: Switch) -> None:
        if entries is not None:
            fill(switch, entries)

    found = time_pipeline(
        compiled, load=load, packet=octets, size=size, flows=flows, ports=numbers, seconds=seconds, seed=seed
    )
    if as_json:
        fields = {
            "program": found.program,
            "executor": found.executor,
            "packets_per_second": found.packets_per_second,
            "ns_per_packet": found.ns_per_packet,
            "packets": found.packets,
            "out": found.out,
            "dropped": found.dropped,
            "seconds": found.seconds,
            "size": found.size,
            "flows": found.flows,
            "varied": list(found.varied),
        }
        click.echo(json.dumps(fields))
        return
    rows = [
        ["packets per second", f"{found.packets_per_second:,.0f}"],
        ["ns per packet", f"{found.ns_per_packet:,.1f}"],
        ["executor", found.executor],
        ["came out", f"{100 * found.out / found.packets:.1f} %"],
        ["dropped", f"{100 * found.dropped / found.packets:.1f} %"],
        ["packet", f"{found.size} bytes"],
        ["flows", f"{found.flows:,}"],
        [
            "that differ in",
            ", ".join(found.varied) or "nothing: no table with entries matches on a header field",
        ],
    ]
    text.table([found.program, ""], rows)


@command.command(
    "compile",
    short_help="Milliseconds to check and to make ready.",
    epilog="\b\nExample:\n  weir bench compile router.p4",
)
@click.argument("program", metavar="FILE.p4")
@click.option(
    "--rounds",
    type=click.IntRange(1, 1000),
    default=5,
    show_default=True,
    help="How often; the median counts.",
)
@json_option
@include_option
@define_option
def compile_(
    program: str, rounds: int, as_json: bool, include: tuple[str, ...], define: tuple[str, ...]
) -> None:
    """Measure how long it takes to check a program, and to make it ready for its first packet."""
    from weir.bench import time_compiler
    from weir.program import compile

    defines = read_defines(define)
    # Its errors are told once, in colour.
    compile(program, include, defines, colour=text.colour(sys.stderr))
    found = time_compiler(program, include, defines, rounds=rounds)
    if as_json:
        fields = {
            "program": found.program,
            "lines": found.lines,
            "check_seconds": found.check,
            "ready_seconds": found.ready,
            "rounds": found.rounds,
        }
        click.echo(json.dumps(fields))
        return
    rows = [
        ["check", f"{1e3 * found.check:.1f} ms"],
        ["ready for packets", f"{1e3 * found.ready:.1f} ms"],
        ["lines", f"{found.lines:,}"],
    ]
    text.table([found.program, ""], rows)


@command.command(
    "tables",
    short_help="Nanoseconds of a look-up, by kind and size of table.",
    epilog="\b\nExamples:\n  weir bench tables\n  weir bench tables ipv4-1m acl-10k --json",
)
@click.argument("tables", metavar="[TABLE]…", nargs=-1)
@json_option
def tables_(tables: tuple[str, ...], as_json: bool) -> None:
    """Measure what look-ups and changes cost in made-up tables: 1 000 (1k) to 1 000 000 (1m) entries with exact keys of 48 bits, IPv4
    routes with random destinations, IPv6 routes, 5-tuple access lists with ranges and priorities."""
    from weir.bench import table_names, time_table

    known = table_names()
    for name in tables:
        if name not in known:
            raise click.BadParameter(
                f'there is no table "{name}"; there are {", ".join(known)}', param_hint="TABLE"
            )
    found = [(name, time_table(name)) for name in tables or known]
    if as_json:
        click.echo(json.dumps([{"table": name, **dataclasses.asdict(figures)} for name, figures in found]))
        return
    rows = [
        [
            name,
            one.what,
            f"{one.entries:,}",
            f"{one.ns_per_lookup:.1f}",
            f"{one.ns_per_batched_lookup:.1f}",
            f"{one.us_per_update:.2f}",
            f"{one.load_seconds:.3f}",
            f"{one.bytes_per_entry:.1f}",
        ]
        for name, one in found
    ]
    heads = [
        "table",
        "key",
        "entries",
        "ns/look-up",
        "ns in batches",
        "us/change",
        "s to load",
        "bytes/entry",
    ]
    text.table(heads, rows)


def _ports(given: str) -> list[int]:
    numbers = []
    for part in given.split(","):
        if not part.strip().isdecimal() or not 0 <= int(part) <= 510:
            raise click.BadParameter(
                f'"{part}" is no port: write numbers from 0 to 510 like 0,1,2.', param_hint="--ports"
            )
        numbers.append(int(part))
    return numbers
