"""``weir iperf`` and, at the prompt, ``h1 iperf h2``: with the syntax and the output of iperf."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Final

import click

from weir.cli.files import Input, OutputFile
from weir.cli.flags import FAMILY, Flags, dscp, family, seconds, type_of_service
from weir.cli.network_options import (
    NetworkCommand,
    complete_host,
    exit_code,
    network_options,
    open_network,
    sending_host,
)
from weir.errors import CommandError, NetworkError, UnitError
from weir.errors.extras import require_plots
from weir.flows import IperfOptions, TcpFlow, UdpFlow
from weir.measure import FlowResult, TcpInterval, TcpStream, UdpInterval, UdpResult, UdpStream
from weir.measure.losses import add_reason
from weir.network import Network
from weir.text.digits import finite_number

_MAX_FLOWS: Final = 10_000
"""The maximum of ``-P``: each flow takes time and memory before the first packet leaves."""

_MAX_DIGITS: Final = 15
_PREFIXES = {"k": 10**3, "m": 10**6, "g": 10**9}

FLAGS = Flags(
    ("-u", "udp", None, "Send UDP datagrams at a fixed rate instead of using TCP."),
    (
        "-b",
        "rate",
        "RATE",
        "Bits per second: the rate of UDP (1M by default), or the pacing rate of TCP (0 for none).",
    ),
    ("-t", "duration", "SECONDS", "The time to send.  [default: 10]"),
    ("-n", "size", "BYTES", "The number of bytes to send, such as 10M, instead of a time."),
    ("-P", "parallel", "FLOWS", "The number of parallel flows."),
    ("-R", "reverse", None, "Reverse: the target sends."),
    ("-i", "interval", "SECONDS", "Time between two reports, 0 for none.  [default: 1]"),
    ("-l", "length", "BYTES", "The payload bytes of a datagram.  [default: 1470; 1450 with IPv6]"),
    ("-M", "mss", "BYTES", "The payload bytes of a TCP segment."),
    ("-w", "window", "BYTES", "The maximum number of bytes that TCP has in flight."),
    ("-C", "congestion", "NAME", "TCP's congestion control: reno, cubic, cubic-rfc, bbr or bbr-draft."),
    ("-p", "port", "PORT", "The target's port.  [default: 5201]"),
    (
        "--server",
        "server",
        "HOST",
        "The receiving host, if the data plane rewrites the target's address. Name several hosts if "
        "the data plane balances load: h2,h3.",
    ),
    ("-S", "tos", "TOS", "Type of service of the packets (IPv6: traffic class); also --tos.  [default: 0]"),
    ("--tos", "tos_too", "TOS", "The same as -S."),
    ("--dscp", "dscp", "DSCP", "Type of service given as a DSCP: a number, or a name such as ef or af21."),
    *FAMILY,
)

_TOS_FLAGS = {"tos": "-S", "tos_too": "--tos", "dscp": "--dscp"}
"""The flags that set the type of service, the byte in the IP header."""

USAGE = f"HOST iperf {FLAGS.usage} TARGET"


@click.command(
    "iperf",
    cls=NetworkCommand,
    short_help="Measure a flow over a topology.",
    epilog="""\b
