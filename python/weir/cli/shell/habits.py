"""Recognizes commands of Mininet, p4-utils and BMv2's tools, and suggests commands of the
prompt."""

from __future__ import annotations

import shlex

from weir.cli.shell.command import HOST_COMMANDS
from weir.control.commands import COMMANDS
from weir.errors import CommandError
from weir.network import Network

REAL_HOSTS = "with --world linux, hosts can run any program"
"""The hint to use real hosts, for programs that virtual hosts do not have."""

_ALIASES = {
    "?": "help",
    "quit": "exit",
    "EOF": "exit",
    "pingAll": "pingall",
    "pingallfull": "pingall",
    "pingAllFull": "pingall",
    "dump": "nodes",
    "net": "links",
    "intfs": "links",
    "ports": "links",
    "sleep": "wait",
}
"""Mininet's commands, each with the prompt's equivalent."""

_HOST_ALIASES = {
    "ping6": ["ping", "-6"],
    "iperf3": ["iperf"],
    "tracepath": ["traceroute"],
    "tracepath6": ["traceroute", "-6"],
    "traceroute6": ["traceroute", "-6"],
}
"""Programs on Mininet's hosts, each with the prompt's equivalent."""

_SHOW_COMMANDS = {
    ("ifconfig",): ["ip", "addr"],
    ("ifconfig", "-a"): ["ip", "addr"],
    ("ifconfig", "eth0"): ["ip", "addr"],
    ("route",): ["ip", "route"],
    ("route", "-n"): ["ip", "route"],
    ("netstat", "-rn"): ["ip", "route"],
    ("arp",): ["ip", "neigh"],
    ("arp", "-n"): ["ip", "neigh"],
    ("arp", "-a"): ["ip", "neigh"],
    ("arp", "-an"): ["ip", "neigh"],
}
"""Commands of net-tools, each with the host command that shows the same."""

_SHELL_ADVICE = "the prompt does not run commands of this computer: use another terminal"
_PYTHON_ADVICE = "the prompt does not run Python: use a script with weir.Network"
_OPENFLOW_ADVICE = "switches run P4 programs, not OpenFlow: to show entries, type tables SWITCH; to add one, SWITCH table_add"
_TERMINAL_ADVICE = f"virtual hosts have no terminal: type their commands here, after the name ({REAL_HOSTS})"
_CAPTURE_ADVICE = "to write packets to a file for Wireshark and tcpdump, type capture FILE END..."
_RESTART_ADVICE = "type exit and start weir run again, which compiles the program"

_ABSENT = {
    "sh": _SHELL_ADVICE,
    "py": _PYTHON_ADVICE,
    "px": _PYTHON_ADVICE,
    "python": _PYTHON_ADVICE,
    "python3": _PYTHON_ADVICE,
    "dpctl": _OPENFLOW_ADVICE,
    "ovs-ofctl": _OPENFLOW_ADVICE,
    "xterm": _TERMINAL_ADVICE,
    "x": _TERMINAL_ADVICE,
    "gterm": _TERMINAL_ADVICE,
    "mx": _TERMINAL_ADVICE,
    "tcpdump": _CAPTURE_ADVICE,
    "tshark": _CAPTURE_ADVICE,
    "wireshark": _CAPTURE_ADVICE,
    "time": "times are virtual: ping and iperf print them; to see the network's time, type wait",
    "noecho": "virtual hosts have no terminal",
    "switch": "switches always run: to take a link down instead, type link NODE NODE down",
    "start": "the network has started: to let its time pass, type wait TIME",
    "stop": "to end the session, type exit",
    "p4switch_reboot": _RESTART_ADVICE,
    "p4switches_reboot": _RESTART_ADVICE,
    "weir": "this is the prompt of weir run: leave out weir, as in h1 ping h2",
    "sudo": "nothing here needs root: leave out sudo",
}
"""Commands that the prompt does not have, each with the reason or an alternative."""

