"""Both ends of UDP flows, whose datagrams carry a number and the time of sending."""

from __future__ import annotations

import errno
import socket
import struct
from array import array
from collections.abc import Iterator
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Any, Final

from weir.linux.services.arrivals import ANCILLARY, Arrivals, enable_arrival_times
from weir.linux.services.pattern import times
from weir.linux.services.service import Service, run
from weir.linux.services.tos import ancillary

if TYPE_CHECKING:
    from weir._core import Pattern

HEADER: Final = struct.Struct("<IIQ")
"""The header of each datagram: the number of the flow, the number of the datagram from 0, the time
of sending."""

HELLO: Final = 0xFFFFFFFF
"""The datagram number with which a client asks the server to send."""

_HELLO_NS: Final = 100_000_000
_BATCH: Final = 64
_MAX_LATENESS_NS: Final = 100_000_000
"""How late a datagram may leave at the end of a flow. A sender that is slower than its rate sends
no more after that."""

Progress = tuple[int | None, int, int, bool]
"""A flow's start, the number of sent datagrams, when the last one left (0 for none), and whether
all were sent."""

Times = tuple[bytes, bytes, bytes]
"""Three columns of 64-bit numbers: for each datagram its number, its time of sending and its time
of arrival."""


class SendingEnd:
    """The sender of a flow's datagrams.

    Args:
        pattern: the distribution of the datagrams over time.
        length: the bytes of payload of each datagram.
        duration: nanoseconds after which sending stops; ``None`` for no limit.
        count: the number of datagrams; ``None`` for no limit.
        tos: the type of service of the datagrams.
    """

    def __init__(
        self, pattern: Pattern, length: int, duration: int | None, count: int | None, tos: int
    ) -> None:
        self._tos = tos
        self._times: Iterator[int] = times(pattern, length)
        self._padding = bytes(length - HEADER.size)
        self._duration, self._count = duration, count
        self._next = 0
        self.started: int | None = None
        self.sent = array("Q")
        self.refused = 0
        self.done = False

    def start(self, now: int) -> None:
        """Notes that sending starts at this time, in nanoseconds since the network's start."""
        self.started = now
        self._advance()

    def work(self, sock: socket.socket, target: Any, flow: int, service: Service) -> float | None:
        """Sends the datagrams that are due; returns the seconds until the next datagram is due."""
        if self.started is None or self.done:
            return None
        for _ in range(_BATCH):
            now = service.now()
            if self._next > now:
                return (self._next - now) / 1_000_000_000
            if self._duration is not None and now >= self.started + self._duration + _MAX_LATENESS_NS:
                self.done = True
                return None
            number = len(self.sent) + self.refused
            data = HEADER.pack(flow, number, now) + self._padding
            try:
                sock.sendmsg([data], ancillary(sock, self._tos), 0, target)
                self.sent.append(now)
            except BlockingIOError:
                # The socket's buffer is full. Datagrams that are due leave late, but none leaves
                # after the end.
                if self._duration is not None and now >= self.started + self._duration:
                    self.done = True
                    return None
                return 0.0001
            except OSError as error:
                if error.errno == errno.ECONNREFUSED:
                    # The error belongs to an earlier datagram.
                    continue
                if error.errno not in (errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENOBUFS, errno.ENETDOWN):
                    raise
                self.refused += 1
            self._advance()
            if self.done:
                return None
        return 0.0

    def stop(self) -> None:
        """Stops sending."""
        self.done = True

    @property
    def progress(self) -> Progress:
        """The start, the number of sent datagrams, when the last one left, and whether all were
        sent."""
        return self.started, len(self.sent), self.sent[-1] if self.sent else 0, self.done

    def _advance(self) -> None:
        assert self.started is not None
        number = len(self.sent) + self.refused
        time = next(self._times)
        self.done = (
            self.done or number == self._count or (self._duration is not None and time >= self._duration)
        )
        self._next = self.started + time


class ReceivingEnd:
    """The receiver of a flow's datagrams, which records their numbers and times."""

    def __init__(self) -> None:
        self.columns = array("Q"), array("Q"), array("Q")
        self.bytes = 0
        self.last = 0

    def take(self, number: int, sent: int, arrived: int, length: int) -> None:
        """Records a datagram that has arrived."""
        for column, value in zip(self.columns, (number, sent, arrived), strict=True):
            column.append(value)
        self.bytes += length
        self.last = arrived

    def report(self) -> tuple[Times, int]:
        """Returns the columns of the received datagrams, and the total bytes of payload."""
        number, sent, arrived = (column.tobytes() for column in self.columns)
        return (number, sent, arrived), self.bytes


def receive(
    sock: socket.socket, arrivals: Arrivals, origin: int
) -> Iterator[tuple[int, int, int, int, int, Any]]:
    """Reads datagrams from a socket; yields flow, number, times of sending and arrival, length and
    sender of each."""
    for _ in range(_BATCH):
        try:
            data, extra, _, source = sock.recvmsg(1 << 16, ANCILLARY)
        except BlockingIOError:
            return
        except OSError:
            # An ICMP error about an earlier datagram.
            continue
        if len(data) >= HEADER.size:
            flow, number, sent = HEADER.unpack_from(data)
            yield flow, number, sent, arrivals.time(extra) - origin, len(data), source