Examples:
  weir iperf topology.json h1 h2 --p4 router.p4
  weir iperf topology.json h1 h2 --p4 router.p4 -u -b 10M -t 5 --json
  weir iperf topology.json h1 h2 --p4 router.p4 -P 4 -C bbr --plot goodput.png""",
)
@click.argument("topology", metavar="TOPOLOGY", type=Input())
@click.argument("source", metavar="HOST", shell_complete=complete_host)
@click.argument("target", metavar="TARGET", shell_complete=complete_host)
@FLAGS.options
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
@click.option(
    "--plot",
    metavar="FILE",
    type=OutputFile(),
    help="Draw goodput over time to this file (.png, .svg, .pdf).",
)
@click.option("--csv", metavar="FILE", type=OutputFile(), help="Write the intervals to this file.")
@network_options
def command(
    source: str, target: str, as_json: bool, plot: str | None, csv: str | None, udp: bool, **given: Any
) -> int:
    """Send a flow from HOST to TARGET in virtual time, and print the goodput of each interval."""
    if plot is not None:
        require_plots(plot)
    options = _read(given, udp=udp)
    with open_network(given) as network, _errors_with_flags():
        result = _run(network, source, target, udp, options)
    click.echo(json.dumps({"version": 1, **result.to_dict()}, indent=2) if as_json else report(result))
    if plot is not None:
        result.plot(plot, title=f"{result.source} to {result.target}")
    if csv is not None:
        result.to_csv(csv)
    return exit_code(network, result.bytes > 0)


@click.command("iperf", add_help_option=False)
@click.argument("target", nargs=-1)
# Commands copied from iperf clients have -c before the target.
@click.option("-c", "client", is_flag=True)
# iperf 2's option for IPv6.
@click.option("-V", "old_v6", is_flag=True)
@FLAGS.options
def _shell_arguments(**given: Any) -> dict[str, Any]:
    return given


def run_iperf(network: Network, host: str, args: list[str]) -> bool:
    """Runs iperf with these arguments, and prints the result.

    Returns:
        Whether any data arrived.

    Raises:
        CommandError: the arguments cannot be understood.
    """
    target, udp, options = _parsed_arguments(args)
    with _errors_with_flags():
        result = _run(network, host, target, udp, options)
    click.echo(report(result))
    return result.bytes > 0


def start(network: Network, host: str, args: list[str]) -> tuple[TcpFlow | UdpFlow, Callable[[], str]]:
    """Starts iperf with these arguments.

    Returns:
        The flow, and a function that prints its report.

    Raises:
        CommandError: the arguments cannot be understood.
    """
    target, udp, options = _parsed_arguments(args)
    with _errors_with_flags():
        flow = sending_host(network, host, target).start_iperf(target, udp=udp, **options)
    return flow, lambda: report(flow.result())


def _parsed_arguments(args: list[str]) -> tuple[str, bool, IperfOptions]:
    """Parses the arguments: the target, whether the flow uses UDP, and the options as arguments of
    :meth:`Host.iperf`."""
    try:
        options: dict[str, Any] = _shell_arguments.main(args, "iperf", standalone_mode=False)
    except click.UsageError as error:
        message = error.format_message().rstrip(".")
        raise CommandError(f"iperf: {message[0].lower()}{message[1:]} ({USAGE})") from None
    targets = options.pop("target")
    if len(targets) != 1:
        raise CommandError(f"iperf: expected one target, found {len(targets)} ({USAGE})")
    options.pop("client")
    options["v6"] |= options.pop("old_v6")
    udp: bool = options.pop("udp")
    return targets[0], udp, _read(options, udp=udp)


def _run(
    network: Network, host: str, target: str, udp: bool, options: IperfOptions
) -> FlowResult | UdpResult:
    """Runs a flow; after an interruption, prints the results so far."""
    flow = sending_host(network, host, target).start_iperf(target, udp=udp, **options)
    try:
        return flow.wait()
    except BaseException as error:
        flow.stop()
        if isinstance(error, KeyboardInterrupt):
            with suppress(NetworkError):
                click.echo(report(flow.result()))
        raise


def _read(arguments: dict[str, Any], *, udp: bool) -> IperfOptions:
    """Converts the options to arguments of :meth:`Host.iperf`.

    Times without a unit are seconds, as in iperf.
    """
    given = {name: value for name, value in arguments.items() if value is not None}
    options: IperfOptions = {"reverse": given["reverse"], "family": family(given, "iperf")}
    if "rate" in given:
        options |= _rate(given["rate"], udp=udp)
    if "size" in given:
        options["size"] = f"{_scaled_value(given['size'], '-n')}B"
    if "duration" in given:
        options["duration"] = seconds(given["duration"], "iperf -t")
    if "parallel" in given:
        options["parallel"] = _scaled_value(given["parallel"], "-P")
        if options["parallel"] > _MAX_FLOWS:
            raise CommandError(f"iperf: -P: {options['parallel']} flows: expected at most {_MAX_FLOWS}")
    if "interval" in given:
        options["interval"] = (
            None if finite_number(given["interval"]) == 0 else seconds(given["interval"], "iperf -i")
        )
    if "length" in given:
        options["length"] = f"{_scaled_value(given['length'], '-l')}B"
    if "mss" in given:
        options["mss"] = f"{_scaled_value(given['mss'], '-M')}B"
    if "window" in given:
        options["window"] = f"{_scaled_value(given['window'], '-w')}B"
    if "congestion" in given:
        options["congestion"] = given["congestion"]
    if "port" in given:
        options["port"] = _scaled_value(given["port"], "-p")
    given_as = [name for name in _TOS_FLAGS if name in given]
    if len(given_as) > 1:
        raise CommandError("iperf: -S, --tos and --dscp set the same field: expected one of them")
    for name in given_as:
        read = dscp if name == "dscp" else type_of_service
        options["tos"] = read(given[name], f"iperf: {_TOS_FLAGS[name]}")
    if "server" in given:
        options["server"] = given["server"].split(",")
    return options


def _rate(value: str, *, udp: bool) -> IperfOptions:
    """Reads the rate of ``-b``, in which 0 means no limit, as in iperf."""
    bits = _scaled_value(value, "-b")
    if bits:
        return {"rate": f"{bits}bit"}
    if udp:
        raise CommandError("iperf: -b 0 (no limit) is only for TCP: expected a rate such as 10M")
    return {}


@contextmanager
def _errors_with_flags() -> Iterator[None]:
    """In the block, replaces Python names of options in error messages with the flags that users
    type."""
    try:
        yield
    except (NetworkError, UnitError) as error:
        flags = {name: flag for flag, name, *_ in FLAGS}
        # Names are at the beginning: "size: …", "length does not apply to …", "duration and size
        # are given …".
        head, colon, rest = error.message.partition(":")
        words = [flags.get(word, word) for word in head.split()]
        start = f"iperf: {' '.join(words)}" if words[0] in flags.values() else head
        text = (start + colon + rest).replace("udp=True", "-u").replace("server=…", "--server HOST")
        raise type(error)(text, suggestion=error.suggestion) from None


def report(result: FlowResult | UdpResult) -> str:
    """Formats the report of a flow as iperf does.

    The report has a line for each interval, a line for each flow (with the host that served it),
    and a line for the sum. As in iperf3, the last interval has no line if it is shorter than a
    tenth of the others.
    """
    last = "Lost/Total  Jitter" if isinstance(result, UdpResult) else "Retr  Cwnd"
    lines = [
        f"{result.source} -> {result.target}",
        f"[ ID] {'Interval':<20} {'Transfer':>12} {'Bitrate':>16}  {last}",
    ]
    for interval in _shown_intervals(result.intervals):
        lines.append(_line("SUM" if len(result.streams) > 1 else "  1", interval))
    lines.append("-" * 80)
    tails: list[str]
    if isinstance(result, UdpResult):
        tails = [f"{stream.lost}/{stream.sent}  {stream.jitter_ms:.3f} ms" for stream in result.streams]
        total = f"{result.lost}/{result.sent}  {result.jitter_ms:.3f} ms"
    else:
        tails = [f"{stream.retransmits}" for stream in result.streams]
        total = f"{result.retransmits}"
    flows: Sequence[TcpStream | UdpStream] = result.streams
    for number, (stream, tail) in enumerate(zip(flows, tails, strict=True), 1):
        if stream.server not in (None, result.source, result.target):
            tail += f"  {stream.server}"
        lines.append(_row(f"{number:>3}", *_span(stream), stream.bytes, stream.goodput_bps, tail))
    if len(flows) > 1:
        lines.append(_row("SUM", *_span(result), result.bytes, result.goodput_bps, total))
    return add_reason(lines, result.why)


def _span(measured: TcpStream | UdpStream | FlowResult | UdpResult) -> tuple[float, float]:
    """Returns the beginning and the end of the time over which goodput is measured, in seconds."""
    if isinstance(measured, (UdpStream, UdpResult)):
        return measured.receiver_s
    return (0, measured.duration_s)


def _shown_intervals(
    intervals: Sequence[TcpInterval] | Sequence[UdpInterval],
) -> Sequence[TcpInterval | UdpInterval]:
    if len(intervals) > 1:
        first, last = intervals[0], intervals[-1]
        if last.end_s - last.start_s < (first.end_s - first.start_s) / 10:
            return intervals[:-1]
    return intervals


def _line(name: str, interval: TcpInterval | UdpInterval) -> str:
    if isinstance(interval, UdpInterval):
        jitter = "-" if interval.jitter_ms is None else f"{interval.jitter_ms:.3f} ms"
        tail = f"{interval.lost}/{interval.sent}  {jitter}"
    else:
        tail = f"{interval.retransmits:<4}  {interval.cwnd_bytes / 1e3:.1f} kB"
    return _row(name, interval.start_s, interval.end_s, interval.bytes, interval.goodput_bps, tail)


def _row(name: str, start: float, end: float, size: int, rate: float, tail: str) -> str:
    span = f"{start:.2f}-{end:.2f} sec"
    return f"[{name}] {span:<20} {_short_number(size):>10}B  {_short_number(rate):>10}bit/s  {tail}"


def _short_number(value: float) -> str:
    for unit, name in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= unit:
            return f"{value / unit:.2f} {name}"
    return f"{value:.0f} "


_BITS_PATTERN: Final = re.compile(r"([0-9.]+) ?([kKmMgG]?)(bit|bits|bps|b)(/s|/sec|ps)?")
_BYTES_PATTERN: Final = re.compile(r"([0-9.]+) ?([kKmMgG]?)(byte|bytes|Bytes|B|Bps)(/s|/sec|ps)?")


def _to_weir_notation(value: str, option: str) -> str | None:
    """Converts a quantity from iperf's notation to Weir's, such as ``1M`` to ``1Mbit``; returns
    ``None`` if it is not a quantity."""
    match = (_BITS_PATTERN if option == "-b" else _BYTES_PATTERN).fullmatch(value)
    return None if match is None else match[1] + match[2]


def _scaled_value(value: str, option: str) -> int:
    """Reads a number in iperf's notation, with an optional suffix k, M or G."""
    number, scale = value, 1
    if value and value[-1].lower() in _PREFIXES:
        number, scale = value[:-1], _PREFIXES[value[-1].lower()]
    whole, point, part = number.partition(".")
    digits = whole + part
    is_number = digits.isascii() and digits.isdigit() and (bool(part) or not point)
    if not is_number or len(number) > _MAX_DIGITS:
        expected = f"with at most {_MAX_DIGITS} digits" if is_number else "such as 10 or 2.5M"
        raise CommandError(
            f'iperf: {option} takes a number {expected}, found "{value}"',
            suggestion=_to_weir_notation(value, option),
        )
    return round(float(number) * scale)