_HOST_ABSENT = {
    "tcpdump": _CAPTURE_ADVICE,
    "tshark": _CAPTURE_ADVICE,
    "wireshark": _CAPTURE_ADVICE,
    "python": "a host runs programs of the class weir.HostProgram, from a script",
    "python3": "a host runs programs of the class weir.HostProgram, from a script",
    "xterm": _TERMINAL_ADVICE,
    "nc": "iperf sends flows over TCP and UDP; in a script, a weir.HostProgram sends any data",
    "curl": "in a script, host.request measures a request and its response over TCP",
    "wget": "in a script, host.request measures a request and its response over TCP",
}
"""Linux programs that virtual hosts do not have, each with an alternative."""


_SHELL_OPERATORS = {"|", "|&", ">", ">>", "<", "2>", "2>&1", "&>", "&&", "||", ";"}
"""The signs with which a shell separates commands, or redirects them to files and programs."""


def check_signs(words: list[str]) -> None:
    """Refuses pipes, redirections and several commands in a line, which only a shell supports.

    Raises:
        CommandError: the line has such a sign; the message suggests an alternative.
    """
    for place, word in enumerate(words[1:], 1):
        sign = next(
            (one for one in (">>", ">", ";") if word.startswith(one) or (one == ";" and word.endswith(one))),
            word,
        )
        if word == "&" and place < len(words) - 1:
            raise CommandError(
                '"&" ends a line: type each command on a line of its own',
                suggestion=shlex.join(words[:place]) + " &",
            )
        if sign not in _SHELL_OPERATORS:
            continue
        corrected = shlex.join(
            [*words[:place], *([word.rstrip(";")] if word.endswith(";") and word != ";" else [])]
        )
        if sign in ("&&", "||", ";"):
            raise CommandError(
                f'"{sign}" works in a shell, but not at this prompt: type each command on a line of its own',
                suggestion=corrected,
            )
        raise CommandError(
            f'"{sign}" works in a shell, but not at this prompt. In a terminal, type: '
            f"weir run … -c {shlex.quote(corrected)} "
            f"{shlex.join(words[place:]).replace(shlex.quote(sign), sign, 1)}"
        )


def check_ends(words: list[str], network: Network) -> None:
    """Refuses a ping, a flow or a traceroute from or to a switch.

    Raises:
        CommandError: a switch is named where a host is expected.
    """
    name, *args = words
    switches = set(network.topology.switches) - {host.name for host in network.hosts}
    tools = {*HOST_COMMANDS, *_HOST_ALIASES}
    if not args or not ((name in switches and args[0] in tools) or (name in tools and args[0] in switches)):
        return
    tool, switch = (args[0], name) if name in switches else (name, args[0])
    first = next((host.name for host in network.hosts), None)
    typed = f"{first} {tool} {other_host(network, first)}" if first is not None else None
    raise CommandError(f"{tool}: {switch} is a switch, and only hosts send and answer", suggestion=typed)


def translate_habit(words: list[str], network: Network) -> list[str]:
    """Translates a Mininet command to the prompt's equivalent; returns other commands unchanged.

    ``iperf h1 h2`` and ``ping h1 h2`` name the tool before the sender. ``iperf`` alone measures
    between the first and the last host, and ``pingpair`` between the first two hosts.
    """
    name, *args = words
    hosts = [host.name for host in network.hosts]
    if name in hosts or name in network.topology.switches:
        if name in hosts and args and args[0] in _HOST_ALIASES:
            return [name, *_alias(args[0], args[1:])]
        if name in hosts and (shows := _SHOW_COMMANDS.get(tuple(args))) is not None:
            return [name, *shows]
        return words
    if name == "sleep" and not args:
        raise CommandError("sleep: expected a time such as 5 or 500ms (sleep TIME)")
    if name in _ALIASES:
        return [_ALIASES[name], *args]
    tool = _alias(name, [])[0]
    if tool in HOST_COMMANDS and len(args) > 1 and args[0] in hosts:
        return [args[0], *_alias(name, args[1:])]
    if len(hosts) > 1 and not args:
        if tool == "iperf":
            return [hosts[0], "iperf", hosts[-1]]
        if tool in ("pingpair", "pingpairfull"):
            return [hosts[0], "ping", "-c", "1", hosts[1]]
    if tool == "iperfudp":
        rate, ends = (args[0], args[1:]) if args and args[0] not in hosts else ("10M", args)
        if len(hosts) > 1 and not ends:
            ends = [hosts[0], hosts[-1]]
        if len(ends) == 2:
            return [ends[0], "iperf", "-u", "-b", rate, ends[1]]
    return words


