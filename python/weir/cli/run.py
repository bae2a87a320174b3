"""``weir run``: runs a topology with P4 programs, and shows a prompt for commands."""

from __future__ import annotations

import io
import json
import sys
from contextlib import nullcontext, redirect_stdout
from typing import TYPE_CHECKING, Any

import click

from weir.cli import text
from weir.cli.files import Input
from weir.cli.network_options import NetworkCommand, exit_code, network_options, open_network
from weir.cli.numbers import Number, Whole

if TYPE_CHECKING:
    from weir.cli.shell import Shell
    from weir.p4runtime import ServerOptions


@click.command(
    "run",
    cls=NetworkCommand,
    short_help="Run a topology, and run commands on it.",
    epilog="""\b
Examples:
  weir run topology.json --p4 router.p4
  weir run topology.json --p4 router.p4 -c "h1 ping -c 3 h2" -c pingall --pcap captures
  weir run topology.json --p4 router.p4 --p4runtime -c wait
  weir run topology.json --p4 router.p4 --world linux
  weir run --shape dumbbell:4 -c pingall
  weir run --shape dumbbell:4 -c "h1 ping -c 1 h5" --json""",
)
@click.argument("topology", metavar="TOPOLOGY", type=Input())
@click.option(
    "-c",
    "--command",
    "commands",
    multiple=True,
    metavar="COMMAND",
    help='Run a command, such as "h1 ping h2", instead of showing a prompt. May be repeated.',
)
@click.option(
    "--p4runtime",
    "address",
    is_flag=False,
    flag_value="127.0.0.1:9559",
    metavar="[ADDRESS]",
    help="Serve P4Runtime for the switches, at IP:PORT or unix:PATH.  [127.0.0.1:9559]",
)
@click.option(
    "--port-each",
    is_flag=True,
    help="With --p4runtime: give each switch its own port, counting up from the given port.",
)
@click.option(
    "--first-device",
    type=Whole(0, (1 << 63) - 1),
    default=0,
    show_default=True,
    metavar="N",
    help="With --p4runtime: the device number of the first switch; other switches get the next numbers.",
)
@click.option(
    "--p4runtime-texts",
    "texts",
    metavar="FILE",
    type=Input(),
    help="With --p4runtime: a JSON file that maps strings to numbers, for types that controllers see as strings.",
)
@click.option(
    "--plaintext",
    is_flag=True,
    help="With --p4runtime: allow an address that other computers can reach, without TLS.",
)
@click.option(
    "--real-time/--virtual-time",
    "real_time",
    default=None,
    help="Whether virtual time follows real time, also at the prompt.  [default: with --p4runtime]",
)
@click.option(
    "--speed",
    type=Number(1e-6, 1e6),
    metavar="X",
    help="With --real-time: the number of virtual seconds per real second.  [default: 1]",
)
@click.option(
    "--json",
    "as_json",
    is_flag=True,
    help="With -c: print one JSON document with the output of each command (docs/reference/hosts.md).",
)
@network_options
def command(
    commands: tuple[str, ...],
    as_json: bool,
    address: str | None,
    port_each: bool,
    first_device: int,
    texts: str | None,
    plaintext: bool,
    real_time: bool | None,
    speed: float | None,
    **given: Any,
) -> int:
    """Run a topology: hosts, links, and switches with P4 programs.

    TOPOLOGY is a file such as topology.json of the p4lang tutorials; --shape generates a topology
    instead. Without -c, commands are read from a prompt or from standard input. Virtual time is
    paused while no command runs. With --real-time, the network also runs between commands, until
    the last one has finished; -c wait keeps it running until Ctrl-C. With --p4runtime and without
    --p4, switches wait until a controller sends their program.
    """
    from weir.cli.shell import Shell

    if as_json and not commands:
        raise click.UsageError('--json needs commands, such as -c "h1 ping h2"')
    if real_time is None:
        real_time = given["world"] == "virtual" and (address is not None or speed is not None)
    if speed is not None and not real_time:
        raise click.UsageError("--speed is only for real time: leave out --virtual-time")
    serve: bool | ServerOptions = False
    if address is not None:
        from weir.p4runtime import ServerOptions

        serve = ServerOptions(
            address,
            port_each=port_each,
            first_device_id=first_device,
            plaintext=plaintext,
            texts=texts,
            include=given["include"] or ("."),
        )
    with open_network(given, p4runtime=serve) as network:
        if serve:
            for switch in network.switches:
                server = network.p4runtime
                waits = "" if switch.has_program else ", waits for a program"
                click.echo(
                    f"{switch.name}: P4Runtime at {server.address(switch.name)}, device "
                    f"{server.device_id(switch.name)}{waits}",
                    err=True,
                )
        with network.real_time(speed or 1.0) if real_time else nullcontext() as pace:
            shell = Shell(network, pace)
            if as_json:
                succeeded = _run_as_json(shell, commands)
                return exit_code(network, succeeded)
            succeeded = _run_commands(shell, commands)
            return exit_code(network, shell.close() and succeeded)


def _run_as_json(shell: Shell, commands: tuple[str, ...]) -> bool:
    """Runs commands, and prints as JSON what each wrote to standard output, and its errors.

    Returns whether all commands succeeded.
    """
    records: list[dict[str, Any]] = []
    for command in shell.given(commands):
        with redirect_stdout(io.StringIO()) as output, text.collected_errors() as errors:
            succeeded = shell.run(command)
        records.append(
            {
                "command": command,
                "succeeded": succeeded,
                "time_ns": shell.network.now_ns,
                "output": output.getvalue(),
                "errors": errors,
            }
        )
    with redirect_stdout(io.StringIO()) as output, text.collected_errors() as errors:
        closed = shell.close()
    document = {
        "version": 1,
        "succeeded": closed and all(record["succeeded"] for record in records),
        "commands": records,
    }
    optional_members = {"skipped": commands[len(records) :], "output": output.getvalue(), "errors": errors}
    document |= {name: value for name, value in optional_members.items() if value}
    click.echo(json.dumps(document, indent=2, ensure_ascii=False))
    return bool(document["succeeded"])


def _run_commands(shell: Shell, commands: tuple[str, ...]) -> bool:
    """Runs the given commands, or commands from the prompt or standard input.

    Returns whether all commands succeeded. Mistakes at the prompt do not count.
    """
    if commands:
        results = [shell.run(command) for command in shell.given(commands)]
        return all(results)
    if sys.stdin.isatty():
        from weir.cli.prompt import read_commands

        read_commands(shell)
        return True
    if shell.pace is None:
        return shell.run_all(sys.stdin)
    from weir.cli.live import lines_in_real_time

    return shell.run_all(lines_in_real_time(shell.network, sys.stdin))
