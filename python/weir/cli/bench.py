"""``weir bench``: measures speed on this machine."""

from __future__ import annotations

import dataclasses
import json
import sys
from pathlib import Path

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
  weir bench tables
  weir bench network --hosts 100""",
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
    "--packet", metavar="HEX", help="The packet that all flows are copies of, instead of IPv4 and UDP."
)
@click.option(
    "--flows",
    type=click.IntRange(1, 1 << 22),
    default=1024,
    show_default=True,
    help="Number of different packets; the fields that tables match on are drawn from the entries. "
    "Fields that an entry does not constrain keep their value.",
)
@click.option("--ports", metavar="N,N,…", default="0", show_default=True, help="The ingress ports, in turn.")
@click.option(
    "--seconds",
    type=click.FloatRange(0.01, 3600),
    default=2.0,
    show_default=True,
    help="How long to measure.",
)
@click.option(
    "--seed", type=int, default=1, show_default=True, metavar="N", help="The seed of all randomness."
)
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

    Packets go from memory to memory through parser, tables and deparser, without queues or pass
    latency. Dropped packets count too; the table shows how many left the switch.
    """
    from weir import _core
    from weir.bench import time_pipeline
    from weir.control.switch import Switch
    from weir.program import compile

    octets = _core.read_hex(packet, "the packet") if packet is not None else None
    numbers = _ports(ports)
    compiled = compile(
        program, include, read_defines(define), executor=executor, colour=text.colour(sys.stderr)
    )

    def load(switch: Switch) -> None:
        if entries is not None:
            with text.working(f"making the entries of {entries}"):
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
            "entries": found.entries,
            "ns_undisturbed": found.ns_undisturbed,
            "varied": list(found.varied),
        }
        click.echo(json.dumps(fields))
        return
    rows = [
        ["packets per second", f"{found.packets_per_second:,.0f}"],
        ["ns per packet", f"{found.ns_per_packet:,.1f}"],
        ["  undisturbed", f"{found.ns_undisturbed:,.1f}"],
        ["executor", found.executor],
        ["sent", f"{100 * found.out / found.packets:.1f} %"],
        ["dropped", f"{100 * found.dropped / found.packets:.1f} %"],
        ["packet", f"{found.size} bytes"],
        ["entries", f"{found.entries:,}"],
        ["flows", f"{found.flows:,}"],
        [
            "that differ in",
            ", ".join(found.varied) or "no field: no table with entries matches on a header field",
        ],
    ]
    text.table([found.program, ""], rows)
    if entries is None:
        constant = "except for constant entries " if found.entries else ""
        click.echo(
            f"No --entries: tables are empty {constant}and packets take their default actions. "
            "Results with a file of entries are more realistic."
        )


@command.command(
    "compile",
    short_help="Milliseconds from a program's text to its first packet.",
    epilog="""\b
Examples:
  weir bench compile router.p4
  weir bench compile programs/ --rounds 3 --json""",
)
@click.argument("programs", metavar="FILE.p4|FOLDER…", nargs=-1, required=True)
@click.option(
    "--rounds",
    type=click.IntRange(1, 1000),
    default=5,
    show_default=True,
    help="Number of measurements; the result is the median.",
)
@executor_option
@json_option
@include_option
@define_option
def compile_(
    programs: tuple[str, ...],
    rounds: int,
    executor: str | None,
    as_json: bool,
    include: tuple[str, ...],
    define: tuple[str, ...],
) -> None:
    """Measure the time from a program's text to its first packet, stage by stage.

    The stages are parsing, checking with all warnings, lowering, passes, preparing the executor,
    and creating a switch with its machine code that processes one packet. A folder means all P4
    programs in it; programs that cannot run are listed at the end.
    """
    from weir.bench import time_compiler
    from weir.errors import WeirError
    from weir.program import compile

    defines = read_defines(define)
    files = _programs(programs)
    alone = len(files) == 1
    if alone:
        # Reports its errors once, in colour.
        compile(files[0], include, defines, executor=executor, colour=text.colour(sys.stderr))
    found, refused = [], []
    for number, file in enumerate(files, 1):
        with text.working(f"{number} of {len(files)}: {file}"):
            try:
                found.append(time_compiler(file, include, defines, executor=executor, rounds=rounds))
            except WeirError as error:
                if alone:
                    raise
                refused.append((file, click.unstyle(str(error)).splitlines()[0]))
    if as_json:
        fields = [
            {
                "program": one.program,
                "lines": one.lines,
                "check_seconds": one.check,
                "ready_seconds": one.ready,
                "stages": dict(one.stages),
                "rounds": one.rounds,
            }
            for one in found
        ]
        failed = [{"program": file, "error": message} for file, message in refused]
        click.echo(json.dumps(fields[0] if alone else {"programs": fields, "refused": failed}))
        return
    if found:
        stages = list(found[0].stages)
        rows = [
            [
                one.program,
                f"{one.lines:,}",
                *(f"{1e3 * one.stages[stage]:.1f}" for stage in stages),
                f"{1e3 * one.ready:.1f}",
            ]
            for one in found
        ]
        text.table(["program", "lines", *stages, "ms in total"], rows)
    for file, message in refused:
        click.echo(f"cannot run: {file}: {message}")


