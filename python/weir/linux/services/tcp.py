"""Both ends of TCP flows."""

from __future__ import annotations

import contextlib
import errno
import selectors
import socket
from array import array
from collections import deque
from collections.abc import Iterator
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any, Final

from weir.linux.services.pattern import times
from weir.linux.services.service import Service, run
from weir.linux.services.tcp_info import figures
from weir.linux.services.tcp_options import OpeningLimits, pace, prepare
from weir.linux.services.tos import mark

if TYPE_CHECKING:
    from weir._core import Pattern, TcpFigures, TcpOptionsOf

SEND: Final = b"\1"
"""The first byte from a client that asks the server to send; other clients begin with zeros."""

_CHUNK_BYTES: Final = 1 << 18
_ZEROS: Final = bytes(_CHUNK_BYTES)

Plan = tuple["Pattern | None", int, "int | None", "int | None", "int | None", "TcpOptionsOf", int]
"""A plan of a sender: pattern and length of writes, duration, bytes, interval, connection options,
type of service."""


class SendingEnd:
    """The sender of a connection's data.

    Args:
        plan: the data to send, and when to send it.
    """

    def __init__(self, plan: Plan) -> None:
        pattern, self._length, self._duration, self._bytes, self._interval, *_ = plan
        self._writes: Iterator[int] | None = None if pattern is None else times(pattern, self._length)
        self._next = 0
        self._allowed = 0
        self._end: int | None = None
        self.written = 0
        self.samples: list[TcpFigures] = []
        self.final: TcpFigures | None = None
        self.done = False
        self._start = 0

    def start(self, now: int) -> None:
        """Notes that sending starts at this time, in nanoseconds since the network's start."""
        self._start = now
        self._end = None if self._duration is None else now + self._duration
        if self._writes is not None:
            self._next = now + next(self._writes)

    def stop(self) -> None:
        """Stops sending."""
        self.done = True

    def work(self, sock: socket.socket, now: int) -> float | None:
        """Records the connection's state when an interval ends; returns the seconds until more work
        is due."""
        wakes = []
        if self._interval is not None:
            due = self._start + (len(self.samples) + 1) * self._interval
            while due <= now:
                self.samples.append(figures(sock, self.written))
                due += self._interval
            wakes.append(due)
        if not self.done:
            if self._end is not None:
                self.done = now >= self._end
                wakes.append(self._end)
            while self._writes is not None and self._next <= now and not self.done:
                self._allowed += self._length
                self._next = self._start + next(self._writes)
            if self._writes is not None:
                wakes.append(self._next)
        return (min(wakes) - now) / 1_000_000_000 if wakes else None

    @property
    def wants_to_write(self) -> bool:
        """Whether there is data to write now."""
        return not self.done and self._bytes_left > 0

    @property
    def _bytes_left(self) -> int:
        bytes_left = _CHUNK_BYTES if self._writes is None else self._allowed - self.written
        return bytes_left if self._bytes is None else min(bytes_left, self._bytes - self.written)

    def write(self, sock: socket.socket) -> None:
        """Writes as much data as the kernel accepts."""
        with contextlib.suppress(BlockingIOError):
            self.written += sock.send(_ZEROS[: min(_CHUNK_BYTES, self._bytes_left)])
        if self._bytes is not None and self.written >= self._bytes:
            self.done = True


class ReceivingEnd:
    """The receiver of a connection's data, which records how many bytes have arrived over time."""

    def __init__(self) -> None:
        self.times = array("Q")
        self.counts = array("Q")
        self.bytes = 0

    def take(self, now: int, count: int) -> None:
        """Records that this number of bytes has been read."""
        self.bytes += count
        self.times.append(now)
        self.counts.append(self.bytes)

    def report(self) -> tuple[bytes, bytes]:
        """Returns the times of reading and the total bytes at these times, as columns."""
        return self.times.tobytes(), self.counts.tobytes()


