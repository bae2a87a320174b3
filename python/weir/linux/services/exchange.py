"""Requests and responses over TCP and UDP."""

from __future__ import annotations

import contextlib
import errno
import random
import selectors
import socket
import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any, Final

from weir.linux.services.service import Service, run
from weir.linux.services.tcp_info import figures
from weir.linux.services.tcp_options import OpeningLimits, prepare
from weir.linux.services.tos import ancillary, mark

if TYPE_CHECKING:
    from weir._core import ExchangeSettings, TcpOptionsOf

HEADER: Final = struct.Struct("<III")
"""The header of each request: the number of the request, its size, and the size of the response."""

MAX_REQUESTS: Final = 1 << 20
_CHUNK_BYTES: Final = 1 << 18
_ZEROS: Final = bytes(_CHUNK_BYTES)


@dataclass
class Row:
    """The record of an exchange: start, sizes in bytes, end, retransmissions and failure."""

    start: int
    request: int
    response: int
    end: int | None = None
    retransmits: int = 0
    failure: str | None = None


class ExchangeServer(Service):
    """Answers requests at a port.

    Args:
        control: the control connection, as in :class:`Service`.
        origin: the network's start, on the clock of :func:`time.monotonic_ns`.
        address: an IP address of the version (4 or 6) to serve.
        port: the port.
        udp: whether requests are datagrams.
    """

    def __init__(
        self, control: Connection[Any, Any], origin: int, address: str, port: int, udp: bool
    ) -> None:
        super().__init__(control, origin)
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        self._socket = socket.socket(family, socket.SOCK_DGRAM if udp else socket.SOCK_STREAM)
        self._socket.setblocking(False)
        if not udp:
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._socket.bind(("", port))
        if not udp:
            self._socket.listen(1024)
        self.watch(self._socket, self._answer_datagram if udp else self._accept)
        self._arrivals: dict[int, int] = {}
        # The keys are the numbers of the clients' first requests.
        self._tos: dict[int, int] = {}
        # Connections whose first data has not been acknowledged yet.
        self._openings: dict[socket.socket, OpeningLimits] = {}

    def work(self) -> float | None:
        """Removes the opening limits of connections on which data has been acknowledged; returns
        the seconds until the next check."""
        self._openings = remove_unneeded_limits(self._openings)
        return OpeningLimits.INTERVAL if self._openings else None

    def sends_first(self, sock: socket.socket) -> None:
        """Adds opening limits to a connection on which the server sends for the first time."""
        self._openings[sock] = OpeningLimits(sock, waits=False)

    def closed(self, sock: socket.socket) -> None:
        """Forgets a connection that was closed."""
        self._openings.pop(sock, None)

    def mark(self, first: int, tos: int) -> None:
        """Sets the type of service of the responses to a client, which is known by the number of
        its first request."""
        self._tos[first] = tos

    def tos(self, number: int) -> int:
        """Returns the type of service of the response to a request."""
        return self._tos.get(number - number % MAX_REQUESTS, 0)

    def arrivals(self, first: int) -> dict[int, int]:
        """Returns the time at which the last byte of each request arrived, for a client's requests,
        of which ``first`` is the first."""
        return {number: time for number, time in self._arrivals.items() if 0 <= number - first < MAX_REQUESTS}

    def note_arrival(self, number: int) -> None:
        """Records that a request has arrived."""
        self._arrivals.setdefault(number, self.now())

    def _answer_datagram(self) -> None:
        with contextlib.suppress(BlockingIOError):
            data, source = self._socket.recvfrom(1 << 16)
            if len(data) >= HEADER.size:
                number, _, response = HEADER.unpack_from(data)
                self.note_arrival(number)
                with contextlib.suppress(OSError):
                    answer = (data[: HEADER.size] + _ZEROS[:response])[:response]
                    marked = ancillary(self._socket, self.tos(number))
                    self._socket.sendmsg([answer], marked, 0, source)

    def _accept(self) -> None:
        try:
            sock, _ = self._socket.accept()
        except OSError as error:
            if error.errno in (errno.EMFILE, errno.ENFILE):
                raise
            return
        _ServerConnection(self, sock)


