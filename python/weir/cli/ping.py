"""``weir ping`` and, at the prompt, ``h1 ping h2``: with the syntax and the output of ping."""

from __future__ import annotations

import getopt
import json
from collections.abc import Callable, Mapping
from typing import Any

import click

from weir.cli.files import Input, OutputFile
from weir.cli.flags import FAMILY, Flags, family, seconds, type_of_service, whole_value
from weir.cli.network_options import (
    NetworkCommand,
    complete_host,
    exit_code,
    network_options,
    open_network,
    sending_host,
)
from weir.errors import CommandError
from weir.errors.extras import require_plots
from weir.flows import PingFlow
from weir.measure import PingReply, PingResult
from weir.measure.losses import add_reason
from weir.network import Network
from weir.system import meter

FLAGS = Flags(
    ("-c", "count", "COUNT", "The number of requests.  [default: 3]"),
    ("-s", "size", "BYTES", "The number of data bytes in each request.  [default: 56]"),
    ("-i", "interval", "SECONDS", "The time between two requests.  [default: 1]"),
    (
        "-W",
        "timeout",
        "SECONDS",
        "The time to wait for each reply.  [default: 10, or a second after the last reply]",
    ),
    ("-t", "ttl", "TTL", "The time to live of the requests.  [default: 64]"),
    ("-f", "flood", None, "Send the next request as soon as the last one is answered, or after 10 ms."),
    ("-Q", "tos", "TOS", "Type of service of the requests (IPv6: traffic class).  [default: 0]"),
    *FAMILY,
)

USAGE = f"HOST ping {FLAGS.usage} TARGET"

_HEADERS = 28
"""The bytes of an ICMP echo header (8) and an IPv4 header without options (20)."""

_HEADERS_V6 = 48
"""The bytes of an ICMPv6 echo header (8) and an IPv6 header (40)."""


@click.command(
    "ping",
    cls=NetworkCommand,
    short_help="Ping over a topology.",
    epilog="""\b
Examples:
  weir ping topology.json h1 h2 --p4 router.p4
  weir ping topology.json h1 h2 --p4 router.p4 -c 1000 -i 0.01 --plot rtt.png --csv rtt.csv
  weir ping topology.json h1 h2 --p4 router.p4 -f -c 1000 --json""",
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
    help="Draw round-trip times to this file (.png, .svg, .pdf).",
)
@click.option("--csv", metavar="FILE", type=OutputFile(), help="Write a row for each request to this file.")
@network_options
def command(source: str, target: str, as_json: bool, plot: str | None, csv: str | None, **given: Any) -> int:
    """Send echo requests from HOST to TARGET in virtual time, and print the replies."""
    if plot is not None:
        require_plots(plot)
    options = _read(given)
    with open_network(given) as network:
        if as_json:
            result = sending_host(network, source, target).ping(target, **options)
            click.echo(json.dumps({"version": 1, **result.to_dict()}, indent=2))
        else:
            result = _ping_and_show(network, source, target, options)
    if plot is not None:
        result.plot(plot, title=f"{result.source} to {result.target}")
    if csv is not None:
        result.to_csv(csv)
    return exit_code(network, result.received > 0)


def run_ping(network: Network, host: str, args: list[str]) -> bool:
    """Runs ping with these arguments, and prints the replies.

    Returns:
        Whether any reply arrived, as in the exit code of ping.

    Raises:
        CommandError: the arguments cannot be understood.
    """
    target, options = _parsed_arguments(args)
    return _ping_and_show(network, host, target, options).received > 0


def start(
    network: Network, host: str, args: list[str], show: Callable[[str], None] | None = None
) -> tuple[PingFlow, Callable[[], str]]:
    """Starts a ping with these arguments.

    Args:
        network: the network.
        host: the name of the host that sends.
        args: the arguments of ping.
        show: called with the line of each reply, once the flow's result is read after the reply.

    Returns:
        The ping, and a function that formats its output; with ``show``, only the statistics.

    Raises:
        CommandError: the arguments cannot be understood.
    """
    target, options = _parsed_arguments(args)
    source = sending_host(network, host, target)
    if show is None:
        flow = source.start_ping(target, **options)
        return flow, lambda: _transcript(flow.result())
    address = network.address(target, options["family"])
    on_reply = _shown_replies(show, target, address, options["size"])
    flow = source.start_ping(target, on_reply=on_reply, **options)
    return flow, lambda: statistics(flow.result())


