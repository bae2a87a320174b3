"""The command ``h1 traceroute h2`` at the prompt of ``weir run``."""

from __future__ import annotations

import getopt

import click

from weir.cli.flags import FAMILY, Flags, family, seconds, type_of_service, whole_value
from weir.errors import CommandError
from weir.network import Network

FLAGS = Flags(
    ("-m", "max_hops", "HOPS", "The maximum time to live.  [default: 30]"),
    ("-q", "probes", "PROBES", "The number of probes for each time to live.  [default: 3]"),
    ("-w", "timeout", "SECONDS", "The time to wait for each answer.  [default: 1]"),
    ("-t", "tos", "TOS", "Type of service of the probes (IPv6: traffic class).  [default: 0]"),
    *FAMILY,
)

USAGE = f"HOST traceroute {FLAGS.usage} TARGET"


def run_traceroute(network: Network, host: str, args: list[str]) -> bool:
    """Runs traceroute with these arguments, and prints the hops.

    Returns:
        Whether the target answered.

    Raises:
        CommandError: the arguments cannot be understood.
    """
    try:
        typed, rest = getopt.gnu_getopt(args, "m:q:w:t:46")
    except getopt.GetoptError as error:
        raise CommandError(f"traceroute: {error.msg} ({USAGE})") from None
    if len(rest) != 1:
        raise CommandError(f"traceroute: expected one target, found {len(rest)} ({USAGE})")
    options = dict(typed)
    numbers = {}
    for flag, default in (("-m", "30"), ("-q", "3")):
        numbers[flag] = whole_value(options.get(flag, default), f"traceroute: {flag}")
    ip_version = family({"v4": "-4" in options, "v6": "-6" in options}, "traceroute")
    tos = type_of_service(options.get("-t", "0"), "traceroute: -t")
    timeout = seconds(options.get("-w", "1"), "traceroute -w")
    result = network.host(host).traceroute(
        rest[0], max_hops=numbers["-m"], probes=numbers["-q"], timeout=timeout, family=ip_version, tos=tos
    )
    click.echo(str(result))
    return result.reached
