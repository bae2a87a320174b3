"""The commands of ``weir run``."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import click

from weir.cli import iperf, ping, text
from weir.control import Switch
from weir.errors import CommandError, WeirError
from weir.network import Network
from weir.suggest import nearest

HOST_COMMANDS = ("ping", "iperf")
"""Commands that follow a host's name."""

HOST_TOOLS = ("arp", "ifconfig", "ip", "route", "sysctl", "tc")
"""Tools whose commands a host understands, as in topology files."""

_NODE_COMMANDS = (*HOST_COMMANDS, "runtime", "tools")
"""Commands that follow a node's name."""


@dataclass(frozen=True)
class ShellCommand:
    """A command of the shell: usage, summary, details, and the function that runs it."""

    usage: str
    summary: str
    details: str
    run: Callable[[list[str]], bool]


class Shell:
    """Runs commands on a network.

    Args:
        network: the network they act on.

    Attributes:
        done: whether ``exit`` was given.
        commands: by name; ``ping`` and ``iperf`` follow a host's name.
    """

    def __init__(self, network: Network) -> None:
        self.network = network
        self.done = False
        self._traced: list[Switch] = []
        self.commands = {
            "ping": ShellCommand(
                ping.USAGE,
                "send echo requests",
                "TARGET is a host or an IPv4 address. By default three requests of 56 bytes, a second apart;\n"
                "-W is how long each waits for its reply (10 s). All times are virtual.\n"
                "Example: h1 ping -c 5 -s 1200 -i 0.1 h2",
                self._ping,
            ),
            "iperf": ShellCommand(
                iperf.USAGE,
                "send a flow over TCP, or with -u over UDP, and show its goodput",
                "TARGET is a host or an IP address; it receives, or sends with -R. By default ten seconds; all times are virtual.\n"
                "Numbers take k, M and G. -M is the payload of a segment, -l that of a datagram, -C the congestion control.\n"
                "Example: h1 iperf -t 5 -P 2 h2",
                self._iperf,
            ),
            "pingall": ShellCommand(
                "pingall",
                "each host pings each other once",
                "An X marks a host that was not reached.",
                self._pingall,
            ),
            "tools": ShellCommand(
                "HOST TOOL … | SWITCH tc …",
                "change routes, neighbours, queues and settings",
                f"TOOL is {', '.join(HOST_TOOLS[:-1])} or {HOST_TOOLS[-1]}, with its own syntax (docs/reference/links.md).\n"
                "Example: h1 tc qdisc add dev eth0 root fq maxrate 20mbit",
                lambda words: self._tool(words[0], words[1:]),
            ),
            "link": ShellCommand(
                "link NODE NODE up|down",
                "take a link down, or up again",
                "Packets that wait or travel on it are dropped. A NODE may be a switch's port: s1-p2.\nExample: link h1 s1 down",
                self._link,
            ),
            "nodes": ShellCommand("nodes", "show hosts and switches", "", self._nodes),
            "links": ShellCommand("links", "show links with rate, delay and loss", "", self._links),
            "tables": ShellCommand(
                "tables SWITCH [TABLE]",
                "show a switch's tables, or a table's entries",
                "The last part of a table's name is sufficient.\nExample: tables s1 ipv4_lpm",
                self._tables,
            ),
            "trace": ShellCommand(
                "trace [on|off SWITCH | SWITCH PACKETS]",
                "trace packets through a switch",
                "The trace of a packet is shown when the packet and all its copies have left the switch. trace s1 10 traces only the next\n"
                "ten packets. trace alone shows which switches are traced.\nExample: trace on s1",
                self._trace,
            ),
            "messages": ShellCommand(
                "messages SWITCH",
                "show a switch's digests, log_msg lines and idle entries since the last call",
                "",
                self._messages,
            ),
            "runtime": ShellCommand(
                "SWITCH RUNTIME_COMMAND",
                "run a command of simple_switch_CLI on a switch",
                "SWITCH help lists them, SWITCH help COMMAND describes one.\n"
                "Example: s1 table_add ipv4_lpm ipv4_forward 10.0.1.1/32 => 08:00:00:00:01:11 1",
                lambda words: self._switch_command(words[0], words[1:]),
            ),
            "help": ShellCommand("help [COMMAND]", "list the commands, or describe one", "", self._help),
            "exit": ShellCommand(
                "exit", "end", "quit and the end of input (Ctrl-D) do the same.", self._exit
            ),
        }

    def run(self, line: str) -> bool:
        """Runs one command; errors go to standard error.

        Returns:
            Whether it succeeded; True for an empty line or a comment (``#``).
        """
        try:
            return self._dispatch(line)
        except WeirError as error:
            text.error(str(error))
            return False

    def run_all(self, lines: Iterable[str]) -> bool:
        """Runs commands until the last one or ``exit``; whether all succeeded."""
        succeeded = True
        for line in lines:
            succeeded = self.run(line) and succeeded
            if self.done:
                break
        return succeeded

    def _dispatch(self, line: str) -> bool:
        try:
            words = shlex.split(line, comments=True)
        except ValueError as error:
            raise CommandError(f"cannot read the command: {str(error).lower()}") from None
        if not words:
            return True
        name, *args = words
        if name == "quit":
            name = "exit"
        hosts = [host.name for host in self.network.hosts]
        if name in hosts:
            return self._host_command(name, args)
        if name in self.network.topology.switches:
            return self._switch_command(name, args)
        if name in self.commands and name not in _NODE_COMMANDS:
            return self.commands[name].run(args)
        if args and args[0] in HOST_COMMANDS:
            self.network.host(name)
        known = [
            *hosts,
            *self.network.topology.switches,
            *(command for command in self.commands if command not in _NODE_COMMANDS),
        ]
        suggestion = f"HOST {line.strip()}" if name == "ping" else nearest(name, known)
        raise CommandError(f'there is no command "{name}" (help lists them)', suggestion=suggestion)

    def _host_command(self, host: str, args: list[str]) -> bool:
        if not args:
            raise CommandError(
                f"{host} alone is not a command", suggestion=f"{host} ping {self._other(host)}"
            )
        if args[0] in HOST_TOOLS:
            return self._tool(host, args)
        if args[0] not in HOST_COMMANDS:
            known = (*HOST_COMMANDS, *HOST_TOOLS)
            raise CommandError(
                f'{host} has no command "{args[0]}" (it has: {", ".join(known)})',
                suggestion=nearest(args[0], known),
            )
        return self.commands[args[0]].run([host, *args[1:]])

    def _switch_command(self, switch: str, args: list[str]) -> bool:
        if not args:
            raise CommandError(f"{switch} alone is not a command ({switch} help lists its commands)")
        if args[0] == "tc":
            return self._tool(switch, args)
        for line in self.network.switch(switch).runtime.call(args):
            click.echo(line)
        return True

    def _tool(self, node: str, words: list[str]) -> bool:
        command = shlex.join(words)
        if node in self.network.topology.switches:
            shown = self.network.tc(node, command)
        else:
            shown = self.network.host(node).cmd(command)
        click.echo(shown, nl=False)
        return True

    def _link(self, args: list[str]) -> bool:
        if len(args) != 3 or args[2] not in ("up", "down"):
            raise CommandError("expected two nodes and up or down, such as link h1 s1 down")
        self.network.link(args[0], args[1]).up = args[2] == "up"
        return True

    def _other(self, host: str) -> str:
        return next((other.name for other in self.network.hosts if other.name != host), "TARGET")

    def _ping(self, words: list[str]) -> bool:
        host, *args = words
        return ping.run_ping(self.network, host, args)

    def _iperf(self, words: list[str]) -> bool:
        host, *args = words
        return iperf.run_iperf(self.network, host, args)

    def _pingall(self, args: list[str]) -> bool:
        _check_no_arguments("pingall", args)
        matrix = self.network.ping_all()
        click.echo(str(matrix))
        return matrix.lost == 0

    def _nodes(self, args: list[str]) -> bool:
        _check_no_arguments("nodes", args)
        rows = [[host.name, "host", " ".join(host.prefixes), host.mac] for host in self.network.hosts]
        rows += [[switch.name, "switch", "", ""] for switch in self.network.switches]
        text.table(["node", "kind", "address", "MAC"], rows)
        return True

    def _links(self, args: list[str]) -> bool:
        _check_no_arguments("links", args)
        rows = [
            [link.a, link.b, link.rate or "unlimited", link.delay, str(link.loss)]
            for link in self.network.links
        ]
        text.table(["end", "end", "rate", "delay", "loss"], rows)
        return True

    def _tables(self, args: list[str]) -> bool:
        if not 1 <= len(args) <= 2:
            usage = self.commands["tables"].usage
            raise CommandError(f"tables: expected a switch and optionally a table ({usage})")
        switch = self.network.switch(args[0])
        if len(args) == 2:
            table = switch.table(args[1])
            text.heading(table.name)
            for entry in [*table.entries(), table.default]:
                click.echo(f"  {entry}")
            return True
        rows = []
        for table in switch.tables.values():
            keys = ", ".join(f"{key.name}: {key.match_kind}" for key in table.info.keys)
            size = "" if table.info.size is None else str(table.info.size)
            rows.append([table.name, keys, str(len(table.entries())), size, table.default.action])
        text.table(["table", "keys", "entries", "size", "default"], rows)
        return True

    def _trace(self, args: list[str]) -> bool:
        usage = self.commands["trace"].usage
        names = self.network.topology.switches
        match args:
            case []:
                for switch in self._traced:
                    click.echo(f"{switch.name} is traced")
                if not self._traced:
                    click.echo("nothing is traced")
                return True
            case ["on" | "off" as word, name]:
                self._follow(self.network.switch(name), None if word == "on" else 0)
            case [name, packets] if name in names or packets.isdigit():
                if not packets.isascii() or not packets.isdigit() or not 0 < int(packets) < 1 << 63:
                    raise CommandError(f'trace: expected a number of packets, 1 or more, found "{packets}"')
                self._follow(self.network.switch(name), int(packets))
            case _:
                raise CommandError(f'trace: cannot read "{" ".join(args)}" ({usage})')
        return True

    def _follow(self, switch: Switch, packets: int | None) -> None:
        switch.trace(packets)
        self._traced = [one for one in self._traced if one is not switch]
        if packets != 0:
            self._traced.append(switch)
        self.network.on_event = self._show_journeys if self._traced else None

    def _show_journeys(self) -> None:
        from weir.cli.journey import echo

        for switch in self._traced:
            for journey in switch.journeys():
                echo(journey)
        self._traced = [switch for switch in self._traced if switch.is_tracing]
        if not self._traced:
            self.network.on_event = None

    def _messages(self, args: list[str]) -> bool:
        if len(args) != 1:
            raise CommandError(f"messages: expected a switch ({self.commands['messages'].usage})")
        messages = self.network.switch(args[0]).messages()
        for message in messages:
            click.echo(str(message))
        if not messages:
            click.echo("none")
        return True

    def _help(self, args: list[str]) -> bool:
        if not args:
            width = max(len(command.usage) for command in self.commands.values())
            for command in self.commands.values():
                click.echo(f"{command.usage.ljust(width)}  {command.summary}")
            return True
        name = args[-1]
        if name not in self.commands:
            raise CommandError(f'there is no command "{name}"', suggestion=nearest(name, self.commands))
        command = self.commands[name]
        text.heading(command.usage)
        click.echo(f"{command.summary[0].upper()}{command.summary[1:]}.")
        if command.details:
            click.echo(command.details)
        return True

    def _exit(self, args: list[str]) -> bool:
        _check_no_arguments("exit", args)
        self.done = True
        return True


def _check_no_arguments(name: str, args: list[str]) -> None:
    if args:
        raise CommandError(f'{name} takes no arguments, found "{args[0]}"')