class _ServerConnection:
    """The server's end of a connection that carries requests."""

    def __init__(self, server: ExchangeServer, sock: socket.socket) -> None:
        sock.setblocking(False)
        self._server, self._socket = server, sock
        self._head = b""
        self._left = self._to_send = 0
        self._number = 0
        self._has_sent = False
        server.watch(sock, self._ready)

    def _ready(self) -> None:
        try:
            self._write()
            data = self._socket.recv(_CHUNK_BYTES)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self._server.closed(self._socket)
            self._server.unwatch(self._socket)
            self._socket.close()
            return
        while data:
            if not self._left:
                need = HEADER.size - len(self._head)
                self._head, data = self._head + data[:need], data[need:]
                if len(self._head) < HEADER.size:
                    return
                self._number, request, self._response = HEADER.unpack(self._head)
                mark(self._socket, self._server.tos(self._number))
                self._head, self._left = b"", request - HEADER.size
            taken = min(self._left, len(data))
            self._left, data = self._left - taken, data[taken:]
            if not self._left:
                self._server.note_arrival(self._number)
                self._to_send += self._response
                self._write()

    def _write(self) -> None:
        if self._to_send and not self._has_sent:
            self._has_sent = True
            self._server.sends_first(self._socket)
        with contextlib.suppress(BlockingIOError):
            while self._to_send:
                self._to_send -= self._socket.send(_ZEROS[: min(_CHUNK_BYTES, self._to_send)])
        events = selectors.EVENT_READ | (selectors.EVENT_WRITE if self._to_send else 0)
        self._server.selector.modify(self._socket, events, self._ready)


def remove_unneeded_limits(
    openings: dict[socket.socket, OpeningLimits],
) -> dict[socket.socket, OpeningLimits]:
    """Removes the opening limits that are no longer needed; returns the connections that still have
    one."""
    return {sock: opening for sock, opening in openings.items() if opening.remove_unneeded()}


@dataclass
class _ClientConnection:
    """The client's end of a connection that carries requests."""

    socket: socket.socket
    row: Row
    to_send: int = 0
    left: int = 0
    connected: bool = False
    sending_closed: bool = False
    head: bytes = b""
    total: int = 0
    retransmits: int = 0
    ready: Callable[[], None] = field(default=lambda: None)


