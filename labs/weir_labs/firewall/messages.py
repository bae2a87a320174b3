"""The messages of the handshake between hosts and controller, and their keyed tokens.

All messages are Ethernet frames of the same length: kind (1 byte), IPv4 address (4), nonce (16),
token (32).

    host -> controller   HELLO      the host's nonce
    controller -> host   CHALLENGE  the controller's nonce, and a token
    host -> controller   JOIN       the controller's nonce, and a token
    controller -> host   ACCEPT     the same nonce, and a token
    host -> controller   LEAVE      the same nonce, and a token

A token is HMAC-SHA256 (RFC 2104) with the host's key over kind, MAC address, IPv4 address and both
nonces. With the token, both sides prove that they have the key, and a message is not valid in
another handshake.
"""

from __future__ import annotations

import hashlib
import hmac
import struct
from dataclasses import dataclass
from ipaddress import IPv4Address
from typing import Final

ETHER_TYPE: Final = 0x88B5
"""The first EtherType that IEEE 802 reserves for local experiments."""

HELLO: Final = 1
CHALLENGE: Final = 2
JOIN: Final = 3
ACCEPT: Final = 4
LEAVE: Final = 5

NONCE_BYTES: Final = 16
CONTROLLER_MAC: Final = bytes.fromhex("0200000000ff")

_MESSAGE: Final = struct.Struct(f"!6s6sHB4s{NONCE_BYTES}s32s")
MESSAGE_BYTES: Final = _MESSAGE.size
"""The bytes of each message with its Ethernet header: 67."""


@dataclass(frozen=True)
class Identity:
    """A host's identity, which the controller also knows.

    Attributes:
        number: the number of the host, 0 to 63, which is its index in the switches' registers.
        mac: the host's MAC address, 6 bytes.
        address: the host's IPv4 address, 4 bytes.
        key: the secret that only the host and the controller share.
    """

    number: int
    mac: bytes
    address: bytes
    key: bytes

    def token(self, kind: int, host_nonce: bytes, nonce: bytes) -> bytes:
        """Computes the token of a message, 32 bytes.

        Args:
            kind: the kind of the message.
            host_nonce: the host's nonce.
            nonce: the controller's nonce.
        """
        signed = bytes([kind]) + self.mac + self.address + host_nonce + nonce
        return hmac.digest(self.key, signed, hashlib.sha256)


@dataclass(frozen=True)
class Message:
    """A message of the handshake.

    Attributes:
        target: the receiver's MAC address.
        source: the sender's MAC address.
        kind: the kind, from HELLO to LEAVE.
        address: the host's IPv4 address, 4 bytes.
        nonce: the host's nonce in a HELLO, otherwise the controller's.
        token: the token, 32 bytes; zeros in a HELLO.
    """

    target: bytes
    source: bytes
    kind: int
    address: bytes
    nonce: bytes
    token: bytes = bytes(32)

    def __bytes__(self) -> bytes:
        return _MESSAGE.pack(
            self.target, self.source, ETHER_TYPE, self.kind, self.address, self.nonce, self.token
        )

    def __str__(self) -> str:
        name = {1: "HELLO", 2: "CHALLENGE", 3: "JOIN", 4: "ACCEPT", 5: "LEAVE"}.get(self.kind, f"{self.kind}")
        return f"{name} {self.source.hex(':')} > {self.target.hex(':')} {IPv4Address(self.address)}"

    @classmethod
    def read(cls, frame: bytes) -> Message | None:
        """Reads a message from a frame; returns ``None`` if the frame is not a message."""
        if len(frame) != MESSAGE_BYTES:
            return None
        target, source, kind_of_frame, *rest = _MESSAGE.unpack(frame)
        return cls(target, source, *rest) if kind_of_frame == ETHER_TYPE else None
