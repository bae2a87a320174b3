"""``weir telemetry live``: shows paths, hop latencies, queues and events while reports arrive."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from weir.cli import text
from weir.cli.files import Input, Output
from weir.cli.network_options import NetworkCommand, exit_code, network_options, open_network
from weir.cli.numbers import Whole
from weir.cli.telemetry.answers import open_store
from weir.cli.telemetry.receiving import DEFAULT_LIMIT, limit_options, sender_option
from weir.cli.telemetry.until import Until, until_options
from weir.errors.extras import lab_extra
from weir.text.digits import whole_number

if TYPE_CHECKING:
    from weir.network import Network
    from weir.telemetry.listener import Listener
    from weir.telemetry.live.screen import Screen


@click.command(
    "live",
    cls=NetworkCommand,
    short_help="Watch reports as they arrive.",
    epilog="""\b
Examples:
  weir telemetry live --udp :6000
  weir telemetry live net.json --p4 int.p4 --collector h3:6000 -c "h1 ping h2\"""",
)
@click.argument("topology", metavar="[TOPOLOGY]", type=Input(), required=False)
@click.option(
    "--udp", metavar="HOST:PORT", help="Watch the reports that arrive at this UDP port, until Ctrl-C."
)
@click.option(
    "--collector",
    metavar="HOST:PORT",
    help="Run TOPOLOGY, and watch the reports that arrive at this host and port. The host's own program at this port is not started.",
)
@click.option(
    "-c",
    "--command",
    "commands",
    multiple=True,
    metavar="COMMAND",
    help='Run a command on TOPOLOGY, such as "h1 ping h2". May be repeated.',
)
@until_options
@sender_option
@click.option("--store", metavar="DIR", type=Output(), help="Also add the reports to this store.")
@limit_options
@click.option(
    "--threshold",
    type=Whole(1),
    metavar="N",
    help="Show an event when a queue contains at least this many packets.",
)
@network_options
def command(
    topology: str | None,
    udp: str | None,
    collector: str | None,
    commands: tuple[str, ...],
    senders: tuple[str, ...],
    store: str | None,
    limit: str,
    when_full: Any,
    threshold: int | None,
    duration: str | None,
    count: int | None,
    **given: Any,
) -> int:
    """Show paths, hop latencies, queues and events as reports arrive.

    Reports come from a UDP port of this computer, or from TOPOLOGY, which runs in virtual time.
    TOPOLOGY first runs the commands of -c, and then runs for the time of --for. Without a terminal,
    only the final state is shown.
    """
    if (topology is None) == (udp is None):
        raise click.UsageError("Give either a TOPOLOGY or --udp HOST:PORT.")
    if topology is None and (collector is not None or commands):
        raise click.UsageError("--collector and -c are only for a TOPOLOGY.")
    if topology is not None and (collector is None or not (commands or duration)):
        raise click.UsageError("A TOPOLOGY needs --collector HOST:PORT, and -c COMMAND or --for TIME.")
    if topology is not None and count is not None:
        raise click.UsageError("--count is only for --udp.")
    if topology is not None and senders:
        raise click.UsageError("--sender is only for --udp.")
    if store is None and (limit != DEFAULT_LIMIT or when_full != "stop"):
        raise click.UsageError("--limit and --when-full are only for --store.")
    target = None if store is None else open_store(store, limit, when_full)
    with lab_extra("live views"):
        from weir.telemetry.live.screen import Screen
    from weir.system.freed import share_freed_memory
    from weir.telemetry.listener import Listener

    if udp is not None:
        share_freed_memory()
        with Until(duration, count) as until, Listener(udp, senders=senders) as listener:
            click.echo(f"listening at {listener.address}; Ctrl-C ends", err=True)
            _watch_socket(Screen(udp, target, threshold=threshold, real=True), listener, until)
        return 0
    assert collector is not None
    host, port = _host_and_port(collector)
    if given["progress"] is None:
        # The progress line would disturb the live view.
        given["progress"] = False
    with open_network({"topology": topology, **given}, free=(host, port)) as network:
        screen = Screen(collector, target, threshold=threshold)
        succeeded = _watch_network(screen, network, host, port, commands, duration)
        if screen.is_empty:
            text.warning(
                f"no datagram arrived at UDP port {port} of {host}: do the switches send their reports there?"
            )
        return exit_code(network, succeeded)


def _watch_socket(screen: Screen, listener: Listener, until: Until) -> None:
    datagram_count = 0
    with screen:
        while not until.is_over(datagram_count + listener.waiting):
            payloads, times = listener.take()
            datagram_count += len(payloads)
            screen.show(payloads, times)
            until.wait(0.2)
        listener.close()
        screen.show(*listener.take())


def _watch_network(
    screen: Screen, network: Network, host: str, port: int, commands: tuple[str, ...], duration: str | None
) -> bool:
    from weir.cli.shell import Shell
    from weir.telemetry.live.watcher import watching

    with watching(screen, network.host(host), port):
        shell, succeeded = Shell(network), True
        for line in shell.given(commands):
            with screen.printing():
                succeeded = shell.run(line) and succeeded
        if duration is not None:
            network.run_for(duration)
    return succeeded


def _host_and_port(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    number = whole_number(port, 1, 65535)
    if not host or number is None:
        raise click.BadParameter(f'"{text}": expected HOST:PORT, such as h3:6000', param_hint="--collector")
    return host, number
