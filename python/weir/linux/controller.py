"""The controller of a switch of the Linux world: packet-ins and packet-outs of P4Runtime."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from weir.control.controller import Controller, PacketIn, packet_out_numbers
from weir.errors import ControlError
from weir.errors.checks import frame_bytes

if TYPE_CHECKING:
    from weir.clock import Clock
    from weir.control.switch import Switch
    from weir.links.link import Link
    from weir.linux.bmv2.process import Bmv2Process
    from weir.linux.switch import SwitchProcess


class RealController(Controller):
    """A controller like :class:`Controller` that uses P4Runtime, so that there is no link with a
    delay.

    Args:
        listens: a function that sets whether runs stop for messages of the switch.
        running: the switch's process.
        clock: the network's clock.
        switch: the switch.
        port: its CPU port.
    """

    def __init__(
        self,
        listens: Callable[[bool], None],
        running: SwitchProcess | Bmv2Process,
        clock: Clock,
        switch: Switch,
        port: int,
    ) -> None:
        self._running, self._clock, self._switch = running, clock, switch
        self._listens = listens
        self.place = f"{switch.name}:controller", port
        self._callback: Callable[[PacketIn], object] | None = None

    @property
    def link(self) -> Link:
        """Refuses the call, because there is no link to the controller.

        Raises:
            ControlError: always.
        """
        raise ControlError(f"{self._switch.name} has no link to its controller in the Linux world")

    def on_packet_in(self, callback: Callable[[PacketIn], object] | None) -> None:
        """Sets the function to call for each packet from the CPU port, while a call runs the
        network."""
        if (callback is None) != (self._callback is None):
            (self._clock.remove_delivery if callback is None else self._clock.add_delivery)(self._deliver)
        self._callback = callback
        self._listens(callback is not None)

    def packets_in(self) -> list[PacketIn]:
        """Returns the packets that arrived since the last call."""
        now = self._clock.now_ns
        return [
            PacketIn(now, packet.fields, packet.payload, self._switch.name)
            for packet in self._running.client.packets_in()
        ]

    def packet_out(self, payload: bytes, fields: Mapping[str, int | str]) -> None:
        """Sends a packet to the switch."""
        octets = frame_bytes(payload, "payload")
        self._clock.check_open()
        numbers = packet_out_numbers(self._switch.name, self._switch.program, fields)
        self._running.client.packet_out(octets, **numbers)

    def _deliver(self) -> None:
        for packet in self.packets_in():
            if self._callback is not None:
                self._callback(packet)
