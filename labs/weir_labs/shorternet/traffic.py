"""Programs on hosts: a sender of numbered packets, and a receiver that measures them.

No tool for IP networks can send Shorternet packets, so these programs send the frames of both
stacks. These programs work like the thesis's scripts: the payload has the number and time of
sending, and random text.
"""

from __future__ import annotations

import random
import struct
from array import array
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

import weir
from weir.packets import UDP_BYTES, ethernet_header, ipv4_header, udp_header

from .frames import HEADERS_BYTES, payload_bytes, shorternet_header

PORT: Final = 5000
"""The destination port of the datagrams."""

PACKETS: Final = range(2, 10_000_001)
"""The numbers of packets that a sender may send: jitter is a difference between packets."""

CONTENT_BYTES: Final = 14
"""The beginning of a payload: the number of the sender, the number of the packet, and its time of
sending in ns."""

_CONTENT: Final = struct.Struct("!HIQ")
_LETTERS: Final = b"abcdefghijklmnopqrstuvwxyz"


class Sender(weir.HostProgram):
    """Sends packets of one length, each after a gap.

    Attributes:
        sent: the number of packets sent so far.
    """

    def __init__(
        self, headers: bytes, text: bytes, number: int, count: int, gap_ns: Callable[[], int]
    ) -> None:
        """Prepares the program of a sender.

        Args:
            headers: all headers of the sender's packets.
            text: the bytes that follow the number and the time.
            number: the number of the sender, 0 to 65535.
            count: the number of packets that it sends.
            gap_ns: a function that returns the time from each packet to the next.
        """
        self.sent = 0
        self._headers, self._text, self._number = headers, text, number
        self._count, self._gap_ns = count, gap_ns

    def start(self) -> None:
        """Waits for the first gap, so that several senders can begin at different times."""
        self.after(f"{self._gap_ns()}ns")

    def on_timer(self, token: object) -> None:
        """Sends the next packet."""
        self.send(self._headers + _CONTENT.pack(self._number, self.sent, self.now_ns) + self._text)
        self.sent += 1
        if self.sent < self._count:
            self.after(f"{self._gap_ns()}ns")


@dataclass
class Arrivals:
    """The arrivals from one sender.

    Attributes:
        sent_ns: when each packet was sent, in the order of arrival.
        arrived_ns: when the last bit of each packet arrived, in the same order.
        late: the number of packets that arrived after one with a higher number. These packets are
            not lost.
        next_number: one more than the highest number that arrived.
    """

    sent_ns: array[int] = field(default_factory=lambda: array("q"))
    arrived_ns: array[int] = field(default_factory=lambda: array("q"))
    late: int = 0
    next_number: int = 0


class Receiver(weir.HostProgram):
    """Records the packets that arrive: datagrams of its host's stack, or Shorternet frames.

    Attributes:
        flows: the flows by the sender's number.
        changed: the number of packets that changed between sender and receiver, apart from the
            switches' changes in headers.
    """

    def __init__(self, payload: int, text: bytes, header_bytes: int = HEADERS_BYTES["shorternet"]) -> None:
        """Prepares the program of a receiver.

        Args:
            payload: the number of bytes after the UDP header of each packet.
            text: the bytes that follow the number and the time.
            header_bytes: the number of bytes of all headers of a Shorternet frame.
        """
        self.flows: dict[int, Arrivals] = {}
        self.changed = 0
        self._payload, self._text, self._header_bytes = payload, text, header_bytes

    def on_datagram(self, datagram: weir.Datagram) -> None:
        """Records a datagram over IPv4."""
        self._note(datagram.payload, datagram.time_ns)

    def on_frame(self, frame: weir.Frame) -> None:
        """Records a Shorternet frame."""
        self._note(frame.data[self._header_bytes :], frame.time_ns)

    def _note(self, payload: bytes, arrived_ns: int) -> None:
        if len(payload) != self._payload or not payload.endswith(self._text):
            self.changed += 1
            return
        sender, number, sent_ns = _CONTENT.unpack_from(payload)
        flow = self.flows.setdefault(sender, Arrivals())
        flow.sent_ns.append(sent_ns)
        flow.arrived_ns.append(arrived_ns)
        if number < flow.next_number:
            flow.late += 1
        else:
            flow.next_number = number + 1


def start_receiver(net: weir.Network, stack: str, host: int, length: int, text: bytes) -> Receiver:
    """Makes a host receive packets of a given length from now on.

    Args:
        net: a network of :func:`~.path.path`.
        stack: one of :data:`~.frames.STACKS`.
        host: the number of the host.
        length: the bytes of a packet, with all headers.
        text: the bytes that follow the number and the time.
    """
    program = Receiver(payload_bytes(stack, length), text)
    if stack == "standard":
        return net.host(f"h{host}").run(program, udp=PORT)
    return net.host(f"h{host}").run(program, frames=True)


def headers(net: weir.Network, stack: str, sender: int, receiver: int, payload: int) -> bytes:
    """Builds all headers of a datagram between two hosts of :func:`~.path.path`.

    The datagram has no UDP checksum, because Python would need more time for it than for everything
    else.
    """
    udp = udp_header(PORT, PORT, payload)
    if stack == "shorternet":
        return shorternet_header(sender, receiver) + udp
    source, target = net.host(f"h{sender}"), net.host(f"h{receiver}")
    (gateway,) = net.topology.hosts[source.name].arp.values()
    return (
        ethernet_header(source.mac, str(gateway))
        + ipv4_header(source.ip, target.ip, UDP_BYTES + payload)
        + udp
    )


def random_text(stack: str, length: int, seed: int) -> bytes:
    """Draws the random bytes that fill a packet.

    Raises:
        ValueError: the packet is too short for number and time.
    """
    size = payload_bytes(stack, length) - CONTENT_BYTES
    if size < 0:
        raise ValueError(
            f"length={length}: expected {HEADERS_BYTES[stack] + CONTENT_BYTES} or more for {stack}"
        )
    return bytes(random.Random(seed).choices(_LETTERS, k=size))
