"""A client that misuses HTTP/2: it starts calls and never finishes them.

It implements only the parts of RFC 9113 that the attacks need: frames, flow control, and headers
without compression.
"""

from __future__ import annotations

import contextlib
import select
import socket
import struct

DATA, HEADERS, RESET, SETTINGS, PING, GOAWAY, WINDOW_UPDATE = 0, 1, 3, 4, 6, 7, 8
END_STREAM, END_HEADERS, ACK = 1, 4, 1
INITIAL_WINDOW_SIZE = 4
SERVICE = "/p4.v1.P4Runtime/"


def message(body: bytes, announced: int | None = None) -> bytes:
    """Returns a gRPC message; its length prefix is ``announced`` if that is given."""
    return b"\0" + struct.pack(">I", len(body) if announced is None else announced) + body


def header(name: str, value: str) -> bytes:
    """Returns a header field as a literal that is not indexed (RFC 7541, section 6.2.2)."""
    return b"\0" + bytes([len(name)]) + name.encode() + bytes([len(value)]) + value.encode()


class Connection:
    """A connection to a gRPC server, which may send ``window`` bytes for each call."""

    def __init__(self, port: int, window: int = 65535) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=5)
        self._socket.setblocking(False)
        self._out = bytearray(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
        self._in = bytearray()
        self._next = 1
        self._initial = 65535
        self._credit = 65535
        self._credits: dict[int, int] = {}
        self._left: dict[int, bytearray] = {}
        self._last: set[int] = set()
        self.is_closed = False
        self.ended: set[int] = set()
        self.sent = 0
        self._frame(SETTINGS, 0, 0, struct.pack(">HI", INITIAL_WINDOW_SIZE, window))

    def close(self) -> None:
        """Closes the connection without a farewell."""
        self.is_closed = True
        self._socket.close()

    def call(self, method: str) -> int:
        """Starts a call and returns its stream."""
        stream = self._next
        self._next += 2
        self._credits[stream] = self._initial
        fields = {
            ":method": "POST",
            ":scheme": "http",
            ":path": SERVICE + method,
            ":authority": "localhost",
            "content-type": "application/grpc",
            "te": "trailers",
        }
        block = b"".join(header(name, value) for name, value in fields.items())
        self._frame(HEADERS, END_HEADERS, stream, block)
        return stream

    def send(self, stream: int, body: bytes, *, is_last: bool = False) -> None:
        """Queues bytes of a call, which leave as the server's windows allow.

        With ``is_last``, the request ends after them.
        """
        self._left.setdefault(stream, bytearray()).extend(body)
        if is_last:
            self._last.add(stream)

    def has_left(self, stream: int) -> bool:
        """Returns whether some of a call's bytes are still queued."""
        return bool(self._left.get(stream))

    def turn(self, seconds: float = 0.0) -> None:
        """Sends and receives what is possible, after waiting for the server at most ``seconds``."""
        if self.is_closed:
            return
        self._fill()
        try:
            writable = [self._socket] if self._out else []
            readable, writable, _ = select.select([self._socket], writable, [], seconds)
            if writable:
                sent = self._socket.send(self._out)
                self.sent += sent
                del self._out[:sent]
            if readable:
                data = self._socket.recv(1 << 20)
                if not data:
                    self.close()
                self._in += data
                self._read_frames()
        except BlockingIOError:
            pass
        except OSError:
            self.close()

    def _frame(self, kind: int, flags: int, stream: int, body: bytes) -> None:
        self._out += (
            struct.pack(">I", len(body))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + body
        )

    def _fill(self) -> None:
        for stream, body in list(self._left.items()):
            while body and len(self._out) < 1 << 20:
                size = min(self._credit, self._credits.get(stream, 0), 16384, len(body))
                if size <= 0:
                    break
                self._frame(DATA, 0, stream, bytes(body[:size]))
                del body[:size]
                self._credit -= size
                self._credits[stream] -= size
            if not body:
                del self._left[stream]
                if stream in self._last:
                    self._last.remove(stream)
                    self._frame(DATA, END_STREAM, stream, b"")

    def _read_frames(self) -> None:
        while len(self._in) >= 9:
            size = int.from_bytes(self._in[:3], "big")
            if len(self._in) < 9 + size:
                return
            kind, flags = self._in[3], self._in[4]
            stream = int.from_bytes(self._in[5:9], "big")
            body = bytes(self._in[9 : 9 + size])
            del self._in[: 9 + size]
            self._take(kind, flags, stream, body)

    def _take(self, kind: int, flags: int, stream: int, body: bytes) -> None:
        if kind == SETTINGS and not flags & ACK:
            for place in range(0, len(body), 6):
                name, value = struct.unpack_from(">HI", body, place)
                if name == INITIAL_WINDOW_SIZE:
                    for known in self._credits:
                        self._credits[known] += value - self._initial
                    self._initial = value
            self._frame(SETTINGS, ACK, 0, b"")
        elif kind == PING and not flags & ACK:
            self._frame(PING, ACK, 0, body)
        elif kind == WINDOW_UPDATE:
            more = int.from_bytes(body, "big")
            if stream == 0:
                self._credit += more
            elif stream in self._credits:
                self._credits[stream] += more
        elif kind == RESET or (kind in (HEADERS, DATA) and flags & END_STREAM):
            self.ended.add(stream)
            self._left.pop(stream, None)
        elif kind == GOAWAY:
            self.close()


def open_connection(port: int, window: int = 65535) -> Connection | None:
    """Returns a connection, or None if the server accepts none."""
    with contextlib.suppress(OSError):
        return Connection(port, window)
    return None