@command.command(
    "tables",
    short_help="Nanoseconds per lookup, by kind and size of table.",
    epilog="\b\nExamples:\n  weir bench tables\n  weir bench tables ipv4-1m acl-10k --json",
)
@click.argument("tables", metavar="[TABLE]…", nargs=-1)
@json_option
def tables_(tables: tuple[str, ...], as_json: bool) -> None:
    """Measure lookups and updates in generated tables.

    The tables have 1 000 (1k) to 1 000 000 (1m) entries with exact keys of 48 bits, IPv4 routes
    with random destinations, IPv6 routes, or 5-tuple access control lists with ranges and
    priorities.
    """
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
        "ns/lookup",
        "ns in batches",
        "us/update",
        "s to load",
        "bytes/entry",
    ]
    text.table(heads, rows)


def _programs(given: tuple[str, ...]) -> list[str]:
    """The given files, and the P4 files in the given folders."""
    files: list[str] = []
    for one in given:
        if Path(one).is_dir():
            within = sorted(str(path) for path in Path(one).rglob("*.p4") if path.is_file())
            if not within:
                raise click.BadParameter(f'there is no .p4 file in "{one}".', param_hint="FOLDER")
            files += within
        else:
            files.append(one)
    return files


def _ports(given: str) -> list[int]:
    numbers = []
    for part in given.split(","):
        if not part.strip().isdecimal() or not 0 <= int(part) <= 510:
            raise click.BadParameter(
                f'"{part}" is not a port: expected numbers from 0 to 510 such as 0,1,2.', param_hint="--ports"
            )
        numbers.append(int(part))
    return numbers


@command.command(
    "network",
    short_help="Packet-hops per second through a virtual network.",
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
    help="Half of them send to the others. At most 1000 in a dumbbell, 500 in a star; a fat tree has 2, 16, 54, 128, 250, 432, 686 or"
    " 1024.",
)
@click.option(
    "--seconds",
    type=click.FloatRange(0.01, 3600),
    default=5.0,
    show_default=True,
    help="How long to measure, in real time.",
)
@click.option(
    "--congestion",
    type=click.Choice(["reno", "cubic", "bbr"]),
    default="cubic",
    show_default=True,
    help="The flows' congestion control.",
)
@click.option(
    "--seed", type=int, default=1, show_default=True, metavar="N", help="The seed of all randomness."
)
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

    TCP flows cross P4 switches that route IPv4 over links of 1 Gbit/s. A hop is a frame, data or
    acknowledgement, that arrives at the other end of a link.
    """
    from weir.bench import time_network

    found = time_network(
        topology, hosts, seconds=seconds, executor=executor, seed=seed, congestion=congestion
    )
    if as_json:
        fields = {
            "packet_hops_per_second": found.packet_hops_per_second,
            "ns_per_hop": found.ns_per_hop,
            **dataclasses.asdict(found),
        }
        click.echo(json.dumps(fields))
        return
    rows = [
        ["packet-hops per second", f"{found.packet_hops_per_second:,.0f}"],
        ["ns per packet-hop", f"{found.ns_per_hop:,.0f}"],
        ["executor", found.executor],
        ["hosts", f"{found.hosts:,}"],
        ["switches", f"{found.switches:,}"],
        ["virtual time", f"{found.virtual_seconds:.2f} s in {found.seconds:.2f} s"],
        ["goodput", f"{found.goodput_bps / 1e9:.3f} Gbit/s, all flows together"],
        ["packet-hops", f"{found.hops:,}"],
        ["events", f"{found.events:,}"],
    ]
    text.table([found.topology, ""], rows)
