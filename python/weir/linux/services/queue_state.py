"""Samples of an interface's queue, with the counts of ``tc -s qdisc``, read over netlink
(rtnetlink(7))."""

from __future__ import annotations

import errno
import os
import socket
import struct
from array import array
from collections.abc import Iterator
from multiprocessing.connection import Connection
from typing import Any, Final

from weir.linux.services.service import Service, run

_GETQDISC, _DONE, _ERROR = 38, 3, 2
_REQUEST, _DUMP = 0x1, 0x300
_HEADER: Final = struct.Struct("=IHHII")
_TCMSG: Final = struct.Struct("=BxHiIII")
_STATS2, _BASIC, _QUEUE = 7, 1, 3
_ROOT: Final = 0xFFFFFFFF


class QueueSampler(Service):
    """Samples the root queue of an interface of its node.

    Args:
        control: the control connection, as in :class:`Service`.
        origin: the network's start, on the clock of :func:`time.monotonic_ns`.
        interface: the name of the interface.
        every: nanoseconds between samples.
    """

    def __init__(self, control: Connection[Any, Any], origin: int, interface: str, every: int) -> None:
        super().__init__(control, origin)
        self._index = socket.if_nametoindex(interface)
        self._netlink = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE)
        self._every, self._next = every, self.now() + every
        # The columns: time, waiting packets, sent packets, sent bytes, dropped packets.
        self._columns = [array("Q") for _ in range(5)]
        self._stopped = False

    def columns(self) -> list[bytes]:
        """Returns the samples so far in columns: times, waiting packets, sent packets and bytes,
        dropped packets."""
        return [column.tobytes() for column in self._columns]

    def stop(self) -> None:
        """Stops sampling."""
        self._stopped = True

    def work(self) -> float | None:
        """Takes a sample if one is due; returns the seconds until the next sample."""
        if self._stopped:
            return None
        now = self.now()
        if now >= self._next:
            for column, value in zip(self._columns, (now, *self._read()), strict=True):
                column.append(value)
            self._next += self._every * max(1, -(-(now - self._next) // self._every))
            now = self.now()
        return (self._next - now) / 1_000_000_000

    def _read(self) -> tuple[int, int, int, int]:
        """Reads the waiting packets, sent packets, sent bytes and dropped packets of the queue from
        the kernel."""
        body = _TCMSG.pack(0, 0, self._index, 0, 0, 0)
        self._netlink.send(_HEADER.pack(16 + len(body), _GETQDISC, _REQUEST | _DUMP, 1, 0) + body)
        found = (0, 0, 0, 0)
        while True:
            data, sender = self._netlink.recvfrom(1 << 16)
            # Programs of the host can send messages to this socket, too.
            while data and sender == (0, 0):
                length, kind, _, _, _ = _HEADER.unpack_from(data)
                if kind == _DONE:
                    return found
                if kind == _ERROR:
                    (code,) = struct.unpack_from("=i", data, 16)
                    raise OSError(-code, os.strerror(-code))
                if length < 36:
                    raise OSError(errno.EBADMSG, os.strerror(errno.EBADMSG))
                message, data = data[16:length], data[(length + 3) & ~3 :]
                _, _, index, _, parent, _ = _TCMSG.unpack_from(message)
                if index == self._index and parent == _ROOT:
                    found = _statistics(message[20:])


def _statistics(attributes: bytes) -> tuple[int, int, int, int]:
    waiting = packets = size = dropped = 0
    for kind, value in _attributes(attributes):
        if kind == _STATS2:
            for inner, data in _attributes(value):
                if inner == _BASIC and len(data) >= 12:
                    size, packets = struct.unpack_from("=QI", data)
                elif inner == _QUEUE and len(data) >= 12:
                    waiting, _, dropped = struct.unpack_from("=III", data)
    return waiting, packets, size, dropped


def _attributes(data: bytes) -> Iterator[tuple[int, bytes]]:
    while len(data) >= 4:
        length, kind = struct.unpack_from("=HH", data)
        if not 4 <= length <= len(data):
            return
        yield kind & 0x3FFF, data[4:length]
        data = data[(length + 3) & ~3 :]


def serve(control: Connection[Any, Any], name: str, *arguments: Any) -> None:
    """Runs the service of this module until the control connection is closed."""
    run(QueueSampler, control, *arguments)
