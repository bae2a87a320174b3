"""``h1 iperf h2``, called and printed the way people know from iperf."""

from __future__ import annotations

import getopt
from collections.abc import Sequence

import click

from weir import units
from weir.errors import CommandError
from weir.host import IperfOptions
from weir.measure import FlowResult, TcpInterval, TcpStream, UdpInterval, UdpResult, UdpStream
from weir.network import Network

IPERF_USAGE = (
    "HOST iperf [-u] [-b RATE] [-t SECONDS | -n BYTES] [-P FLOWS] [-R] [-i SECONDS] [-l BYTES] [-M MSS] "
    "[-C reno|cubic|bbr] [-p PORT] TARGET"
)

_PREFIXES = {"k": 10**3, "m": 10**6, "g": 10**9}


def run_iperf(network: Network, host: str, args: list[str]) -> bool:
    """Sends a flow as the arguments say, and prints what it came to.

    Returns:
        Whether anything arrived.

    Raises:
        CommandError: the arguments cannot be understood.
    """
    # As people copy it from where the client is a program of its own: -c comes before the target.
    words = [word for word in args if word != "-c"]
    try:
        options, rest = getopt.gnu_getopt(words, "ub:t:n:P:Ri:l:M:C:p:")
    except getopt.GetoptError as error:
        raise CommandError(f"iperf: {error.msg} ({IPERF_USAGE})") from None
    if len(rest) != 1:
        raise CommandError(f"iperf: expected one target, found {len(rest)} ({IPERF_USAGE})")
    given = dict(options)
    arguments: IperfOptions = {"reverse": "-R" in given}
    if "-b" in given:
        arguments["rate"] = f"{_scaled(given['-b'], '-b')}bit"
    if "-n" in given:
        arguments["size"] = f"{_scaled(given['-n'], '-n')}B"
    if "-t" in given:
        arguments["duration"] = _seconds(given["-t"], "-t")
    if "-P" in given:
        arguments["parallel"] = _scaled(given["-P"], "-P")
    if "-i" in given:
        arguments["interval"] = None if given["-i"] == "0" else _seconds(given["-i"], "-i")
    if "-l" in given:
        arguments["length"] = f"{_scaled(given['-l'], '-l')}B"
    if "-M" in given:
        arguments["mss"] = f"{_scaled(given['-M'], '-M')}B"
    if "-C" in given:
        arguments["congestion"] = given["-C"]
    if "-p" in given:
        arguments["port"] = _scaled(given["-p"], "-p")
    result = network.host(host).iperf(rest[0], udp="-u" in given, **arguments)
    click.echo(report(result))
    return result.bytes > 0


def report(result: FlowResult | UdpResult) -> str:
    """The lines that iperf prints: an interval a line, then each flow, then their sum if there are several."""
    last = "Lost/Total  Jitter" if isinstance(result, UdpResult) else "Retr  Cwnd"
    lines = [
        f"{result.source} -> {result.target}",
        f"[ ID] {'Interval':<20} {'Transfer':>12} {'Bitrate':>16}  {last}",
    ]
    for interval in result.intervals:
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
        lines.append(_row(f"{number:>3}", 0, stream.duration_s, stream.bytes, stream.goodput_bps, tail))
    if len(flows) > 1:
        lines.append(_row("SUM", 0, result.duration_s, result.bytes, result.goodput_bps, total))
    return "\n".join(lines)


def _line(name: str, interval: TcpInterval | UdpInterval) -> str:
    if isinstance(interval, UdpInterval):
        jitter = "-" if interval.jitter_ms is None else f"{interval.jitter_ms:.3f} ms"
        tail = f"{interval.lost}/{interval.sent}  {jitter}"
    else:
        tail = f"{interval.retransmits:<4}  {interval.cwnd_bytes / 1e3:.1f} kB"
    return _row(name, interval.start_s, interval.end_s, interval.bytes, interval.goodput_bps, tail)


def _row(name: str, start: float, end: float, size: int, rate: float, tail: str) -> str:
    span = f"{start:.2f}-{end:.2f} sec"
    return f"[{name}] {span:<20} {_short(size):>10}B  {_short(rate):>10}bit/s  {tail}"


def _short(value: float) -> str:
    for unit, name in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if value >= unit:
            return f"{value / unit:.2f} {name}"
    return f"{value:.0f} "


def _scaled(value: str, option: str) -> int:
    """A number as iperf takes it, with k, M or G behind it for thousands and so on."""
    number, scale = value, 1
    if value and value[-1].lower() in _PREFIXES:
        number, scale = value[:-1], _PREFIXES[value[-1].lower()]
    whole, point, part = number.partition(".")
    if (
        not (whole + part).isascii()
        or not (whole + part).isdigit()
        or len(number) > 15
        or (point and not part)
    ):
        raise CommandError(f'iperf: {option} takes a number such as 10 or 2.5M, found "{value}"')
    return round(float(number) * scale)


def _seconds(value: str, option: str) -> str:
    """A time as iperf takes it, in seconds without a unit; one with a unit is fine too."""
    bare = value.replace(".", "", 1)
    quantity = f"{value}s" if bare.isascii() and bare.isdigit() else value
    units.time_ns(quantity, f"iperf {option}", "s")
    return quantity
