"""``weir trace``: shows the trace of a packet through a P4 program."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from weir.cli import text
from weir.cli.files import Input
from weir.cli.group import define_option, fill, include_option, read_defines
from weir.cli.numbers import Whole

if TYPE_CHECKING:
    from weir.program import Program
    from weir.stf.bench import Bench
    from weir.trace.journey import Journey
    from weir.trace.paths import Paths

_MAX_PACKETS = 1 << 20
_MAX_PASSES = 1000
_Packet = tuple[int, bytes]
"""A packet to send: nanoseconds after the first packet, and bytes."""


@click.command(
    "trace",
    short_help="Trace packets through a program.",
    epilog="""\b
Examples:
  weir trace router.p4 --packet "080000000001 080000000002 0800 45" --port 1
  weir trace router.p4 --packet h1_s1-p1.pcapng --port 1 --limit 3 --entries s1-runtime.json
  weir trace balance.p4 --packet 0102 --port 1 --entries commands.txt --all""",
)
@click.argument("program", metavar="FILE.p4|FILE.json", type=Input())
@click.option(
    "--packet",
    metavar="HEX|FILE.pcap",
    type=Input(may_be_empty=True),
    required=True,
    help="The packet in hexadecimal digits (spaces, colons and a leading 0x are ignored), or a capture (pcap, pcapng) of packets.",
)
@click.option("--port", type=Whole(0), metavar="N", required=True, help="The ingress port.")
@click.option(
    "--entries",
    metavar="FILE",
    type=Input(),
    multiple=True,
    help="A file with table entries: the tutorials' runtime JSON, or runtime commands. May be repeated.",
)
@click.option("--limit", type=Whole(1), metavar="N", help="Trace only the first N packets of a capture.")
@click.option(
    "--all",
    "all_paths",
    is_flag=True,
    help="Follow all possible paths of choices that depend on chance (selector groups, weighted actions, random).",
)
@click.option("--json", "as_json", is_flag=True, help="Write JSON for tools (docs/reference/trace.md).")
@include_option
@define_option
def command(
    program: str,
    packet: str,
    port: int,
    entries: tuple[str, ...],
    limit: int | None,
    all_paths: bool,
    as_json: bool,
    include: tuple[str, ...],
    define: tuple[str, ...],
) -> int:
    """Show the trace of a packet through a P4 program as a tree.

    The tree shows parser states, headers with their values, tables with key, entry and action,
    changed values, queues, and output bytes, each with its source line. The tree has a branch for
    each clone, multicast copy and pass.
    """
    from weir.program import compile
    from weir.trace import document

    packets = _packets(packet, limit)
    compiled = compile(program, include, read_defines(define), colour=text.colour(sys.stderr))
    if port not in compiled._ports:
        raise click.BadParameter(
            f"{port} is not a port of the program: expected 0 to {compiled._ports[-1]}.", param_hint="--port"
        )
    traces = (
        _all_paths(compiled, port, entries, packets)
        if all_paths
        else _default(compiled, port, entries, packets)
    )
    stay: list[int] = []
    are_complete = True

    def shown() -> Iterator[Paths]:
        nonlocal are_complete
        for number, paths in enumerate(traces):
            yield paths
            are_complete &= _is_complete(paths)
            if not all(journey.ended for journey in paths.journeys):
                stay.append(number)

    if as_json:
        for line in document.lines(program, shown()):
            click.echo(line)
    else:
        for number, paths in enumerate(shown()):
            if number:
                click.echo()
            _show_paths(paths)
    if stay:
        text.error(_stay_message(stay, len(packets)))
    return 1 if stay or not are_complete else 0


def _stay_message(stay: Sequence[int], total: int) -> str:
    """Builds the error message that the packets with these numbers (from 0) did not leave the
    switch."""
    limit = f"was still in the switch after a virtual second, or {_MAX_PASSES} passes"
    endless = "its program may recirculate, resubmit or clone it endlessly"
    if total == 1:
        return f"the packet {limit}: {endless}"
    further = f" (and {len(stay) - 1} more)" if len(stay) > 1 else ""
    return f"packet {stay[0] + 1} of {total}{further} {limit}: {endless}"


def _is_complete(paths: Paths) -> bool:
    """Returns whether the trace has all steps; otherwise prints how many steps are missing."""
    if paths.lost_steps:
        text.error(f"the trace is too long: {paths.lost_steps} steps are left out")
    return not paths.lost_steps


def _packets(argument: str, limit: int | None) -> Sequence[_Packet]:
    """Reads the packets that ``--packet`` names, each with its time after the first packet."""
    from weir import _core
    from weir.errors import CommandError, FileError
    from weir.files import system_errors
    from weir.files.opening import refuse_pipe
    from weir.files.textfile import no_such_file

    path = Path(argument)
    digits = re.fullmatch(r"(0x)?[0-9a-fA-F\s:]*", argument) is not None
    if digits or not (path.suffix.lower() in (".pcap", ".pcapng", ".cap", ".ntar") or path.exists()):
        try:
            return [(0, _core.read_hex(argument, "the packet"))]
        except CommandError as error:
            hint = "" if digits else " (and there is no such file)"
            raise CommandError(f"{error.message}{hint}") from None
    if not path.exists():
        raise no_such_file(path)
    if path.is_dir():
        raise FileError("is a directory, expected a capture", file=path)
    with system_errors(path, "cannot be read"):
        refuse_pipe(path)
    rows = _core.read_capture(argument, min(limit or _MAX_PACKETS, _MAX_PACKETS))
    if not rows:
        raise FileError("has no packets", file=path)
    first = rows[0][0]
    return [(time - first, octets) for time, octets in rows]


def _bench(program: Program, entries: Sequence[str]) -> Bench:
    from weir.stf.bench import Bench

    bench = Bench(program, program._ports, passes=_MAX_PASSES)
    for file in entries:
        fill(bench.switch, file)
    return bench


def _send(bench: Bench, port: int, packet: _Packet) -> Journey:
    time, octets = packet
    bench.run_until(max(bench.now_ns, time))
    return bench.send(port, octets)


def _default(
    program: Program, port: int, entries: Sequence[str], packets: Sequence[_Packet]
) -> Iterator[Paths]:
    from weir.trace.paths import Paths

    bench = _bench(program, entries)
    for packet in packets:
        journey = _send(bench, port, packet)
        yield Paths([journey], False, bench.lost_steps)
        bench.forget()
        bench.lost_steps = 0


def _all_paths(
    program: Program, port: int, entries: Sequence[str], packets: Sequence[_Packet]
) -> Iterator[Paths]:
    from weir.trace.paths import explore

    for number, packet in enumerate(packets):
        lost = 0

        def go(options: Sequence[int], number: int = number, packet: _Packet = packet) -> Journey:
            # Each path starts from the state that the switch has after the earlier packets.
            nonlocal lost
            bench = _bench(program, entries)
            for earlier in packets[:number]:
                _send(bench, port, earlier)
            bench.lost_steps = 0
            bench.want_choices(options)
            journey = _send(bench, port, packet)
            lost += bench.lost_steps
            return journey

        paths = explore(go)
        yield replace(paths, lost_steps=lost)


def _show_paths(paths: Paths) -> None:
    """Prints a packet's tree, or the trees of all its paths."""
    from weir.cli.journey import echo, echo_outputs

    default = paths.journeys[0]
    for number, journey in enumerate(paths.journeys, 1):
        if len(paths.journeys) > 1:
            if number > 1:
                click.echo()
            text.heading(_title(journey, number, len(paths.journeys)))
        echo(journey, None if journey is default else default)
        echo_outputs(journey)
    if paths.has_more:
        click.echo(f"there are more paths: the first {len(paths.journeys)} were followed")


def _title(journey: Journey, number: int, total: int) -> str:
    default = " (the default)" if number == 1 else ", from where it differs from path 1"
    choices = "; ".join(f"{choice.what}: {choice.taken}" for choice in journey.choices)
    return f"path {number} of {total}{default}: {choices}"
