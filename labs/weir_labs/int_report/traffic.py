"""Programs on hosts: a sender with or without congestion control, and a receiver."""

from __future__ import annotations

import struct
from collections import deque
from collections.abc import Callable
from typing import Final

import weir

from .frames import PORT_REPORT, read_report
from .hpcc import Hpcc

PORT: Final = 5000
"""The destination port of the datagrams."""

SOURCE_PORTS: Final = range(5100, 5108)
"""The ports of a sender. It uses them in turn, so it knows which datagram a report is about."""

_HEADER: Final = struct.Struct("!QI")
_LOSS_TIMEOUT_NS: Final = 1_000_000_000


class Sender(weir.HostProgram):
    """Sends datagrams at given times, or as its congestion control allows.

    Run it with ``udp=(PORT_REPORT, *SOURCE_PORTS)``.

    Attributes:
        sent: the number of datagrams sent so far.
        unreported: the number of datagrams without a report when the report of a later datagram
            arrived.
    """

    def __init__(
        self,
        target: str,
        data_bytes: int,
        frame_bytes: int,
        end_ns: int,
        control: Hpcc | Callable[[], int],
    ) -> None:
        """Prepares a sender.

        Args:
            target: the receiver's address.
            data_bytes: UDP payload of a datagram, 12 at least.
            frame_bytes: the bytes of its longest frame.
            end_ns: when the sender stops.
            control: the congestion control, or the time to the next datagram, in ns.
        """
        self.sent = 0
        self.unreported = 0
        self._target = target
        self._padding = bytes(data_bytes - _HEADER.size)
        self._frame = frame_bytes
        self._end_ns = end_ns
        self._control = control
        self._next_ns = 0
        self._timer_ns: int | None = None
        # The number and the time of sending of each datagram that has no report yet.
        self._in_flight: deque[tuple[int, int]] = deque()

    def start(self) -> None:
        """Sends the first datagram."""
        self._next_ns = self.now_ns
        self._send_more()

    def on_timer(self, token: object) -> None:
        """Sends more datagrams when the next one is due."""
        if token == self._timer_ns:
            self._timer_ns = None
        self._send_more()

    def on_datagram(self, datagram: weir.Datagram) -> None:
        """Reads a report, and updates the congestion control."""
        if isinstance(self._control, Hpcc) and datagram.port == PORT_REPORT:
            place = datagram.source_port - SOURCE_PORTS.start
            # Reports arrive in the order of the datagrams, so there will be none for earlier
            # datagrams.
            while self._in_flight:
                number, sent_ns = self._in_flight.popleft()
                if number % len(SOURCE_PORTS) == place:
                    hops = read_report(datagram.payload).hops
                    self._control.on_report(hops, sent_ns, datagram.time_ns)
                    break
                self.unreported += 1
            self._send_more()

    def _send_more(self) -> None:
        """Sends the datagrams that may be sent, and sets the timer for the next one."""
        now = self.now_ns
        while self._next_ns <= now < self._end_ns and self._may_send(now):
            source = SOURCE_PORTS[self.sent % len(SOURCE_PORTS)]
            self.send_udp(self._target, PORT, _HEADER.pack(now, self.sent) + self._padding, source)
            if isinstance(self._control, Hpcc):
                self._in_flight.append((self.sent, now))
                rate = self._control.bytes_per_ns
                self._next_ns = now + (round(self._frame / rate) if rate else 0)
            else:
                self._next_ns += self._control()
            self.sent += 1
        # A window that is closed opens when a report arrives, or later if the report is lost.
        due_ns = self._next_ns if self._next_ns > now else now + _LOSS_TIMEOUT_NS
        if now < self._end_ns and (self._timer_ns is None or due_ns < self._timer_ns):
            self._timer_ns = due_ns
            self.after(f"{due_ns - now}ns", due_ns)

    def _may_send(self, now: int) -> bool:
        """Returns whether the window allows another datagram."""
        if not isinstance(self._control, Hpcc):
            return True
        while self._in_flight and now - self._in_flight[0][1] > _LOSS_TIMEOUT_NS:
            self._in_flight.popleft()
            self.unreported += 1
        # Windows of two or three frames are not rounded down; the pacing rate keeps them exact.
        return (len(self._in_flight) - 1) * self._frame < self._control.window_bytes


class Receiver(weir.HostProgram):
    """Records arrivals: for each sender, the time of arrival and the delay of each datagram, in
    ns."""

    def __init__(self) -> None:
        self.arrived: dict[str, list[tuple[int, int]]] = {}

    def on_datagram(self, datagram: weir.Datagram) -> None:
        """Records a datagram."""
        sent_ns, _ = _HEADER.unpack_from(datagram.payload)
        times = self.arrived.setdefault(datagram.source, [])
        times.append((datagram.time_ns, datagram.time_ns - sent_ns))
