"""``h1 ping h2``, called and printed the way people know from ping."""

from __future__ import annotations

import getopt

import click

from weir import units
from weir.errors import CommandError
from weir.measure import PingReply, PingResult
from weir.network import Network

PING_USAGE = "HOST ping [-c COUNT] [-s BYTES] [-i SECONDS] [-W SECONDS] [-f] TARGET"

_HEADERS = 28
"""Bytes of an ICMP echo header (8) and an IPv4 header without options (20)."""


def run_ping(network: Network, host: str, args: list[str]) -> bool:
    """Pings as the arguments say, and prints.

    Returns:
        Whether any reply came, as ping's exit code says.

    Raises:
        CommandError: the arguments cannot be understood.
    """
    try:
        options, rest = getopt.gnu_getopt(args, "c:s:i:W:f")
    except getopt.GetoptError as error:
        raise CommandError(f"ping: {error.msg} ({PING_USAGE})") from None
    if len(rest) != 1:
        raise CommandError(f"ping: expected one target, found {len(rest)} ({PING_USAGE})")
    target = rest[0]
    given = dict(options)
    count = _whole(given.get("-c", "3"), "-c")
    size = _whole(given.get("-s", "56"), "-s")
    interval = _seconds(given.get("-i", "1"), "-i")
    timeout = _seconds(given.get("-W", "10"), "-W")

    source = network.host(host)
    address = network.address(target)
    from_whom = address if target == address else f"{target} ({address})"
    replies: list[PingReply] = []
    opening = f"PING {target} ({address}) {size}({size + _HEADERS}) bytes of data."

    def show(reply: PingReply) -> None:
        nonlocal opening
        replies.append(reply)
        if opening:
            click.echo(opening)
            opening = ""
        if reply.rtt_ns is not None:
            rtt = format_ms(reply.rtt_ns)
            click.echo(
                f"{reply.bytes} bytes from {from_whom}: icmp_seq={reply.seq} ttl={reply.ttl} time={rtt} ms"
            )
        elif reply.error is not None:
            click.echo(f"icmp_seq={reply.seq} {reply.error}")

    try:
        result = source.ping(
            target,
            count,
            size=size,
            interval=interval,
            timeout=timeout,
            flood="-f" in given,
            on_reply=show,
        )
    except KeyboardInterrupt:
        click.echo(statistics(PingResult(host, target, address, size, replies)))
        raise
    click.echo(statistics(result))
    return result.received > 0


def format_ms(nanoseconds: float) -> str:
    """Milliseconds with three digits behind the point, or as many as whole nanoseconds need."""
    whole, point, part = f"{nanoseconds / 1e6:.6f}".partition(".")
    return f"{whole}{point}{part[:3]}{part[3:].rstrip('0')}"


def statistics(result: PingResult) -> str:
    """The lines with which ping ends."""
    lost = 100 * result.lost / result.sent if result.sent else 0
    lines = [
        "",
        f"--- {result.target} ping statistics ---",
        f"{result.sent} packets transmitted, {result.received} received, {lost:g}% packet loss, "
        f"time {result.duration_ns / 1e6:.0f}ms",
    ]
    rtts = (result.rtt_min_ms, result.rtt_avg_ms, result.rtt_max_ms, result.rtt_mdev_ms)
    if result.received:
        shown = "/".join(format_ms(rtt * 1e6) for rtt in rtts if rtt is not None)
        lines.append(f"rtt min/avg/max/mdev = {shown} ms")
    return "\n".join(lines)


def _whole(value: str, option: str) -> int:
    if not value.isascii() or not value.isdigit() or len(value) > 9:
        raise CommandError(f'ping: {option} takes a whole number, found "{value}"')
    return int(value)


def _seconds(value: str, option: str) -> str:
    """A time as ping takes it, in seconds without a unit; one with a unit is fine too."""
    bare = value.replace(".", "", 1)
    quantity = f"{value}s" if bare.isascii() and bare.isdigit() else value
    units.time_ns(quantity, f"ping {option}", "s")
    return quantity
