"""Commands that trace and capture packets."""

from __future__ import annotations

from pathlib import Path

import click

from weir.cli.shell.command import ShellCommand
from weir.control import Switch
from weir.errors import CommandError
from weir.links.capture import Capture
from weir.network import Network
from weir.system import meter
from weir.text.digits import whole_number

_TRACE = "trace [on|off SWITCH | SWITCH PACKETS]"
_CAPTURE = "capture [FILE END... [-f FILTER] | off [FILE]]"


class WatchCommands:
    """The commands that trace and capture a network's packets."""

    def __init__(self, network: Network) -> None:
        self._network = network
        self._traced: list[Switch] = []
        self._captures: list[Capture] = []

    def commands(self) -> dict[str, ShellCommand]:
        """Returns the shell commands that trace and capture packets, by name."""
        return {
            "trace": ShellCommand(
                "Watch",
                _TRACE,
                "trace packets through a switch",
                self._trace,
                "The trace of a packet is shown when the packet and all its copies have left the switch. "
                "trace s1 10 traces only the next ten packets. trace alone shows which switches are traced.",
                "trace on s1",
                "trace [on|off SWITCH]",
            ),
            "capture": ShellCommand(
                "Watch",
                _CAPTURE,
                "write packets to a pcapng file",
                self._capture,
                "An END is a host's interface (h1, h1-eth1) or a switch's port (s1-p2). FILTER is in "
                "tcpdump's language. The file is complete after capture off and at the end of the "
                "session. capture alone shows which files are being written.",
                'capture h1.pcapng h1 s1-p2 -f "udp port 5201"',
                "capture [FILE END...]",
            ),
        }

    def _trace(self, args: list[str]) -> bool:
        names = self._network.topology.switches
        match args:
            case []:
                for switch in self._traced:
                    click.echo(f"{switch.name} is traced")
                if not self._traced:
                    click.echo("nothing is traced")
                return True
            case ["on" | "off" as word, name]:
                self._follow(self._network.switch(name), None if word == "on" else 0)
            case [name, packets] if name in names or packets.isdigit():
                number = whole_number(packets, 1)
                if number is None:
                    raise CommandError(f'trace: expected a number of packets, 1 or more, found "{packets}"')
                self._follow(self._network.switch(name), number)
            case _:
                raise CommandError(f'trace: cannot read "{" ".join(args)}" ({_TRACE})')
        return True

    def _follow(self, switch: Switch, packets: int | None) -> None:
        switch.trace(packets)
        self._traced = [other for other in self._traced if other is not switch]
        if packets != 0:
            self._traced.append(switch)
        self._network.on_event = self._show_journeys if self._traced else None

    def _show_journeys(self) -> None:
        from weir.cli.journey import echo

        for switch in self._traced:
            for journey in switch.journeys():
                meter.clear()
                echo(journey)
        self._traced = [switch for switch in self._traced if switch.is_tracing]
        if not self._traced:
            self._network.on_event = None

    def _capture(self, args: list[str]) -> bool:
        self._captures = [capture for capture in self._captures if capture.is_open]
        match args:
            case []:
                for capture in self._captures:
                    click.echo(f"{capture.path} is being written")
                if not self._captures:
                    click.echo("nothing is captured")
            case ["off"]:
                if not self._captures:
                    raise CommandError("capture: no capture is running")
                for capture in self._captures:
                    click.echo(f"{capture.close()} is complete")
            case ["off", file]:
                captures = [capture for capture in self._captures if capture.path == Path(file)]
                if not captures:
                    files = ", ".join(str(capture.path) for capture in self._captures) or "nothing"
                    raise CommandError(f"capture: {file} is not being written ({files} is)")
                click.echo(f"{captures[0].close()} is complete")
            case [file, *ends]:
                self._start_capture(file, ends)
        return True

    def _start_capture(self, file: str, words: list[str]) -> None:
        ends, filter = words, ""
        if "-f" in words:
            place = words.index("-f")
            ends, filter = words[:place], " ".join(words[place + 1 :])
            if not filter:
                raise CommandError(f"capture: expected a filter after -f ({_CAPTURE})")
        if not ends:
            raise CommandError(f"capture: expected a file and the ends of links ({_CAPTURE})")
        self._captures.append(self._network.capture(file, ends, filter))
