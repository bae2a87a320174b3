"""A Shorternet host: it answers pings and echoes datagrams, and can ping others.

``topology.json`` starts it too, so this file imports no module of the lab.
"""

from __future__ import annotations

import struct
from typing import Final

import weir

ECHO_PORT: Final = 7
"""The port of echoes: the host returns a datagram to this port."""

_SHORTERNET: Final = struct.Struct("!BBBB")
_UDP: Final = struct.Struct("!HHHH")
_ICMP: Final = struct.Struct("!BBHHH")
_ICMP_PROTOCOL, _UDP_PROTOCOL, _TTL = 1, 17, 64
_ECHO, _ECHO_REPLY = 8, 0
_IDENTIFIER: Final = 1


class Node(weir.HostProgram):
    """A host of Shorternet. Run it with ``frames=True``.

    The host's number is the one in its name: ``n3`` has the number 3.

    Attributes:
        rtts_ns: round-trip times of answered pings, by the ping's number.
        datagrams: the payloads of datagrams to ports other than that of echoes.
        refused: the number of packets with a wrong length or checksum, or for another host.
    """

    def __init__(self) -> None:
        self.rtts_ns: dict[int, int] = {}
        self.datagrams: list[bytes] = []
        self.refused = 0
        self._sent_ns: dict[int, int] = {}

    def ping(self, target: int, payload: bytes = b"") -> None:
        """Sends an echo request.

        Args:
            target: the other host's number in Shorternet.
            payload: the bytes that the reply returns.
        """
        number = len(self._sent_ns)
        self._sent_ns[number] = self.now_ns
        self._send(target, _ICMP_PROTOCOL, self._echo(_ECHO, _IDENTIFIER, number, payload))

    def send_datagram(self, target: int, port: int, payload: bytes, source_port: int = 4000) -> None:
        """Sends a UDP datagram.

        Args:
            target: the other host's number in Shorternet.
            port: the port to send it to.
            payload: the bytes after the UDP header.
            source_port: the port for an answer.
        """
        length = _UDP.size + len(payload)
        unsummed = _UDP.pack(source_port, port, length, 0) + payload
        checksum = _checksum(self._pseudo_header(target, self.number, length) + unsummed) or 0xFFFF
        self._send(target, _UDP_PROTOCOL, unsummed[:6] + checksum.to_bytes(2, "big") + payload)

    @property
    def number(self) -> int:
        """The host's number in Shorternet."""
        return int(self.host.name[1:])

    def on_frame(self, frame: weir.Frame) -> None:
        """Handles a packet that arrives."""
        if len(frame.data) < _SHORTERNET.size:
            self.refused += 1
            return
        target, source, protocol, _ = _SHORTERNET.unpack_from(frame.data)
        data = frame.data[_SHORTERNET.size :]
        if target != self.number:
            self.refused += 1
        elif protocol == _ICMP_PROTOCOL and len(data) >= _ICMP.size and _checksum(data) == 0:
            self._on_icmp(source, data)
        elif protocol == _UDP_PROTOCOL and self._is_datagram(source, data):
            self._on_udp(source, data)
        else:
            self.refused += 1

    def _on_icmp(self, source: int, data: bytes) -> None:
        kind, _, _, identifier, number = _ICMP.unpack_from(data)
        if kind == _ECHO:
            self._send(
                source, _ICMP_PROTOCOL, self._echo(_ECHO_REPLY, identifier, number, data[_ICMP.size :])
            )
        elif kind == _ECHO_REPLY and number in self._sent_ns:
            self.rtts_ns[number] = self.now_ns - self._sent_ns[number]

    def _on_udp(self, source: int, data: bytes) -> None:
        source_port, port, _, _ = _UDP.unpack_from(data)
        payload = data[_UDP.size :]
        if port == ECHO_PORT:
            self.send_datagram(source, source_port, payload, port)
        else:
            self.datagrams.append(payload)

    def _is_datagram(self, source: int, data: bytes) -> bool:
        if len(data) < _UDP.size:
            return False
        _, _, length, checksum = _UDP.unpack_from(data)
        pseudo_header = self._pseudo_header(self.number, source, length)
        return length == len(data) and (checksum == 0 or _checksum(pseudo_header + data) == 0)

    def _send(self, target: int, protocol: int, data: bytes) -> None:
        self.send(_SHORTERNET.pack(target, self.number, protocol, _TTL) + data)

    @staticmethod
    def _echo(kind: int, identifier: int, number: int, payload: bytes) -> bytes:
        unsummed = _ICMP.pack(kind, 0, 0, identifier, number) + payload
        return _ICMP.pack(kind, 0, _checksum(unsummed), identifier, number) + payload

    @staticmethod
    def _pseudo_header(target: int, source: int, length: int) -> bytes:
        """Returns the bytes that the UDP checksum includes in addition to the datagram."""
        return struct.pack("!BBHH", target, source, _UDP_PROTOCOL, length)


def _checksum(data: bytes) -> int:
    padded = data + bytes(len(data) % 2)
    total: int = sum(struct.unpack(f"!{len(padded) // 2}H", padded))
    while total > 0xFFFF:
        total = (total & 0xFFFF) + (total >> 16)
    return total ^ 0xFFFF