def _parsed_arguments(args: list[str]) -> tuple[str, dict[str, Any]]:
    """Parses the arguments: the target, and the options as arguments of :meth:`Host.ping`."""
    letters = "".join(flag[1:] + (":" if metavar else "") for flag, _, metavar, _ in FLAGS)
    try:
        typed, rest = getopt.gnu_getopt(args, letters)
    except getopt.GetoptError as error:
        raise CommandError(f"ping: {error.msg} ({USAGE})") from None
    if len(rest) != 1:
        raise CommandError(f"ping: expected one target, found {len(rest)} ({USAGE})")
    names = {flag: name for flag, name, *_ in FLAGS}
    return rest[0], _read({names[flag]: True if flag in FLAGS.valueless else value for flag, value in typed})


def _read(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Converts the options to arguments of :meth:`Host.ping`.

    Times without a unit are seconds, as in ping.
    """
    given = {name: value for name, value in arguments.items() if value is not None}
    return {
        "count": whole_value(given.get("count", "3"), "ping: -c"),
        "size": whole_value(given.get("size", "56"), "ping: -s"),
        "interval": seconds(given.get("interval", "1"), "ping -i"),
        "timeout": seconds(given["timeout"], "ping -W") if "timeout" in given else None,
        "ttl": whole_value(given.get("ttl", "64"), "ping: -t"),
        "flood": given.get("flood", False),
        "tos": type_of_service(given.get("tos", "0"), "ping: -Q"),
        "family": family(given, "ping"),
    }


def _ping_and_show(network: Network, host: str, target: str, options: dict[str, Any]) -> PingResult:
    """Pings a target; prints each reply as it arrives, and then the statistics.

    Prints the statistics also after an interruption.
    """
    source = sending_host(network, host, target)
    address = network.address(target, options["family"])

    def echo(line: str) -> None:
        meter.clear()
        click.echo(line)

    on_reply = _shown_replies(echo, target, address, options["size"])
    flow = source.start_ping(target, on_reply=on_reply, **options)
    try:
        result = flow.wait()
    except KeyboardInterrupt:
        flow.stop()
        click.echo(statistics(flow.result()))
        raise
    click.echo(statistics(result))
    return result


def _shown_replies(
    show: Callable[[str], None], target: str, address: str, size: int
) -> Callable[[PingReply], None]:
    """Returns a function that shows the line of a reply and, before the first one, the opening."""
    opening = _opening(target, address, size)

    def on_reply(reply: PingReply) -> None:
        nonlocal opening
        if opening:
            show(opening)
            opening = ""
        line = _reply_line(reply, target, address)
        if line is not None:
            show(line)

    return on_reply


def _opening(target: str, address: str, size: int) -> str:
    packet_size = size + (_HEADERS_V6 if ":" in address else _HEADERS)
    return f"PING {target} ({address}) {size}({packet_size}) bytes of data."


def _reply_line(reply: PingReply, target: str, address: str) -> str | None:
    """Formats the line of a reply or an error; returns ``None`` for a lost request."""
    if reply.rtt_ns is None:
        return None if reply.error is None else f"icmp_seq={reply.seq} {reply.error}"
    from_whom = address if target == address else f"{target} ({address})"
    if reply.reply_from not in (None, address):
        from_whom = str(reply.reply_from)
    rtt = format_ms(reply.rtt_ns)
    return f"{reply.bytes} bytes from {from_whom}: icmp_seq={reply.seq} ttl={reply.ttl} time={rtt} ms"


def _transcript(result: PingResult) -> str:
    """Formats the complete output of ping: the lines of all replies, and the statistics."""
    target, address = result.target, result.target_ip
    replies = (_reply_line(reply, target, address) for reply in result.replies)
    lines = [line for line in replies if line is not None]
    return "\n".join([_opening(target, address, result.size), *lines, statistics(result)])


def format_ms(nanoseconds: float) -> str:
    """Formats a time in milliseconds, with three decimals, or up to six for whole nanoseconds."""
    whole, point, part = f"{nanoseconds / 1e6:.6f}".partition(".")
    return f"{whole}{point}{part[:3]}{part[3:].rstrip('0')}"


def statistics(result: PingResult) -> str:
    """Formats the statistics at the end of ping's output."""
    lost = 100 * result.lost / result.sent if result.sent else 0
    lines = [
        "",
        f"--- {result.target} ping statistics ---",
        f"{result.sent} packets transmitted, {result.received} received, {lost:g}% packet loss, "
        f"time {result.duration_ns / 1e6:.0f}ms",
    ]
    rtts = (result.rtt_min_ms, result.rtt_avg_ms, result.rtt_max_ms, result.rtt_mdev_ms)
    if result.received:
        times = "/".join(format_ms(rtt * 1e6) for rtt in rtts if rtt is not None)
        lines.append(f"rtt min/avg/max/mdev = {times} ms")
    return add_reason(lines, result.why)