class ExchangeClient(Service):
    """Sends requests and receives the responses.

    Args:
        control: the control connection, as in :class:`Service`.
        origin: the network's start, on the clock of :func:`time.monotonic_ns`.
        settings: the settings, as in ``weir._core.Host.start_exchanges``.
        options: the options of TCP connections; ``None`` for datagrams.
        first: the number of the first request.
        timeout: nanoseconds that a datagram waits for its response.
        tries: how often a datagram is sent.
    """

    def __init__(
        self,
        control: Connection[Any, Any],
        origin: int,
        settings: ExchangeSettings,
        options: TcpOptionsOf | None,
        first: int,
        timeout: int,
        tries: int,
    ) -> None:
        super().__init__(control, origin)
        self._settings, self._options, self._first = settings, options, first
        self._timeout, self._tries = timeout, tries
        self._target = settings["to"]
        self._rows: list[Row] = []
        self._next = self.now()
        self._stopped = False
        self._kept: _ClientConnection | None = None
        # For each datagram without a response, by number: when to send it again, and how often it
        # was sent.
        self._pending: dict[int, tuple[int, int]] = {}
        self._busy = 0
        self._openings: dict[socket.socket, OpeningLimits] = {}
        self._datagrams: socket.socket | None = None
        if options is None:
            self._datagrams = socket.socket(self._family, socket.SOCK_DGRAM)
            self._datagrams.setblocking(False)
            mark(self._datagrams, settings["tos"])
            self.watch(self._datagrams, self._receive)

    @property
    def _family(self) -> socket.AddressFamily:
        return socket.AF_INET6 if ":" in self._target[0] else socket.AF_INET

    def rows(self) -> list[Row]:
        """Returns the records of the exchanges so far."""
        return self._rows

    def stop(self) -> None:
        """Sends no more requests."""
        self._stopped = True

    def work(self) -> float | None:
        """Sends the requests that are due; returns the seconds until the next request is due."""
        now = self.now()
        self._repeat(now)
        has_more = not self._stopped and len(self._rows) < self._settings["count"]
        serial = self._settings["think_ns"] is not None
        while has_more and self._next <= now and not (serial and self._busy):
            self._begin(now)
            self._next = now if serial else self._next + self._gap_ns()
            has_more = len(self._rows) < self._settings["count"]
            now = self.now()
        if not has_more and not self._busy:
            self.finish()
            return None
        wakes = [due for due, _ in self._pending.values()]
        if has_more and not (serial and self._busy):
            wakes.append(self._next)
        self._openings = remove_unneeded_limits(self._openings)
        spans = [(min(wakes) - now) / 1_000_000_000] if wakes else []
        return min([*spans, *([OpeningLimits.INTERVAL] if self._openings else [])], default=None)

    def _gap_ns(self) -> int:
        mean, every = self._settings["mean_ns"], self._settings["every_ns"]
        return every if mean is None or every is not None else int(random.expovariate(1 / mean))  # type: ignore[return-value]

    def _size(self, name: str) -> int:
        sizes: list[int] = self._settings[name]  # type: ignore[literal-required]
        size = random.choice(sizes)
        return int(random.expovariate(1 / size)) if size and self._settings[f"{name}_exponential"] else size  # type: ignore[literal-required]

    def _begin(self, now: int) -> None:
        number = self._first + len(self._rows)
        row = Row(now, max(HEADER.size, self._size("request")), self._size("response"))
        self._rows.append(row)
        self._busy += 1
        if self._datagrams is not None:
            row.response = max(HEADER.size, row.response)
            self._pending[number] = now, 0
            self._repeat(now)
            return
        asking = self._kept
        if asking is None:
            try:
                asking = self._connect(row)
            except OSError as error:
                if error.errno in (errno.EMFILE, errno.ENFILE, errno.EADDRNOTAVAIL):
                    # This process has too many connections. That is not an effect of the network.
                    raise
                self._end(row, error)
                return
        asking.row, asking.to_send, asking.left = row, row.request, row.response
        asking.total = row.request
        asking.head = HEADER.pack(number, row.request, row.response)
        if asking.connected:
            self._write(asking)

    def _connect(self, row: Row) -> _ClientConnection:
        assert self._options is not None
        sock = socket.socket(self._family, socket.SOCK_STREAM)
        sock.setblocking(False)
        prepare(sock, self._options)
        mark(sock, self._settings["tos"])
        asking = _ClientConnection(sock, row)
        asking.ready = lambda: self._ready(asking)
        self._openings[sock] = OpeningLimits(sock, waits=row.response > 0)
        code = sock.connect_ex(self._target)
        if code not in (0, errno.EINPROGRESS):
            del self._openings[sock]
            sock.close()
            raise OSError(code, "")
        self.watch(sock, asking.ready, selectors.EVENT_WRITE)
        if self._settings["keep_connection"]:
            self._kept = asking
        return asking

    def _ready(self, asking: _ClientConnection) -> None:
        try:
            if not asking.connected:
                code = asking.socket.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
                if code:
                    raise OSError(code, "")
                asking.connected = True
            self._write(asking)
            if asking.left or not asking.to_send:
                self._read(asking)
        except BlockingIOError:
            return
        except OSError as error:
            self._close(asking)
            if asking.row.end is None and asking.row.failure is None:
                self._end(asking.row, error)

    def _write(self, asking: _ClientConnection) -> None:
        with contextlib.suppress(BlockingIOError):
            while asking.to_send:
                # The request is sent in one write, because Nagle's algorithm would wait for an
                # acknowledgement between two.
                data = asking.head + _ZEROS[: min(_CHUNK_BYTES, asking.to_send) - len(asking.head)]
                sent = asking.socket.send(data)
                asking.head = asking.head[sent:]
                asking.to_send -= sent
            if not asking.row.response and not asking.sending_closed:
                asking.sending_closed = True
                # The exchange ends with the request; the server records when the last byte arrives.
                asking.socket.shutdown(socket.SHUT_WR)
        events = selectors.EVENT_READ | (selectors.EVENT_WRITE if asking.to_send else 0)
        self.selector.modify(asking.socket, events, asking.ready)

    def _read(self, asking: _ClientConnection) -> None:
        data = asking.socket.recv(_CHUNK_BYTES)
        if not data:
            if asking.left or asking.to_send:
                raise OSError(errno.ECONNRESET, "")
            if asking.row.end is None:
                self._finish(asking)
            self._close(asking)
            return
        asking.left -= len(data)
        if asking.left <= 0 and asking.row.response:
            self._finish(asking)
            if not self._settings["keep_connection"]:
                self._close(asking)

    def _finish(self, asking: _ClientConnection) -> None:
        total = figures(asking.socket, asking.total)["retransmits"]
        asking.row.retransmits, asking.retransmits = total - asking.retransmits, total
        self._end(asking.row, None)

    def _close(self, asking: _ClientConnection) -> None:
        with contextlib.suppress(KeyError):
            self.unwatch(asking.socket)
        self._openings.pop(asking.socket, None)
        asking.socket.close()
        if self._kept is asking:
            self._kept = None

    def _end(self, row: Row, error: OSError | None) -> None:
        names = {
            errno.ECONNREFUSED: "refused", errno.ETIMEDOUT: "timed out",
            errno.ENETUNREACH: "no route", errno.EHOSTUNREACH: "no route",
        }  # fmt: skip
        now = self.now()
        if error is None:
            row.end = now
        else:
            row.failure = names.get(error.errno or 0, "reset")
        self._busy -= 1
        self._next = (
            max(self._next, now + (self._settings["think_ns"] or 0)) if self._is_serial else self._next
        )

    @property
    def _is_serial(self) -> bool:
        return self._settings["think_ns"] is not None

    def _repeat(self, now: int) -> None:
        """Sends the datagrams that are due again, or gives up after the last try."""
        if self._datagrams is None:
            return
        for number, (due, tries) in list(self._pending.items()):
            if due > now:
                continue
            row = self._rows[number - self._first]
            if tries >= self._tries:
                del self._pending[number]
                self._end(row, OSError(errno.ETIMEDOUT, ""))
                continue
            data = HEADER.pack(number, row.request, row.response) + _ZEROS[: row.request - HEADER.size]
            try:
                self._datagrams.sendto(data, self._target)
            except OSError as error:
                if error.errno in (errno.ENETUNREACH, errno.EHOSTUNREACH):
                    del self._pending[number]
                    self._end(row, error)
                    continue
            row.retransmits = tries
            self._pending[number] = now + self._timeout, tries + 1

    def _receive(self) -> None:
        assert self._datagrams is not None
        with contextlib.suppress(BlockingIOError, ConnectionRefusedError):
            data = self._datagrams.recv(1 << 16)
            if len(data) >= HEADER.size:
                number = HEADER.unpack_from(data)[0]
                if self._pending.pop(number, None) is not None:
                    self._end(self._rows[number - self._first], None)


def serve(control: Connection[Any, Any], name: str, *arguments: Any) -> None:
    """Runs the service ``name`` of this module until the control connection is closed."""
    run({"ExchangeServer": ExchangeServer, "ExchangeClient": ExchangeClient}[name], control, *arguments)