class End:
    """One end of a connection, once it is open.

    Args:
        service: the service that the connection belongs to.
        sock: the socket.
        opening: the limits of the connection until its first data is acknowledged, if there are
            any.
    """

    def __init__(self, service: Service, sock: socket.socket, opening: OpeningLimits | None) -> None:
        self._service, self.socket, self._opening = service, sock, opening
        self.sending: SendingEnd | None = None
        self.receiving = ReceivingEnd()
        self.outcome: str | None = None
        self._writes = False
        self._shut = False
        service.watch(sock, self._ready)

    def begin(self, sending: SendingEnd) -> None:
        """Starts to send data on the connection."""
        self.sending = sending
        sending.start(self._service.now())

    def work(self) -> float | None:
        """Sends the data that is due; returns the seconds until more work is due, ``None`` if there
        is none."""
        if self.outcome is not None:
            return None
        try:
            limit = (
                OpeningLimits.INTERVAL
                if self._opening is not None and self._opening.remove_unneeded()
                else None
            )
            if self.sending is None:
                return limit
            span = self.sending.work(self.socket, self._service.now())
        except OSError:
            return None
        if self.sending.done and not self._shut:
            self._shut = True
            with contextlib.suppress(OSError):
                self.socket.shutdown(socket.SHUT_WR)
        wants = self.sending.wants_to_write
        if wants != self._writes:
            self._writes = wants
            events = selectors.EVENT_READ | (selectors.EVENT_WRITE if wants else 0)
            self._service.selector.modify(self.socket, events, self._ready)
        return min((wait for wait in (span, limit) if wait is not None), default=None)

    def _ready(self) -> None:
        try:
            if self._writes and self.sending is not None and self.sending.wants_to_write:
                self.sending.write(self.socket)
            self._read()
        except BlockingIOError:
            return
        except OSError as error:
            self._close("timed out" if error.errno == errno.ETIMEDOUT else "reset")

    def _read(self) -> None:
        data = self.socket.recv(_CHUNK_BYTES)
        if data:
            self.on_data(data)
            return
        if self.sending is None and not self._shut:
            self._shut = True
            self.socket.shutdown(socket.SHUT_WR)
        self._close("closed")

    def on_data(self, data: bytes) -> None:
        """Records the data that has been read."""
        self.receiving.take(self._service.now(), len(data))

    def _close(self, outcome: str) -> None:
        self.outcome = outcome
        if self.sending is not None:
            with contextlib.suppress(OSError):
                self.sending.final = figures(self.socket, self.sending.written)
        self._service.unwatch(self.socket)
        if self.sending is None:
            self.socket.close()

    def figures(self) -> TcpFigures | None:
        """Returns the kernel's figures of a sender; after the connection's end, the last known
        figures."""
        if self.sending is None:
            return None
        if self.sending.final is None:
            with contextlib.suppress(OSError):
                return figures(self.socket, self.sending.written)
        return self.sending.final

    def report(self) -> dict[str, Any]:
        """Returns the state and the figures of the connection."""
        return {
            "received": self.receiving.report(),
            "outcome": self.outcome,
            "figures": self.figures(),
            "samples": [] if self.sending is None else self.sending.samples,
        }


class AcceptedEnd(End):
    """The server's end of a connection, which sends data if the client asks for it."""

    def __init__(self, server: TcpServer, sock: socket.socket, peer: tuple[str, int]) -> None:
        super().__init__(server, sock, None)
        self._server = server
        self.peer_port = peer[1]
        self._begun = False

    def on_data(self, data: bytes) -> None:
        """Begins to send if the first byte asks for it; otherwise records the data."""
        if not self._begun:
            self._begun = True
            if data[:1] == SEND and self._server.plans:
                plan = self._server.plans.popleft()
                prepare(self.socket, plan[5])
                mark(self.socket, plan[6])
                self._opening = OpeningLimits(self.socket, waits=False)
                self.begin(SendingEnd(plan))
                return
        super().on_data(data)


class TcpServer(Service):
    """The server of TCP flows at a port.

    Args:
        control: the control connection, as in :class:`Service`.
        origin: the network's start, on the clock of :func:`time.monotonic_ns`.
        address: an IP address of the version (4 or 6) to serve.
        port: the port.
    """

    def __init__(self, control: Connection[Any, Any], origin: int, address: str, port: int) -> None:
        super().__init__(control, origin)
        self.plans: deque[Plan] = deque()
        self._tos = 0
        self._ends: list[AcceptedEnd] = []
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        self._listener = socket.socket(family, socket.SOCK_STREAM)
        self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self._listener.bind(("", port))
        self._listener.listen(1024)
        self._listener.setblocking(False)
        self.watch(self._listener, self._accept)

    def add(self, plan: Plan) -> None:
        """Adds a plan for the next connection whose client asks for data."""
        self.plans.append(plan)

    def mark(self, tos: int) -> None:
        """Sets the type of service of the data sent on future connections."""
        self._tos = tos

    def find(self, client_port: int, first: int) -> int | None:
        """Finds the number of the connection from a client's port, among the connections from
        number ``first`` on."""
        for number, end in enumerate(self._ends[first:], first):
            if end.peer_port == client_port:
                return number
        return None

    def count(self) -> int:
        """Returns the number of accepted connections."""
        return len(self._ends)

    def report(self, number: int) -> dict[str, Any]:
        """Returns the state and the figures of a connection."""
        return self._ends[number].report()

    def stop(self, number: int) -> None:
        """Stops sending on a connection."""
        sending = self._ends[number].sending
        if sending is not None:
            sending.stop()

    def pace(self, number: int, rate_bps: int | None) -> None:
        """Paces the data sent on a connection at a rate in bits per second; see :func:`pace`."""
        pace(self._ends[number].socket, rate_bps)

    def work(self) -> float | None:
        """Does the work that is due on all connections; returns the seconds until more work is
        due."""
        spans = [end.work() for end in self._ends if end.outcome is None]
        return min((span for span in spans if span is not None), default=None)

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            sock, peer = self._listener.accept()
            sock.setblocking(False)
            mark(sock, self._tos)
            self._ends.append(AcceptedEnd(self, sock, peer))


