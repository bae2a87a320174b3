"""The controller of a switch, which exchanges packets with the CPU port."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from weir.errors import ControlError
from weir.errors.checks import check_call, frame_bytes
from weir.text.suggest import nearest
from weir.units import format_time

if TYPE_CHECKING:
    from weir import _core_contracts as cores
    from weir.clock import Clock
    from weir.control.owner import ProgrammedSwitch
    from weir.links.link import Link
    from weir.program import Program


@dataclass(frozen=True)
class PacketIn:
    """A packet that a switch sent to its controller.

    Attributes:
        time_ns: the virtual time in nanoseconds at which the packet's last bit left the CPU port.
        fields: the fields of the program's header with ``@controller_header("packet_in")``, by
            name; empty if the program has no such header, or the packet is shorter than the header.
            Values are numbers; at a P4Runtime client, values of types translated to ``string`` are
            strings.
        payload: the bytes after this header.
        switch: the name of the switch.
    """

    time_ns: int
    fields: Mapping[str, Any]
    payload: bytes
    switch: str

    def __getitem__(self, name: str) -> Any:
        return self.fields[name]

    def __str__(self) -> str:
        fields = ", ".join(f"{name}={value}" for name, value in self.fields.items())
        text = f"{format_time(self.time_ns)}  packet to the controller of {self.switch}, {len(self.payload)} bytes"
        return f"{text}: {fields}" if fields else text


def check_fields(switch: str, known: Iterable[str], given: Iterable[str]) -> None:
    """Refuses fields that the header for packet-outs does not have.

    Args:
        switch: the name of the switch.
        known: the fields of the header in the switch's program.
        given: the fields of a packet.

    Raises:
        ControlError: a field is unknown; the message lists the known fields.
    """
    names = list(known)
    for name in given:
        if name not in names:
            known_fields = ", ".join(names) or 'none: no header has @controller_header("packet_out")'
            raise ControlError(
                f'packet_out: the program of {switch} has no field "{name}" (fields: {known_fields})',
                suggestion=nearest(name, names),
            )


def packet_out_numbers(switch: str, program: Program, fields: Mapping[str, int | str]) -> dict[str, int]:
    """Converts the field values of a packet-out to numbers of the program.

    Raises:
        ControlError: there is no such field, or a value does not fit it.
    """
    check_fields(switch, dict(program._controller_headers.get("packet_out", ())), fields)
    return {
        name: int.from_bytes(program._core.packet_out_value(name, value), "big")
        for name, value in fields.items()
    }


class Controller:
    """The controller at the other end of the link from a switch's CPU port.

    Args:
        core: the network.
        clock: the network's clock.
        switch: the switch.
        place: the controller's node, and the switch's CPU port.
        link: the link to the switch.
    """

    def __init__(
        self,
        core: cores.Network,
        clock: Clock,
        switch: ProgrammedSwitch,
        place: tuple[str, int],
        link: Link,
    ) -> None:
        self._core, self._clock, self._switch = core, clock, switch
        self.place = place
        self._end = place[0]
        self._link = link
        self._watch: cores.Watch | None = None
        self._callback: Callable[[PacketIn], object] | None = None
        self._waiting: deque[PacketIn] = deque()
        self._served = False

    @property
    def link(self) -> Link:
        """The link between the controller and the switch."""
        return self._link

    def serve(self) -> None:
        """Hands over the packets of the CPU port to P4Runtime controllers from now on."""
        self._served = True

    def on_packet_in(self, callback: Callable[[PacketIn], object] | None) -> None:
        """Sets the function to call for each packet; see :meth:`weir.Switch.on_packet_in`."""
        if callback is not None:
            check_call("callback", callback)
        self._open()
        if (callback is None) != (self._callback is None):
            if callback is None:
                self._clock.remove_delivery(self._deliver)
            else:
                self._clock.add_delivery(self._deliver)
        self._callback = callback

    def packets_in(self) -> list[PacketIn]:
        """Returns the packets that arrived since the last call; the first call starts to collect
        them."""
        self._open()
        self._collect()
        packets = list(self._waiting)
        self._waiting.clear()
        return packets

    def packet_out(self, payload: bytes, fields: Mapping[str, int | str]) -> None:
        """Sends a packet to the switch now; see :meth:`weir.Switch.packet_out`."""
        octets = frame_bytes(payload, "payload")
        self._clock.check_open()
        numbers = packet_out_numbers(self._switch.name, self._switch.program, fields)
        number, bits = 0, 0
        for name, width in self._switch.program._controller_headers.get("packet_out", ()):
            number, bits = number << width | numbers.get(name, 0), bits + width
        self._core.host(self._end).send_frame(0, number.to_bytes(-(-bits // 8), "big") + octets)

    def _open(self) -> None:
        if self._served:
            raise ControlError(
                f"{self._switch.name} is served by P4Runtime: its packets go to its controllers"
            )
        if self._watch is None:
            self._watch = self._core.watch([(self._end, 0)], "", True, False, True)

    def _collect(self) -> None:
        if self._watch is not None:
            self._waiting.extend(self._read(time, octets) for time, _, _, octets in self._watch.take())

    def _read(self, time_ns: int, octets: bytes) -> PacketIn:
        header = self._switch.program._controller_headers.get("packet_in", ())
        bits = sum(width for _, width in header)
        length = -(-bits // 8)
        if len(octets) < length:
            return PacketIn(time_ns, {}, octets, self._switch.name)
        number, fields = int.from_bytes(octets[:length], "big"), {}
        for name, width in reversed(header):
            fields[name] = number & ((1 << width) - 1)
            number >>= width
        return PacketIn(time_ns, dict(reversed(fields.items())), octets[length:], self._switch.name)

    def _deliver(self) -> None:
        self._collect()
        while self._waiting and self._callback is not None:
            self._callback(self._waiting.popleft())
