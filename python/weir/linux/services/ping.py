"""Echo requests of ICMP and ICMPv6, from a raw socket."""

from __future__ import annotations

import errno
import os
import socket
import struct
from multiprocessing.connection import Connection
from typing import Any, Final

from weir._core import NO_ROUTE, PingReply, icmp_error
from weir.linux.services.arrivals import ANCILLARY, Arrivals, enable_arrival_times
from weir.linux.services.service import Service, run
from weir.linux.services.tos import mark
from weir.packets import internet_checksum

_REPLY_TIMEOUT_NS: Final = 10_000_000_000
"""The time in nanoseconds that a request waits for its reply by default."""

_NS_PER_SECOND: Final = 1_000_000_000

_NO_ROUTE: Final = (errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENETDOWN, errno.EADDRNOTAVAIL)
"""The errors of packets that cannot be sent: no route, or no address to send from."""


class Ping(Service):
    """Sends echo requests, and records a reply, a loss or an error for each.

    Args:
        control: the control connection, as in :class:`Service`.
        origin: the network's start, on the clock of :func:`time.monotonic_ns`.
        target: the address.
        count: the number of requests.
        size: bytes of data.
        interval_ns: nanoseconds from one request to the next.
        timeout_ns: how long each request waits for its reply; ``None`` for the default of
            :meth:`weir.Host.ping`.
        flood: whether the next request follows at once after a reply.
        ttl: the time to live of the requests.
        tos: the type of service of the requests.
    """

    def __init__(
        self,
        control: Connection[Any, Any],
        origin: int,
        target: str,
        count: int,
        size: int,
        interval_ns: int,
        timeout_ns: int | None,
        flood: bool,
        ttl: int,
        tos: int,
    ) -> None:
        super().__init__(control, origin)
        self._target, self._count, self._data = target, count, os.urandom(size)
        self._interval, self._timeout, self._flood = interval_ns, timeout_ns, flood
        self._v6 = ":" in target
        self._address = (target, 0, 0, _first_interface()) if target.startswith("ff") else (target, 0)
        self._ident = os.getpid() & 0xFFFF
        family, protocol = (
            (socket.AF_INET6, socket.IPPROTO_ICMPV6) if self._v6 else (socket.AF_INET, socket.IPPROTO_ICMP)
        )
        self._socket = socket.socket(family, socket.SOCK_RAW, protocol)
        self._socket.setblocking(False)
        mark(self._socket, tos)
        enable_arrival_times(self._socket)
        self._arrivals = Arrivals()
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 << 20)
        if self._v6:
            self._socket.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_UNICAST_HOPS, ttl)
            self._socket.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_HOPS, ttl)
            # Only other hosts answer, as with `ping -L`.
            self._socket.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_LOOP, 0)
            self._socket.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_RECVHOPLIMIT, 1)
        else:
            self._socket.setsockopt(socket.IPPROTO_IP, socket.IP_TTL, ttl)
            self._socket.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, ttl)
        self.watch(self._socket, self._receive)
        self._replies: list[PingReply | None] = []
        self._sent: list[int] = []
        self._settled = 0
        self._next = self.now()
        self._stopped = False
        self._last_sign = self._longest = 0
        self._replied = False

    def replies(self, start: int) -> list[PingReply]:
        """Returns the results from request ``start`` on, up to the first request without a
        result."""
        received = []
        for reply in self._replies[start:]:
            if reply is None:
                break
            received.append(reply)
        return received

    def stop(self) -> None:
        """Stops sending."""
        self._stopped = True

    def work(self) -> float | None:
        """Sends the requests that are due, and gives up on requests that have waited for too long.

        Returns the seconds until there is more to do.
        """
        now = self.now()
        while not self._stopped and len(self._sent) < self._count and self._next <= now:
            self._send(now)
            self._next = now + self._interval if self._flood else self._next + self._interval
            now = self.now()
        self._give_up(now)
        all_sent = self._stopped or len(self._sent) >= self._count
        if all_sent and self._settled == len(self._replies):
            self.finish()
            return None
        wakes = [] if all_sent else [self._next]
        if self._settled < len(self._replies):
            wakes.append(self._deadline(self._settled, all_sent))
        return (min(wakes) - now) / 1_000_000_000

    def _deadline(self, place: int, all_sent: bool) -> int:
        """Computes the time until which a request waits for its reply."""
        patience = _REPLY_TIMEOUT_NS if self._timeout is None else self._timeout
        deadline = self._sent[place] + patience
        if self._timeout is None and all_sent and self._replied:
            quiet = max(2 * self._longest, self._interval, _NS_PER_SECOND)
            deadline = min(deadline, max(self._last_sign, self._sent[-1]) + quiet)
        return deadline

    def _give_up(self, now: int) -> None:
        all_sent = self._stopped or len(self._sent) >= self._count
        while self._settled < len(self._replies):
            if self._replies[self._settled] is None:
                if now < self._deadline(self._settled, all_sent) and not self._stopped:
                    return
                self._replies[self._settled] = self._missing_reply(self._settled)
            self._settled += 1

    def _send(self, now: int) -> None:
        seq = len(self._sent) + 1
        kind = 128 if self._v6 else 8
        packet = struct.pack("!BBHHH", kind, 0, 0, self._ident, seq & 0xFFFF) + self._data
        if not self._v6:
            packet = packet[:2] + struct.pack("!H", internet_checksum(packet)) + packet[4:]
        self._sent.append(now)
        self._replies.append(None)
        try:
            self._socket.sendto(packet, self._address)
        except OSError as error:
            if error.errno not in _NO_ROUTE:
                raise
            self._replies[-1] = self._missing_reply(seq - 1, NO_ROUTE)

    def _receive(self) -> None:
        while True:
            try:
                packet, extra, _, address = self._socket.recvmsg(1 << 16, ANCILLARY)
            except BlockingIOError:
                return
            arrival, hops = self._arrivals.time(extra) - self.origin, None
            for level, _, data in extra:
                if level == socket.IPPROTO_IPV6:
                    hops = struct.unpack("=i", data[:4])[0]
            if not self._v6:
                hops = packet[8]
                packet = packet[4 * (packet[0] & 15) :]
            self._process_packet(packet, arrival, hops, address[0])

    def _process_packet(self, packet: bytes, arrival: int, hops: int | None, source: str) -> None:
        if len(packet) < 8:
            return
        kind, code = packet[0], packet[1]
        reply, request = (129, 128) if self._v6 else (0, 8)
        if kind == reply:
            place = self._request_index(packet)
            if place is not None:
                sent = self._sent[place]
                rtt = max(0, arrival - sent)
                ping_reply = PingReply(place + 1, sent, rtt, hops, len(packet), reply_from=source)
                self._record_reply(place, arrival, rtt, ping_reply)
        elif kind in ((1, 2, 3) if self._v6 else (3, 11)):
            inner = packet[8:]
            if len(inner) < 28:
                return
            # The header of the request that the ICMP error is about, as the router received it.
            inner = inner[40:] if self._v6 else inner[4 * (inner[0] & 15) :]
            if len(inner) >= 8 and inner[0] == request:
                place = self._request_index(inner)
                if place is not None:
                    rtt = max(0, arrival - self._sent[place])
                    error = icmp_error(source, kind, code)
                    self._record_reply(place, arrival, rtt, self._missing_reply(place, error, source))

    def _request_index(self, echo: bytes) -> int | None:
        ident, seq = struct.unpack("!HH", echo[4:8])
        if ident != self._ident:
            return None
        # Of all requests whose numbers end in these 16 bits, the error is about the last one.
        last = len(self._sent)
        number = last - ((last - seq) & 0xFFFF)
        return number - 1 if 1 <= number <= last else None

    def _missing_reply(self, place: int, error: str | None = None, source: str | None = None) -> PingReply:
        return PingReply(place + 1, self._sent[place], None, None, None, error, source)

    def _record_reply(self, place: int, arrival: int, rtt: int, reply: PingReply) -> None:
        if self._replies[place] is not None:
            return
        self._replies[place] = reply
        self._replied |= reply.rtt_ns is not None
        self._last_sign, self._longest = arrival, max(self._longest, rtt)
        if self._flood:
            self._next = self.now()


def _first_interface() -> int:
    """Returns the index of the first interface, which sends multicast packets; 0 if there is
    none."""
    return next((number for number, name in sorted(socket.if_nameindex()) if name != "lo"), 0)


def serve(control: Connection[Any, Any], name: str, *arguments: Any) -> None:
    """Runs the service of this module until the control connection is closed."""
    run(Ping, control, *arguments)