class TcpClient(Service):
    """The client of a TCP flow.

    Args:
        control: the control connection, as in :class:`Service`.
        origin: the network's start, on the clock of :func:`time.monotonic_ns`.
        target: the address and port of the server.
        plan: the data that the client or the server sends.
        reverse: whether the server sends.
        ip_options: IPv4 options of its SYN.
    """

    def __init__(
        self,
        control: Connection[Any, Any],
        origin: int,
        target: tuple[str, int],
        plan: Plan,
        reverse: bool,
        ip_options: bytes,
    ) -> None:
        super().__init__(control, origin)
        family = socket.AF_INET6 if ":" in target[0] else socket.AF_INET
        self._socket = socket.socket(family, socket.SOCK_STREAM)
        self._socket.setblocking(False)
        prepare(self._socket, plan[5])
        mark(self._socket, plan[6])
        if ip_options:
            self._socket.setsockopt(socket.IPPROTO_IP, socket.IP_OPTIONS, ip_options)
        self._plan, self._reverse = plan, reverse
        self._end: End | None = None
        self._failure: str | None = None
        self._connected: int | None = None
        self._started = self.now()
        self._opening = OpeningLimits(self._socket, waits=reverse)
        code = self._socket.connect_ex(target)
        if code in (0, errno.EINPROGRESS):
            self._port = self._socket.getsockname()[1]
            self.watch(self._socket, self._connect, selectors.EVENT_WRITE)
        else:
            self._port = 0
            self._fail(code)

    def report(self) -> dict[str, Any]:
        """Returns the state and the figures of the connection."""
        figures_of_client: dict[str, Any] = {
            "received": (b"", b""),
            "outcome": self._failure,
            "figures": None,
            "samples": [],
        }
        figures_of_end = figures_of_client if self._end is None else self._end.report()
        return {**figures_of_end, "started": self._started, "connected": self._connected, "port": self._port}

    def stop(self) -> None:
        """Stops sending."""
        if self._end is not None and self._end.sending is not None:
            self._end.sending.stop()
        elif self._end is None:
            self._failure = self._failure or "aborted"

    def pace(self, rate_bps: int | None) -> None:
        """Paces the data that is sent at a rate in bits per second; see :func:`pace`."""
        pace(self._socket, rate_bps)

    def work(self) -> float | None:
        """Sends the data that is due, and notes the end of the connection; returns the seconds
        until more work is due."""
        if self._failure is not None or (self._end is not None and self._end.outcome is not None):
            self.finish()
            return None
        return None if self._end is None else self._end.work()

    def _connect(self) -> None:
        code = self._socket.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
        self.unwatch(self._socket)
        if code:
            self._fail(code)
            return
        self._connected = self.now()
        # Otherwise, the kernel would write the IP options into every packet.
        with contextlib.suppress(OSError):
            self._socket.setsockopt(socket.IPPROTO_IP, socket.IP_OPTIONS, b"")
        self._end = End(self, self._socket, self._opening)
        if self._reverse:
            self._socket.send(SEND)
        else:
            self._end.begin(SendingEnd(self._plan))

    def _fail(self, code: int) -> None:
        names = {errno.ECONNREFUSED: "refused", errno.ETIMEDOUT: "timed out", errno.ECONNRESET: "reset"}
        self._failure = names.get(code, "no route to the target")


def serve(control: Connection[Any, Any], name: str, *arguments: Any) -> None:
    """Runs the service ``name`` of this module until the control connection is closed."""
    run({"TcpServer": TcpServer, "TcpClient": TcpClient}[name], control, *arguments)
