"""The shell of ``weir run``: finds and runs commands."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import click

from weir import units
from weir.cli import iperf, ping, text, traceroute
from weir.cli.files import keep_inputs
from weir.cli.flags import seconds
from weir.cli.shell import habits, help
from weir.cli.shell.command import (
    HOST_COMMANDS,
    HOST_TOOLS,
    NODE_COMMANDS,
    ShellCommand,
    check_no_arguments,
)
from weir.cli.shell.controller import Controller
from weir.cli.shell.jobs import Jobs
from weir.cli.shell.programs import ProgramCommands
from weir.cli.shell.reasons import WhyCommand
from weir.cli.shell.show import ShowCommands
from weir.cli.shell.watch import WatchCommands
from weir.clock.realtime import RealTime
from weir.control.commands import COMMANDS
from weir.errors import CommandError, WeirError
from weir.files.textfile import check_words, read_text
from weir.network import Network
from weir.text.site import page
from weir.text.suggest import nearest

_MAX_DEPTH = 20
"""The maximum depth of nested files of commands."""


class Shell:
    """A shell that runs commands on a network.

    Args:
        network: the network on which commands run.
        pace: the pace of virtual time relative to real time; ``None`` if the network runs as fast
            as possible.

    Attributes:
        done: whether ``exit`` was given.
        commands: the commands by name; ``ping`` and others follow a host's name.
    """

    def __init__(self, network: Network, pace: RealTime | None = None) -> None:
        self.network, self.pace = network, pace
        self.done = False
        self._sources: list[Path] = []
        self._programs = ProgramCommands(network)
        self._jobs, self._reasons = Jobs(network), WhyCommand(network)
        self.commands = {
            "ping": ShellCommand(
                "Traffic",
                ping.USAGE,
                "send echo requests",
                self._ping,
                "TARGET is a host or an IP address. By default, ping sends three requests of 56 "
                "bytes, a second apart. -W sets the time that each request waits for its reply; by "
                "default, ping ends soon after the last reply, as on Linux.",
                "h1 ping -c 5 -s 1200 -i 0.1 h2",
                "HOST ping TARGET",
            ),
            "iperf": ShellCommand(
                "Traffic",
                iperf.USAGE,
                "send a flow over TCP, or with -u over UDP",
                self._iperf,
                "TARGET is a host or an IP address, which receives the flow or, with -R, sends it. "
                "By default, the flow lasts ten seconds. Numbers may end in k, M or G. -M sets the "
                "payload of a segment, -l the payload of a datagram, and -C the congestion control.",
                "h1 iperf -t 5 -P 2 h2",
                "HOST iperf TARGET",
            ),
            "traceroute": ShellCommand(
                "Traffic",
                traceroute.USAGE,
                "send probes with a growing time to live",
                self._traceroute,
                "Only switches whose P4 program sends ICMP time exceeded appear as hops; other "
                "switches appear as *, or forward the probe. trace SWITCH shows what a switch does "
                "with a packet.",
                "h1 traceroute h2",
                "HOST traceroute TARGET",
            ),
            "pingall": ShellCommand(
                "Traffic",
                "pingall",
                "ping each host once from each other host",
                self._pingall,
                "An X marks a host that was not reached.",
            ),
            **self._jobs.commands(),
            **ShowCommands(network).commands(),
            **self._reasons.commands(),
            **WatchCommands(network).commands(),
            **Controller(network).commands(),
            **self._programs.commands(),
            "tools": ShellCommand(
                "Change",
                "HOST TOOL ARGUMENTS, SWITCH tc ARGUMENTS",
                "change routes, neighbours, queues, settings",
                lambda words: self._tool(words[0], words[1:]),
                f"TOOL is {', '.join(HOST_TOOLS[:-1])} or {HOST_TOOLS[-1]}, each with its own syntax; "
                f"{page('reference/links')} lists what is supported.",
                "h1 tc qdisc add dev eth0 root fq maxrate 20mbit",
                "HOST TOOL ...",
            ),
            "link": ShellCommand(
                "Change",
                "link NODE NODE up|down|rate RATE|delay TIME|loss SHARE",
                "set a link down or up; set its rate, delay, loss",
                self._link,
                "A link that goes down drops the packets that are queued or in flight on it. "
                "A NODE may be a switch's port: s1-p2. RATE may be unlimited.",
                "link h1 s1 rate 10Mbit",
                "link NODE NODE up|down|...",
            ),
            "runtime": ShellCommand(
                "Change",
                "SWITCH RUNTIME_COMMAND",
                "run a command of simple_switch_CLI",
                lambda words: self._switch_command(words[0], words[1:]),
                "SWITCH help lists the commands, SWITCH help COMMAND describes one.",
                "s1 table_add ipv4_lpm ipv4_forward 10.0.1.1/32 => 08:00:00:00:01:11 1",
            ),
            "wait": ShellCommand(
                "Session",
                "wait [TIME|%N]",
                "run the network for a time; also sleep",
                self._wait,
                "TIME is in seconds unless it has a unit, such as 500ms. wait alone waits for all "
                "background measurements, and wait %1 for one of them (jobs lists them). If there "
                "are none, wait alone waits for Ctrl-C in real time, and in the Linux world with "
                "--p4runtime.",
                "wait 5",
            ),
            "source": ShellCommand(
                "Session",
                "source FILE",
                "run the commands in a file, one on each line",
                self._source,
                "Empty lines and lines that start with # are ignored. A failing command does not "
                "stop the rest.",
                "source setup.txt",
            ),
            "help": ShellCommand(
                "Session", "help [COMMAND]", "show this list, or describe a command; also ?", self._help
            ),
            "exit": ShellCommand("Session", "exit", "end the session; also quit and Ctrl-D", self._exit),
        }

    def run(self, line: str, place: str = "") -> bool:
        """Runs a command, and prints errors to standard error.

        Args:
            line: the command.
            place: the place from which the command was read, for errors.

        Returns:
            Whether the command succeeded; ``True`` for an empty line or a comment (``#``).
        """
        try:
            succeeded = self._dispatch(line)
        except WeirError as error:
            text.error(f"{place}: {error}" if place else str(error))
            succeeded = False
        self._jobs.announce()
        return succeeded

    def close(self) -> bool:
        """Stops all background jobs; returns whether all of them succeeded."""
        return self._jobs.close()

    def run_all(self, lines: Iterable[str]) -> bool:
        """Runs commands until the last one or ``exit``; returns whether all commands succeeded."""
        succeeded = True
        for line in lines:
            succeeded = self.run(line) and succeeded
            if self.done:
                break
        return succeeded

    def given(self, commands: Sequence[str]) -> Iterator[str]:
        """Yields the commands of the command line until the session has ended, and warns of those
        that ``exit`` leaves out."""
        for number, command in enumerate(commands, 1):
            yield command
            if self.done:
                for skipped in commands[number:]:
                    text.warning(f'-c "{skipped}" was not run: exit ended the session')
                return

    def _dispatch(self, line: str) -> bool:
        try:
            words = shlex.split(line, comments=True)
        except ValueError as error:
            raise CommandError(f"cannot read the command: {str(error).lower()}") from None
        if not words:
            return True
        check_words(words, "word")
        ran = self._programs.run(words[0], line.strip()[len(words[0]) :].strip())
        if ran is not None:
            return ran
        habits.check_signs(words)
        habits.check_ends(words, self.network)
        name, *args = habits.translate_habit(words, self.network)
        hosts = [host.name for host in self.network.hosts]
        if self._is_of_prompt(name, args):
            return self.commands[name].run(args)
        if name in hosts:
            return self._host_command(name, args)
        if name in self.network.topology.switches:
            return self._switch_command(name, args)
        if name in self.commands and name not in NODE_COMMANDS:
            return self.commands[name].run(args)
        habits.check(words, self.network)
        if args and args[0] in HOST_COMMANDS:
            self.network.host(name)
        names = [
            *hosts,
            *self.network.topology.switches,
            *(command for command in self.commands if command not in NODE_COMMANDS),
        ]
        suggestion = habits.with_sender(words, self.network) or nearest(name, names)
        raise CommandError(f'there is no command "{name}" (help lists them)', suggestion=suggestion)

    def _is_of_prompt(self, name: str, args: list[str]) -> bool:
        """Returns whether a line is a command of the prompt although a node has the same name.

        A line is a command of the prompt if the node has no such command. If a host is named
        ``links``, then ``links`` lists links, and ``links ping h2`` is a ping from that host.

        This is so if the node has no such command. If a host is named ``links``, then ``links``
        lists links, and ``links ping h2`` is a ping from that host.
        """
        if name not in self.commands or name in NODE_COMMANDS:
            return False
        commands = HOST_COMMANDS if name not in self.network.topology.switches else COMMANDS
        return not args or args[0] not in (*commands, *HOST_TOOLS, "help", "?")

    def _host_command(self, host: str, args: list[str]) -> bool:
        if not args:
            typed = f"{host} ping {habits.other_host(self.network, host)}"
            raise CommandError(f"{host} alone is not a command", suggestion=typed)
        habits.check_host(host, args, self.network)
        if args[-1].endswith("&"):
            self._reasons.begin()
            return self._jobs.start(host, args)
        if args[0] in HOST_TOOLS:
            return self._tool(host, args)
        if args[0] in ("help", "?"):
            for name in (*HOST_COMMANDS, "tools"):
                help.show(self.commands[name])
            return True
        if args[0] not in HOST_COMMANDS:
            commands = (*HOST_COMMANDS, *HOST_TOOLS)
            suggestion = nearest(args[0], commands)
            reason = "" if suggestion else f"; {habits.REAL_HOSTS}"
            raise CommandError(
                f'{host} has no command "{args[0]}" (it has: {", ".join(commands)}){reason}',
                suggestion=suggestion,
            )
        return self.commands[args[0]].run([host, *args[1:]])

    def _switch_command(self, switch: str, args: list[str]) -> bool:
        if not args:
            raise CommandError(f"{switch} alone is not a command ({switch} help lists its commands)")
        if args[0] == "tc":
            return self._tool(switch, args)
        if args[0] == "?":
            args = ["help", *args[1:]]
        for line in self.network.switch(switch).runtime.call(args):
            click.echo(line)
        return True

    def _tool(self, node: str, words: list[str]) -> bool:
        command = shlex.join(words)
        if node in self.network.topology.switches:
            output = self.network.tc(node, command)
        else:
            output = self.network.host(node).cmd(command)
        click.echo(output, nl=False)
        return True

    def _link(self, args: list[str]) -> bool:
        match args:
            case [a, b, "up" | "down" as state]:
                self.network.link(a, b).up = state == "up"
            case [a, b, "rate", rate]:
                self.network.link(a, b).rate = rate
            case [a, b, "delay", delay]:
                self.network.link(a, b).delay = delay
            case [a, b, "loss", share]:
                self.network.link(a, b).loss = share
            case _:
                raise CommandError(
                    "link: expected two nodes and up, down, rate RATE, delay TIME or loss SHARE, "
                    "such as link h1 s1 down"
                )
        return True

    def _ping(self, words: list[str]) -> bool:
        host, *args = words
        self._reasons.begin()
        return ping.run_ping(self.network, host, args)

    def _iperf(self, words: list[str]) -> bool:
        host, *args = words
        self._reasons.begin()
        return iperf.run_iperf(self.network, host, args)

    def _traceroute(self, words: list[str]) -> bool:
        host, *args = words
        self._reasons.begin()
        return traceroute.run_traceroute(self.network, host, args)

    def _pingall(self, args: list[str]) -> bool:
        check_no_arguments("pingall", args)
        self._reasons.begin()
        matrix = self.network.ping_all()
        click.echo(str(matrix))
        return matrix.lost == 0

    def _wait(self, args: list[str]) -> bool:
        if not args and self._jobs.has_any():
            return self._jobs.wait()
        if args and args[0].startswith("%"):
            return self._jobs.wait(" ".join(args))
        if not args and (self.pace is not None or self._serves_in_real_time()):
            with suppress(KeyboardInterrupt):
                self.network.run_real_time()
        elif not args:
            # As in a shell, the jobs to wait for have already finished.
            click.echo("there are no background jobs; to let the network's time pass, type wait TIME")
            return True
        elif len(args) != 1:
            raise CommandError(f"wait: expected one time such as 5 or 500ms, found {len(args)} (wait TIME)")
        else:
            self.network.run_for(seconds(args[0], "time"))
        click.echo(f"the network's time is {units.format_time(self.network.now_ns)}")
        return True

    def _serves_in_real_time(self) -> bool:
        """Returns whether the network runs in the Linux world with P4Runtime servers, so that
        controllers can change switches at any time."""
        return self.network._clock.is_real and self.network._p4runtime is not None

    def _source(self, args: list[str]) -> bool:
        if len(args) != 1:
            raise CommandError("source: expected a file (source FILE)")
        file = Path(args[0])
        if len(self._sources) >= _MAX_DEPTH or file.resolve() in self._sources:
            raise CommandError(f"source: {file} is already being read")
        keep_inputs([file])
        lines = read_text(file).splitlines()
        succeeded = True
        self._sources.append(file.resolve())
        try:
            for number, line in enumerate(lines, 1):
                succeeded = self.run(line, f"{file}:{number}") and succeeded
                if self.done:
                    break
        finally:
            self._sources.pop()
        return succeeded

    def _help(self, args: list[str]) -> bool:
        if not args:
            help.show_all(self.commands, self.network.world)
            return True
        name = args[-1]
        if name not in self.commands:
            raise CommandError(f'there is no command "{name}"', suggestion=nearest(name, self.commands))
        help.show(self.commands[name])
        return True

    def _exit(self, args: list[str]) -> bool:
        check_no_arguments("exit", args)
        self.done = True
        return True
