"""TCP connections of a program on a real host, with the methods of ``weir._core.Sockets``."""

from __future__ import annotations

import array
import contextlib
import errno
import fcntl
import select
import socket
import struct
import termios
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from weir._core import SocketEvent
from weir.errors import NetworkError
from weir.linux.services.tcp_info import figures
from weir.linux.services.tcp_options import pace, prepare
from weir.linux.source import Source, family_of
from weir.linux.tcp import check_options

if TYPE_CHECKING:
    from weir._core import TcpFigures, TcpOptionsOf
    from weir.linux.network_base import NetworkBase

_CHUNK_BYTES: Final = 1 << 18

_CLOSED_STATES: Final = (6, 7)
"""The states of a closed connection, TIME_WAIT and CLOSE (linux/tcp_states.h). If there was no
error, the peer has received all bytes."""

_NO_PACING: Final = 8 * 0xFFFFFFFF
"""The rate that turns off pacing in the kernel."""

_ENDS: Final = {
    errno.ECONNRESET: "reset",
    errno.EPIPE: "reset",
    errno.ECONNREFUSED: "refused",
    errno.ETIMEDOUT: "timed out",
    errno.EHOSTUNREACH: "timed out",
    errno.ENETUNREACH: "timed out",
}


@dataclass
class _Connection:
    """The state of a TCP connection of the program."""

    socket: socket.socket
    connecting: bool
    written: int = 0
    # Bytes written before the connection is open; the kernel accepts them afterwards.
    early: bytearray = field(default_factory=bytearray)
    # Whether a write did not accept all bytes, and the program must be notified when there is
    # space.
    full: bool = False
    paused: bool = False
    # Whether the peer sends no more (`ended`), and whether this end sends no more (`closed`).
    ended: bool = False
    closed: bool = False
    # How the connection ended, if a write reported it.
    failure: str | None = None
    # Whether `ready` watches the socket for events.
    watched: bool = True

    @property
    def finished(self) -> bool:
        """Whether the peer and this end both send no more."""
        return self.ended and self.closed and not self.early

    @property
    def send_space(self) -> int:
        """The number of bytes that still fit into the send buffer."""
        waiting = array.array("i", [0])
        fcntl.ioctl(self.socket, termios.TIOCOUTQ, waiting)
        # The kernel's buffer also contains the kernel's own records, so half of the buffer is for
        # data.
        space = self.socket.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF) // 2
        return max(0, space - waiting[0] - len(self.early))

    def send_early(self) -> None:
        """Sends the data that was written before the connection opened, and then FIN if the program
        has closed the connection."""
        try:
            del self.early[: self.socket.send(self.early)]
        except BlockingIOError:
            pass
        except OSError as error:
            self.early.clear()
            self.failure = _ENDS.get(error.errno or 0, "reset")
        if self.closed and not self.early:
            self.send_end()

    def send_end(self) -> None:
        """Sends FIN, which ends the direction from this end to the peer."""
        # If the socket is not connected any more, an event will report that it has ended.
        with contextlib.suppress(OSError):
            self.socket.shutdown(socket.SHUT_WR)


