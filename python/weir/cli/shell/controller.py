"""Commands of a switch's controller, which exchange packets with the CPU port."""

from __future__ import annotations

import click

from weir import _core
from weir.cli.shell.command import ShellCommand
from weir.errors import CommandError
from weir.network import Network

_OUT = "packet_out SWITCH HEX [FIELD=VALUE...]"


class Controller:
    """The shell commands that show the packets that a switch sends to its controller, and send
    packets as a controller."""

    def __init__(self, network: Network) -> None:
        self._network = network
        for switch in network.switches:
            if switch.has_controller and not switch.is_served:
                # From now on, store the packets that arrive at the CPU port.
                switch.packets_in()

    def commands(self) -> dict[str, ShellCommand]:
        """Returns the shell commands for packets of controllers, by name."""
        return {
            "packets": ShellCommand(
                "Watch",
                "packets SWITCH",
                "show packets at the CPU port since the last call",
                self._packets,
                'Shows the fields of the program\'s header with @controller_header("packet_in").',
                "packets s1",
            ),
            "packet_out": ShellCommand(
                "Change",
                _OUT,
                "send a packet from the controller",
                self._packet_out,
                'HEX is the packet after the program\'s header with @controller_header("packet_out"); '
                "unset fields are 0. The packet is sent when the network runs, for example with wait.",
                "packet_out s1 080000000222080000000111 egress_port=2",
                "packet_out SWITCH HEX ...",
            ),
        }

    def _packets(self, args: list[str]) -> bool:
        if len(args) != 1:
            raise CommandError("packets: expected a switch (packets SWITCH)")
        packets = self._network.switch(args[0]).packets_in()
        for packet in packets:
            click.echo(str(packet))
            click.echo(f"  {_core.group_hex(packet.payload.hex())}")
        if not packets:
            click.echo("none")
        return True

    def _packet_out(self, args: list[str]) -> bool:
        if len(args) < 2:
            raise CommandError(f"packet_out: expected a switch and a packet in hexadecimal digits ({_OUT})")
        name, digits, *settings = args
        fields = {}
        for setting in settings:
            field, _, value = setting.partition("=")
            if not value:
                raise CommandError(
                    f'packet_out: expected FIELD=VALUE, such as egress_port=2, found "{setting}"'
                )
            fields[field] = value
        self._network.switch(name).packet_out(_core.read_hex(digits, "the packet"), **fields)
        return True
