"""The program with which a host joins, which proves to the controller that it has the key, and vice
versa."""

from __future__ import annotations

import hmac
from collections.abc import Callable
from typing import Final

import weir

from .messages import ACCEPT, CHALLENGE, CONTROLLER_MAC, HELLO, JOIN, LEAVE, NONCE_BYTES, Identity, Message

RETRY: Final = "200ms"
"""The time without an answer after which a host tries again to join."""


class Agent(weir.HostProgram):
    """The program that runs a host's side of the handshake, started with ``frames="ether proto
    0x88b5"``.

    Attributes:
        asked_ns: the time at which the host began to join; ``None`` before.
        joined_ns: the time at which the host was accepted; ``None`` while it is not a member.
        forged: the number of messages with a wrong token or nonce.
        sent: all frames that the host has sent, in order; an attacker could record them.
    """

    def __init__(self, identity: Identity, nonces: Callable[[int], bytes]) -> None:
        """Prepares the program of a host.

        Args:
            identity: the host's identity.
            nonces: a function that makes a nonce of a number of bytes. A real host takes nonces
                from ``secrets.token_bytes``; the lab takes them from its seed.
        """
        self.asked_ns: int | None = None
        self.joined_ns: int | None = None
        self.forged = 0
        self.sent: list[bytes] = []
        self._identity, self._nonces = identity, nonces
        self._host_nonce = self._nonce = b""
        self._attempt = 0

    def join(self) -> None:
        """Asks the controller to admit the host, repeatedly until the host is admitted."""
        self.asked_ns, self.joined_ns = self.now_ns, None
        self._hello()

    def leave(self) -> None:
        """Tells the controller that the host leaves."""
        self._attempt += 1
        self.joined_ns = None
        self._send(LEAVE, self._nonce, self._identity.token(LEAVE, self._host_nonce, self._nonce))

    def on_timer(self, token: object) -> None:
        """Tries to join again if an attempt has failed."""
        if token == self._attempt and self.joined_ns is None:
            self._hello()

    def on_frame(self, frame: weir.Frame) -> None:
        """Handles a message of the controller to this host, if its token is right."""
        message = Message.read(frame.data)
        if message is None or message.target != self._identity.mac:
            return
        nonce = message.nonce
        expected = self._identity.token(message.kind, self._host_nonce, nonce)
        if not hmac.compare_digest(message.token, expected):
            self.forged += 1
        elif message.kind == CHALLENGE and self.joined_ns is None:
            self._nonce = nonce
            self._send(JOIN, nonce, self._identity.token(JOIN, self._host_nonce, nonce))
        elif message.kind == ACCEPT and nonce == self._nonce and self.joined_ns is None:
            self.joined_ns = self.now_ns

    def _hello(self) -> None:
        self._attempt += 1
        self._host_nonce = self._nonces(NONCE_BYTES)
        self._send(HELLO, self._host_nonce)
        self.after(RETRY, self._attempt)

    def _send(self, kind: int, nonce: bytes, token: bytes = bytes(32)) -> None:
        identity = self._identity
        frame = bytes(Message(CONTROLLER_MAC, identity.mac, kind, identity.address, nonce, token))
        self.sent.append(frame)
        self.send(frame)