def bound_socket(address: str, port: int) -> socket.socket:
    """Opens a UDP socket bound to a port, for the family of an address."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    sock = socket.socket(family, socket.SOCK_DGRAM)
    sock.setblocking(False)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8 << 20)
    enable_arrival_times(sock)
    sock.bind(("", port))
    return sock


class UdpServer(Service):
    """The server of UDP flows at a port. It receives datagrams, or sends them to clients that ask.

    Args:
        control: the control connection, as in :class:`Service`.
        origin: the network's start, on the clock of :func:`time.monotonic_ns`.
        address: an IP address of the version (4 or 6) to serve.
        port: the port.
    """

    def __init__(self, control: Connection[Any, Any], origin: int, address: str, port: int) -> None:
        super().__init__(control, origin)
        self._socket = bound_socket(address, port)
        self._arrivals = Arrivals()
        self.watch(self._socket, self._receive)
        self._receiving: dict[int, ReceivingEnd] = {}
        self._sending: dict[int, tuple[SendingEnd, Any]] = {}

    def add(self, flow: int, plan: tuple[Any, ...] | None) -> None:
        """Adds a flow that the server receives or, if there is a plan, sends when a client asks."""
        self._receiving[flow] = ReceivingEnd()
        if plan is not None:
            self._sending[flow] = SendingEnd(*plan), None

    def count(self, flow: int) -> tuple[int, int]:
        """Returns how many datagrams of a flow have arrived, and when the last one arrived."""
        receiving = self._receiving[flow]
        return len(receiving.columns[0]), receiving.last

    def received(self, flow: int) -> tuple[Times, int]:
        """Returns the datagrams of a flow that have arrived, and their total bytes."""
        return self._receiving[flow].report()

    def sent(self, flow: int) -> tuple[int | None, bytes, int, bool]:
        """Returns a flow's start, times of sending and number of refused datagrams, and whether all
        datagrams were sent."""
        sending, _ = self._sending[flow]
        return sending.started, sending.sent.tobytes(), sending.refused, sending.done

    def progress(self, flow: int) -> Progress:
        """Returns how far the sending of a flow is."""
        return self._sending[flow][0].progress

    def stop(self, flow: int) -> None:
        """Stops sending a flow."""
        if flow in self._sending:
            self._sending[flow][0].stop()

    def work(self) -> float | None:
        """Sends the datagrams of all flows that are due; returns the seconds until the next
        datagram is due."""
        spans = [
            sending.work(self._socket, target, flow, self)
            for flow, (sending, target) in self._sending.items()
            if target is not None
        ]
        return min((span for span in spans if span is not None), default=None)

    def _receive(self) -> None:
        for flow, number, sent, arrived, length, source in receive(self._socket, self._arrivals, self.origin):
            if number == HELLO:
                sending, target = self._sending.get(flow, (None, None))
                if sending is not None and target is None:
                    self._sending[flow] = sending, source
                    sending.start(self.now())
            elif flow in self._receiving:
                self._receiving[flow].take(number, sent, arrived, length)


class UdpClient(Service):
    """The client of a UDP flow.

    Args:
        control: the control connection, as in :class:`Service`.
        origin: the network's start, on the clock of :func:`time.monotonic_ns`.
        flow: the number of the flow.
        target: the address and port of the server.
        source_port: the client's port; 0 chooses a free one.
        plan: the arguments of :class:`SendingEnd`; ``None`` if the server sends.
    """

    def __init__(
        self,
        control: Connection[Any, Any],
        origin: int,
        flow: int,
        target: tuple[str, int],
        source_port: int,
        plan: tuple[Any, ...] | None,
    ) -> None:
        super().__init__(control, origin)
        self._flow, self._target = flow, target
        self._socket = bound_socket(target[0], source_port)
        self._arrivals = Arrivals()
        self.watch(self._socket, self._receive)
        self._receiving = ReceivingEnd()
        self._sending = None if plan is None else SendingEnd(*plan)
        self._begun = self.now()
        self._hello = self._begun
        self._stopped = False
        if self._sending is not None:
            self._sending.start(self._begun)

    def port(self) -> int:
        """Returns the client's own UDP port."""
        port: int = self._socket.getsockname()[1]
        return port

    def count(self) -> tuple[int, int]:
        """Returns how many datagrams have arrived, and when the last one arrived."""
        return len(self._receiving.columns[0]), self._receiving.last

    def received(self) -> tuple[Times, int]:
        """Returns the datagrams that have arrived, and their total bytes."""
        return self._receiving.report()

    def sent(self) -> tuple[int | None, bytes, int, bool]:
        """Returns the start, the times of sending and the number of refused datagrams, and whether
        all datagrams were sent."""
        if self._sending is None:
            return self._begun, b"", 0, True
        return self._sending.started, self._sending.sent.tobytes(), self._sending.refused, self._sending.done

    def progress(self) -> Progress:
        """Returns how far the sending is."""
        return (self._begun, 0, 0, True) if self._sending is None else self._sending.progress

    def stop(self) -> None:
        """Stops sending."""
        self._stopped = True
        if self._sending is not None:
            self._sending.stop()

    def work(self) -> float | None:
        """Sends the datagrams that are due, or asks the server to send; returns the seconds until
        more work is due."""
        if self._sending is not None:
            span = self._sending.work(self._socket, self._target, self._flow, self)
            if self._sending.done:
                self.finish()
            return span
        if len(self._receiving.columns[0]) or self._stopped:
            return None
        now = self.now()
        if now >= self._hello:
            self._hello = now + _HELLO_NS
            self._socket.sendto(HEADER.pack(self._flow, HELLO, now), self._target)
        return (self._hello - now) / 1_000_000_000

    def _receive(self) -> None:
        for flow, number, sent, arrived, length, _ in receive(self._socket, self._arrivals, self.origin):
            if flow == self._flow:
                self._receiving.take(number, sent, arrived, length)


def serve(control: Connection[Any, Any], name: str, *arguments: Any) -> None:
    """Runs the service ``name`` of this module until the control connection is closed."""
    run({"UdpServer": UdpServer, "UdpClient": UdpClient}[name], control, *arguments)
