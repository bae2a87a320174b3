"""The prompt of ``weir run`` on a terminal, with history and completion."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import click
from prompt_toolkit import PromptSession
from prompt_toolkit.completion import CompleteEvent, Completer, Completion
from prompt_toolkit.document import Document
from prompt_toolkit.history import FileHistory, History, InMemoryHistory
from prompt_toolkit.patch_stdout import patch_stdout

from weir.cli import iperf, ping, traceroute
from weir.cli.live import LivePrompt
from weir.cli.shell import HOST_COMMANDS, HOST_TOOLS, NODE_COMMANDS, Shell
from weir.clock.realtime import RealTime
from weir.network import Network

_FLAGS = {"ping": ping.FLAGS, "iperf": iperf.FLAGS, "traceroute": traceroute.FLAGS}


class ShellCompleter(Completer):
    """Completes the names of nodes, commands and tables at the prompt."""

    def __init__(self, shell: Shell) -> None:
        self._shell = shell

    def get_completions(self, document: Document, complete_event: CompleteEvent) -> Iterator[Completion]:
        """Yields the words that can complete the text before the cursor."""
        text_before = document.text_before_cursor
        words = text_before.split()
        word = "" if not words or text_before[-1:].isspace() else words.pop()
        for choice in self.choices(words):
            last_part = choice.rpartition(".")[2]
            if any(name.lower().startswith(word.lower()) for name in (choice, last_part)):
                yield Completion(choice, start_position=-len(word))

    def choices(self, words: list[str]) -> list[str]:
        """Returns the words that may follow the given words of a line."""
        network = self._shell.network
        hosts = [host.name for host in network.hosts]
        match words:
            case []:
                switches = [switch.name for switch in network.switches]
                return [
                    *hosts,
                    *switches,
                    *(name for name in self._shell.commands if name not in NODE_COMMANDS),
                ]
            case ["help"]:
                return list(self._shell.commands)
            case ["tables" | "counters" | "messages" | "packets" | "packet_out"] | ["trace", "on" | "off"]:
                return [switch.name for switch in network.switches]
            case ["link"] | ["link", _]:
                return [*hosts, *(switch.name for switch in network.switches)]
            case ["link", _, _]:
                return ["up", "down", "rate", "delay", "loss"]
            case ["trace"]:
                return ["on", "off", *(switch.name for switch in network.switches)]
            case ["trace", _]:
                return []
            case ["capture"]:
                return ["off"]
            case ["capture", _, *rest] if "-f" not in rest:
                ends = [end for link in network.links for end in (link.a, link.b)]
                return [end for end in ends if end not in rest]
            case ["counters", name] if name in network.topology.switches:
                return list(network.switch(name).program.objects("counter"))
            case ["tables", name] if name in network.topology.switches:
                return list(network.switch(name).tables)
            case [host] if host in hosts:
                return [*HOST_COMMANDS, *HOST_TOOLS]
            case [host, command, *rest] if host in hosts and command in _FLAGS:
                flags = _FLAGS[command]
                typed_flags = flags.typed
                if rest and rest[-1] in typed_flags and rest[-1] not in flags.valueless:
                    return []
                options = [option for option in typed_flags if option not in rest]
                return [*(other for other in hosts if other != host), *options]
            case [switch, *rest] if switch in network.topology.switches:
                return network.switch(switch).runtime.choices(rest)
            case _:
                return []


def read_commands(shell: Shell) -> None:
    """Reads and runs commands until ``exit`` or the end of input.

    Ctrl-C interrupts a command, not the shell. In real time, the network also runs while the prompt
    waits; the line below the prompt shows the time.
    """
    session: PromptSession[str] = PromptSession(
        history=_history(), completer=ShellCompleter(shell), complete_while_typing=False
    )
    live = None if shell.pace is None else LivePrompt(shell.network)
    hosts, switches = len(shell.network.hosts), len(shell.network.switches)
    time = "virtual time" if shell.pace is None else f"real time{_speed_text(shell.pace)}"
    if shell.network.world == "linux":
        time = "Linux"
    click.echo(
        f"hosts: {hosts}, switches: {switches}, in {time}. help shows the commands, exit ends the session."
    )
    while not shell.done:
        try:
            if live is None or shell.pace is None:
                line = session.prompt("weir> ")
            else:
                live.resume()
                # Output that is written while the prompt waits appears above it.
                with patch_stdout(raw=True):
                    line = session.prompt(
                        "weir> ",
                        inputhook=live,
                        bottom_toolbar=partial(_time, shell.network, shell.pace),
                        refresh_interval=1,
                    )
            shell.run(line)
        except KeyboardInterrupt:
            continue
        except EOFError:
            break


def _speed_text(pace: RealTime) -> str:
    return "" if pace.speed == 1 else f" at {pace.speed:g} times its speed"


def _time(network: Network, pace: RealTime) -> str:
    """Formats the network's time, such as ``12.3s, 0.5s behind the wall clock``."""
    now = f"{network.now:.1f}s"
    return f"{now}, {pace.behind_ns / 1e9:.1f}s behind the wall clock" if pace.is_behind else now


def _history() -> History:
    """Opens the history of commands, a file in the user's state folder (XDG Base Directory
    Specification).

    If the folder is not writable, the history is kept in memory.
    """
    state = os.environ.get("XDG_STATE_HOME") or str(Path.home() / ".local" / "state")
    file = Path(state) / "weir" / "history"
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.touch()
    except OSError:
        return InMemoryHistory()
    return FileHistory(str(file))
