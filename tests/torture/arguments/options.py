"""Any command of ``weir`` with any options."""

from __future__ import annotations

import functools
import random
from typing import Final

import click

from torture.arguments.run import command_case
from torture.arguments.words import ODD, PATHS
from torture.case import Case
from weir.cli import main
from weir.cli.app import app

_LEFT_OUT: Final = {
    ("bench",): "it measures for seconds",
    ("lab", "run"): "a kind of its own",
    ("switch",): "a kind of its own",
    ("link",): "a kind of its own",
    ("ui",): "it serves until a signal",
}
"""Commands that are not called, and why."""

_OPTIONS_LEFT_OUT: Final = {"--world", "--p4runtime", "--on", "--udp", "--real-time", "--wifi-scan"}
"""Options that are not given: real hosts, servers and clients of networks."""

_GOOD: Final = {
    "TOPOLOGY": ["topology.json"], "TOPOLOGY.json...": ["topology.json"], "[TOPOLOGY]": ["topology.json"], "FILE.p4": ["router.p4"], "FILE.p4...": ["router.p4"],
    "HOST": ["h1", "h2"], "TARGET": ["h2", "10.0.2.2", "h1"], "HEX|FILE.pcap": ["00" * 60, "a.pcap", "zz", "0"], "NAME:SIZES": ["star:3", "ring:0", "ring:3", "fat-tree:99999", "line:-1", "x:1", "star:"],
    "COUNT": ["1", "3"], "SECONDS": ["0.01", "1"], "RATE": ["1Mbit", "1Gbit", "unlimited"], "FLOWS": ["1", "2"], "BYTES": ["100", "1kB"], "COMMAND": ["h1 ping -c 1 h2", "nodes", "x"],
    "TIME": ["1ms", "1s"], "FLOW": ["10.0.0.1:1 > 10.0.0.2:2 udp", "10.0.0.1"], "FILE.py[:NAME]": ["study.py", "study.py:small", "study.py:x", "random.bin"], "FILE.py": ["study.py"],
    "NAME=VALUE[,VALUE…]": ["x=1", "x=3", "name=a", "x", "=", "y=1", "x=1,2"], "NAME[=TEXT]": ["A", "A=1", "=1", "1=2", "A=\n#include \"/etc/passwd\""], "EXAMPLE": ["ping"], "LAB": ["delay", "firewall"],
    "PASS": ["lower", "bind"], "STATION": ["02:00:00:00:00:01"], "QUERY": ["SELECT 1", "SELECT * FROM reports", "x"], "FILE": ["new.csv", "new.png", "s1-runtime.json"], "STORE": ["folder", "new"],
    "INTERFACE": ["wlan0"], "CC": ["DE"], "A.B.C.D/LEN": ["10.0.0.1/24"], "HOST:PORT": ["127.0.0.1:1"], "[FILE.p4] FILE.stf|DIR...": ["router.p4", "a.stf", "folder"],
    "DIR": ["new", "folder"], "[DIR]": ["new"], "[LAB]": ["delay"], "PORT": ["5201"], "N": ["1", "3"],
}  # fmt: skip
"""Values that are right or nearly right, by the name of the value in help."""


@functools.cache
def _commands() -> list[tuple[list[str], click.Command]]:
    """All commands that the cases call, with their words on the command line."""
    commands: list[tuple[list[str], click.Command]] = []

    def walk(command: click.Command, context: click.Context, words: list[str]) -> None:
        if tuple(words) in _LEFT_OUT:
            return
        if isinstance(command, click.Group):
            for name in command.list_commands(context):
                inner = command.get_command(context, name)
                assert inner is not None
                walk(inner, context, [*words, name])
        else:
            commands.append((words, command))

    walk(app, click.Context(app), [])
    return commands


def options(chance: random.Random) -> Case:
    """A command with values most of which fit, and options that may exclude each other."""
    names, command = chance.choice(_commands())
    words = list(names)
    for parameter in command.params:
        needed = parameter.required or parameter.param_type_name == "argument"
        if chance.random() > (0.95 if needed else 0.15) and not _bounds(parameter):
            continue
        if parameter.opts[0] in _OPTIONS_LEFT_OUT or (parameter.opts[0] == "--follow"):
            continue
        for _ in range(chance.choice([1, 1, 2]) if parameter.multiple or parameter.nargs == -1 else 1):
            value = _value(parameter, chance)
            if parameter.param_type_name == "argument":
                words.append(value)
            elif getattr(parameter, "is_flag", False):
                words.append(chance.choice([*parameter.opts, *parameter.secondary_opts]))
            else:
                words += [chance.choice(parameter.opts), value]
    if chance.random() < 0.1:
        words.insert(chance.randrange(1, len(words) + 1), chance.choice(["--nothing", "-Z", *ODD]))
    # Access points of this machine are left alone.
    if names[0] == "ap" and "--folder" in {opt for one in command.params for opt in one.opts}:
        words += ["--folder", "new"]
    return command_case("options", "weir", main, [word.replace("\0", "") for word in words])


def _bounds(parameter: click.Parameter) -> bool:
    """Whether the command may run for a long time without this option."""
    return parameter.opts[0] in ("--count", "--for", "-c", "--once", "--workers")


def _value(parameter: click.Parameter, chance: random.Random) -> str:
    if chance.random() < 0.25:
        return chance.choice(ODD)
    kind, called = parameter.type, parameter.metavar or ""
    if isinstance(kind, click.Choice):
        return chance.choice([str(one) for one in kind.choices])
    if called in _GOOD and chance.random() < 0.7:
        return chance.choice(_GOOD[called])
    if isinstance(kind, click.Path):
        return chance.choice(PATHS)
    if isinstance(kind, click.types.IntParamType | click.types.FloatParamType):
        return chance.choice(["0", "1", "2", "7", "-1", "65536", "1.5"])
    return chance.choice(ODD)