class LinuxSockets(Source):
    """The listening sockets and the connections of a program.

    Args:
        network: the network in which the program runs.
        host: the host of the program.
    """

    def __init__(self, network: NetworkBase, host: str) -> None:
        super().__init__(network, host)
        self._listeners: list[tuple[socket.socket, int]] = []
        self._connections: dict[int, _Connection] = {}
        self._next = 0
        self._aborted: list[int] = []

    def listen(self, port: int, options: TcpOptionsOf) -> None:
        """Accepts connections at a port from now on."""
        check_options(options)
        try:
            with contextlib.ExitStack() as opened:
                socks = [self._listener(opened, family, port, options) for family in self.families]
                opened.pop_all()
        except (NetworkError, OSError) as error:
            text = error.message if isinstance(error, NetworkError) else error.strerror
            raise NetworkError(f"TCP port {port} of {self.node}: {text}") from None
        for sock in socks:
            self._listeners.append((sock, port))
            self.ready.register(sock, select.EPOLLIN)

    def _listener(
        self, opened: contextlib.ExitStack, family: int, port: int, options: TcpOptionsOf
    ) -> socket.socket:
        """Opens a socket that listens at a port; the stack ``opened`` will close it."""
        sock = self.network.namespaces.open(self.node, family, socket.SOCK_STREAM, ("", port))
        opened.callback(sock.close)
        _prepare(sock, options)
        sock.listen(1024)
        return sock

    def connect(self, address: str, port: int, options: TcpOptionsOf) -> tuple[int, int]:
        """Opens a connection, and returns its number and this end's port."""
        check_options(options)
        sock = self.network.namespaces.open(self.node, family_of(address), socket.SOCK_STREAM)
        try:
            _prepare(sock, options)
            sock.connect((address, port))
        except BlockingIOError:
            pass
        except OSError as error:
            sock.close()
            raise NetworkError(f"{self.node} to {address}: {error.strerror}") from None
        return self._add(sock, connecting=True), sock.getsockname()[1]

    def write(self, connection: int, data: bytes) -> int:
        """Writes as many bytes as the send buffer has space for, and returns their number."""
        one = self._find(connection)
        if one is None:
            return 0
        if one.connecting or one.early:
            sent = min(len(data), one.send_space)
            one.early += data[:sent]
            one.written += sent
            one.full = sent < len(data)
            return sent
        try:
            sent = one.socket.send(data)
        except BlockingIOError:
            sent = 0
        except OSError as error:
            # An event will report that the connection has ended.
            one.failure = _ENDS.get(error.errno or 0, "reset")
            sent = 0
        one.written += sent
        one.full = sent < len(data)
        self._wait_for(connection)
        return sent

    def close(self, connection: int) -> None:
        """Ends the direction to the peer. A connection that is still opening opens first."""
        one = self._find(connection)
        if one is None:
            return
        one.closed = True
        if not (one.connecting or one.early):
            one.send_end()
        self._wait_for(connection)

    def abort(self, connection: int) -> None:
        """Resets a connection; an event then reports its end."""
        one = self._find(connection)
        if one is not None:
            one.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self._aborted.append(connection)
            self.polls = True

    def pause(self, connection: int, paused: bool) -> None:
        """Stops reading from a connection, or reads again."""
        if one := self._find(connection):
            one.paused = paused
            self._wait_for(connection)

    def pace(self, connection: int, rate_bps: int | None) -> None:
        """Paces a connection at a rate in bits per second; ``None`` turns pacing off."""
        if one := self._find(connection):
            pace(one.socket, _NO_PACING if rate_bps is None else rate_bps)

    def info(self, connection: int) -> TcpFigures:
        """Reads the state of a connection from the kernel; figures that the kernel does not report
        are ``None``.

        Raises:
            NetworkError: the connection has ended.
        """
        one = self._find(connection)
        if one is None:
            raise NetworkError("the connection has ended")
        tcp_figures = figures(one.socket, one.written)
        tcp_figures["send_space"] = one.send_space
        return tcp_figures

    def release(self) -> None:
        """Closes all listeners and connections, as if the process had exited."""
        self.close_sockets()

    def sockets(self) -> Iterable[socket.socket]:
        """Yields all sockets; see :meth:`Source.sockets`."""
        yield from (sock for sock, _ in self._listeners)
        yield from (connection.socket for connection in self._connections.values())

    def take(self) -> list[SocketEvent]:
        """Returns the events since the last call."""
        if not self.is_open:
            return []
        now = self.network.now()
        socket_events: list[SocketEvent] = []
        aborted, self._aborted = self._aborted, []
        socket_events += [
            self._end(now, number, "aborted") for number in aborted if number in self._connections
        ]
        happened = dict(self.ready.poll(0))
        for sock, port in self._listeners:
            if sock.fileno() in happened:
                socket_events += self._accept(now, sock, port)
        for number, connection in list(self._connections.items()):
            if connection.finished:
                if connection.socket.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)[0] in _CLOSED_STATES:
                    failure = connection.socket.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
                    reason = _ENDS.get(failure, "reset") if failure else "closed"
                    socket_events.append(self._end(now, number, connection.failure or reason))
            elif events := happened.get(connection.socket.fileno(), 0):
                socket_events += self._events(now, number, connection, events)
        self.polls = bool(self._aborted) or any(
            connection.finished for connection in self._connections.values()
        )
        return socket_events

    def _events(self, now: int, number: int, one: _Connection, events: int) -> list[SocketEvent]:
        socket_events: list[SocketEvent] = []
        over = events & (select.EPOLLERR | select.EPOLLHUP)
        if one.connecting:
            failure = one.socket.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
            if failure:
                return [self._end(now, number, _ENDS.get(failure, "timed out"))]
            one.connecting = False
            socket_events.append(SocketEvent(now, number, "connected"))
            if one.early or one.closed:
                one.send_early()
        elif one.early:
            one.send_early()
        elif events & select.EPOLLOUT and one.full and not over:
            one.full = False
            socket_events.append(SocketEvent(now, number, "writable"))
        if over and one.ended:
            # The peer has sent all its data and then a reset, or does not answer.
            failure = one.socket.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
            return [*socket_events, self._end(now, number, one.failure or _ENDS.get(failure, "reset"))]
        if over == select.EPOLLHUP and one.paused and one.closed and not one.failure:
            # The peer has sent all its data; the data waits until the program reads again.
            self._ignore(one)
            return socket_events
        if ((events & select.EPOLLIN and not one.paused) or over) and not one.ended:
            try:
                data = one.socket.recv(_CHUNK_BYTES)
            except BlockingIOError:
                pass
            except OSError as error:
                reason = one.failure or _ENDS.get(error.errno or 0, "reset")
                return [*socket_events, self._end(now, number, reason)]
            else:
                if not data and one.failure:
                    return [*socket_events, self._end(now, number, one.failure)]
                one.ended = not data
                kind = "received" if data else "ended"
                socket_events.append(SocketEvent(now, number, kind, data=data))
        self._wait_for(number)
        return socket_events

    def _accept(self, now: int, listener: socket.socket, port: int) -> list[SocketEvent]:
        events: list[SocketEvent] = []
        while True:
            try:
                sock, (address, peer_port, *_) = listener.accept()
            except BlockingIOError:
                return events
            except OSError as error:
                if error.errno == errno.ECONNABORTED:
                    # The connection ended before it was accepted.
                    continue
                raise NetworkError(f"TCP port {port} of {self.node}: {error.strerror}") from None
            sock.setblocking(False)
            number = self._add(sock, connecting=False)
            events.append(SocketEvent(now, number, "accepted", (address, peer_port, port)))

    def _add(self, sock: socket.socket, connecting: bool) -> int:
        number = self._next
        self._next += 1
        self._connections[number] = _Connection(sock, connecting)
        self.ready.register(sock, 0)
        self._wait_for(number)
        return number

    def _find(self, number: int) -> _Connection | None:
        """Finds a connection; returns ``None`` if it has ended and only the call of ``on_close`` is
        still due.

        Raises:
            NetworkError: the network is closed.
        """
        self.check_open()
        return self._connections.get(number)

    def _wait_for(self, number: int) -> None:
        """Registers the socket events of a connection for which a run waits, depending on the
        state."""
        connection = self._connections[number]
        if connection.finished:
            # The socket would always be ready (EPOLLHUP), and no event shows that the peer has
            # received all bytes.
            self._ignore(connection)
            self.polls = True
            return
        reads = select.EPOLLIN if not (connection.paused or connection.ended or connection.connecting) else 0
        writes = select.EPOLLOUT if connection.connecting or connection.early or connection.full else 0
        if connection.watched:
            self.ready.modify(connection.socket, reads | writes)
        else:
            self.ready.register(connection.socket, reads | writes)
            connection.watched = True

    def _ignore(self, one: _Connection) -> None:
        """Stops waiting for any event of a connection, including its end."""
        if one.watched:
            self.ready.unregister(one.socket)
            one.watched = False

    def _end(self, now: int, number: int, reason: str) -> SocketEvent:
        connection = self._connections.pop(number)
        connection.socket.close()
        return SocketEvent(now, number, "closed", reason=reason)


def _prepare(sock: socket.socket, options: TcpOptionsOf) -> None:
    sock.setblocking(False)
    prepare(sock, options)