def _alias(program: str, args: list[str]) -> list[str]:
    """Translates the name of a program on a host to the prompt's equivalent; returns other programs
    unchanged.

    Raises:
        CommandError: an argument has another meaning in the prompt's command.
    """
    if program == "iperf3" and "-V" in args:
        raise CommandError("iperf3 -V: the report already has all details; for IPv6 use -6")
    return [*_HOST_ALIASES.get(program, [program]), *args]


def with_sender(words: list[str], network: Network) -> str | None:
    """Puts a sending host in front of a measurement that names no sender.

    If the measurement names two hosts, the first host sends; otherwise another host sends to the
    named one.

    Returns:
        The command; ``None`` if it is not a measurement, or there is no host.
    """
    tool, *args = words
    hosts = [host.name for host in network.hosts]
    if _alias(tool, [])[0] not in HOST_COMMANDS or not args or not hosts:
        return None
    host_places = [place for place, word in enumerate(args) if word in hosts]
    if len(host_places) > 1:
        sender = args.pop(host_places[0])
    else:
        sender = other_host(network, args[host_places[0]]) if host_places and len(hosts) > 1 else hosts[0]
    return shlex.join([sender, *_alias(tool, args)])


def is_measurement(program: str) -> bool:
    """Returns whether the prompt measures if a user types this program after the name of a host of
    the Linux world. The host itself runs all other programs.

    The names ``ping6`` and ``traceroute6`` only choose IPv6.
    """
    return program in ("ping6", "traceroute6")


def check(words: list[str], network: Network) -> None:
    """Refuses commands of other tools that the prompt does not have.

    Raises:
        CommandError: the command is one of another tool; the message suggests an alternative.
    """
    name, *args = words
    if name.startswith("!"):
        raise CommandError(_SHELL_ADVICE)
    if name == "simple_switch_CLI" or name in COMMANDS:
        # The line starts simple_switch_CLI, or it is a line of simple_switch_CLI's standard input.
        command = [] if name == "simple_switch_CLI" else words
        switch = next(iter(network.topology.switches), "SWITCH")
        typed = shlex.join([switch, *(command or ["help"])])
        raise CommandError(
            f"{name}: type the commands of simple_switch_CLI after the name of a switch", suggestion=typed
        )
    if name in _ABSENT:
        host = args[0] if args and any(args[0] == host.name for host in network.hosts) else None
        suggestion = (
            f"{host} ping {other_host(network, host)}" if _ABSENT[name] is _TERMINAL_ADVICE and host else None
        )
        raise CommandError(f"{name}: {_ABSENT[name]}", suggestion=suggestion)


def check_host(host: str, words: list[str], network: Network) -> None:
    """Refuses programs that only real hosts can run, and suggests alternatives.

    Raises:
        CommandError: the command is such a program.
    """
    name = words[0]
    if name == "iperf" and {"-s", "--server"} & set(words[1:2]):
        typed = f"{other_host(network, host)} iperf {host}"
        raise CommandError(f"{host} iperf -s: every host already serves", suggestion=typed)
    if name in _HOST_ABSENT:
        raise CommandError(f"{host} {name}: {_HOST_ABSENT[name]} ({REAL_HOSTS})")


def other_host(network: Network, host: str) -> str:
    """Returns the name of a host other than the given one, for examples in messages."""
    return next((other.name for other in network.hosts if other.name != host), "TARGET")
