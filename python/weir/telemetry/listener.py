"""Receives telemetry reports at a UDP socket of this computer."""

from __future__ import annotations

import os
import socket
import struct
import threading
import time
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final, Self

from weir.errors import NetworkError
from weir.system.freed import return_freed_memory
from weir.telemetry.inbox import Inbox
from weir.telemetry.senders import Senders
from weir.text.address import split_port

_BUFFER_BYTES: Final = 32 << 20
"""The size of the socket's buffer to request in bytes; the system may grant less."""

_SO_RCVBUFFORCE: Final = 33
_MAX_DATAGRAM: Final = 65535
_MAX_BYTES: Final = 64 << 20
"""The maximum memory in bytes of datagrams that wait for :meth:`Listener.take`.

Further datagrams wait in the system's buffer.
"""

_FREED_BYTES: Final = 8 << 20
_QUIET_BYTES: Final = 1 << 20
"""Freed memory returns to the system after datagrams with the first number of bytes, once at most
Two thresholds for returning freed memory to the system. Memory is returned when datagrams with the
first number of bytes have arrived, and at most"""


class Listener:
    """A UDP socket with a thread that receives datagrams until the listener is closed.

    >>> with Listener("127.0.0.1:6000") as listener:                # doctest: +SKIP
    ...     store.add(*listener.take())

    Args:
        address: the address to listen at: ``HOST:PORT``, ``[IPv6]:PORT``, or ``:PORT`` for all IPv4
            addresses (``[::]:PORT`` also for all IPv6 addresses). Port 0 picks a free port.
        senders: the addresses and networks from which datagrams are accepted, such as
            ``10.0.0.0/8``; all by default. UDP does not protect the sender's address, so it can be
            forged.

    Raises:
        NetworkError: an address is not valid, or is in use.
    """

    def __init__(self, address: str, *, senders: Iterable[str] = ()) -> None:
        self._senders = Senders(senders)
        family, socket_address = _resolve(address)
        self._socket = socket.socket(family, socket.SOCK_DGRAM)
        try:
            self._socket.bind(socket_address)
        except OSError as error:
            self._socket.close()
            raise NetworkError(f"cannot listen at {address}: {error.strerror or error}") from None
        for option in (socket.SO_RCVBUF, _SO_RCVBUFFORCE):
            # A privileged process can exceed the system's limit with the second option.
            with suppress(OSError):
                self._socket.setsockopt(socket.SOL_SOCKET, option, _BUFFER_BYTES)
        # With a time-out, the thread notices the end. A time-out set in Python would cost a second
        # system call.
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, struct.pack("ll", 0, 100_000))
        self._inbox = Inbox()
        self._closed = False
        self._dropped = self._refused = 0
        self._last = self._returned = 0
        self._thread = threading.Thread(target=self._receive, daemon=True)
        self._thread.start()

    @property
    def address(self) -> str:
        """The address at which the listener receives, such as ``127.0.0.1:6000``."""
        host, port = self._socket.getsockname()[:2]
        return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"

    @property
    def waiting(self) -> int:
        """The number of datagrams that wait for :meth:`take`."""
        return len(self._inbox)

    @property
    def waiting_bytes(self) -> int:
        """The memory in bytes of the datagrams that wait for :meth:`take`, at most 64 MiB."""
        return self._inbox.size

    @property
    def senders(self) -> Senders:
        """The senders from which datagrams are accepted."""
        return self._senders

    @property
    def refused(self) -> int:
        """The number of datagrams from other senders, which were discarded."""
        return self._refused

    @property
    def dropped(self) -> int:
        """The number of datagrams that the system dropped because the socket's buffer was full."""
        if not self._closed:
            self._dropped = _drops(os.fstat(self._socket.fileno()).st_ino)
        return self._dropped

    def take(self, most: int | None = None, most_bytes: int | None = None) -> tuple[list[bytes], list[int]]:
        """Removes and returns the first waiting datagrams.

        Args:
            most: the maximum number of datagrams; ``None`` for all.
            most_bytes: the maximum memory of the datagrams, except for a single datagram; ``None``
                for no limit.

        Returns:
            The payloads, and the arrival times in Unix ns.
        """
        inbox, taken_before = self._inbox, self._inbox.taken
        # The caller may still use the datagrams that it took last.
        if taken_before - self._returned >= _FREED_BYTES and max(self._last, inbox.size) <= _QUIET_BYTES:
            return_freed_memory()
            self._returned = taken_before
        datagrams = inbox.take(most, most_bytes)
        self._last = inbox.taken - taken_before
        return datagrams

    def close(self) -> None:
        """Closes the listener; :meth:`take` still returns datagrams that have arrived."""
        if not self._closed:
            self._dropped, self._closed = self.dropped, True
            self._thread.join()
            self._socket.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _receive(self) -> None:
        inbox, now = self._inbox, time.time_ns
        while not self._closed:
            try:
                payload = self._next()
            except (BlockingIOError, InterruptedError):
                continue
            except OSError:
                # The error is, for example, an ICMP error; the socket still works.
                time.sleep(0.001)
                continue
            if payload is None:
                self._refused += 1
                continue
            inbox.add(now(), payload)
            while inbox.size >= _MAX_BYTES and not self._closed:
                time.sleep(0.001)

    def _next(self) -> bytes | None:
        """Receives the next datagram; ``None`` if its sender is not accepted."""
        if not self._senders:
            return self._socket.recv(_MAX_DATAGRAM)
        payload, source = self._socket.recvfrom(_MAX_DATAGRAM)
        return payload if self._senders.accepts(source[0]) else None


def _resolve(address: str) -> tuple[socket.AddressFamily, tuple[str, int]]:
    """Finds the address family and the socket address for a string such as ``HOST:PORT``."""
    if (parts := split_port(address)) is None:
        raise NetworkError(
            f'"{address}": expected HOST:PORT such as 127.0.0.1:6000 or [::1]:6000, or :6000 for all addresses'
        )
    host, number = parts[0] or "0.0.0.0", parts[1]
    try:
        family, _, _, _, socket_address = socket.getaddrinfo(host, number, type=socket.SOCK_DGRAM)[0]
    except OSError as error:
        raise NetworkError(f'"{address}": {error.strerror or error}') from None
    return family, (str(socket_address[0]), int(socket_address[1]))


def _drops(inode: int) -> int:
    """Reads the number of datagrams that a socket dropped from Linux's list of sockets."""
    for name in ("udp", "udp6"):
        with suppress(OSError):
            for line in Path("/proc/net", name).read_text(encoding="ascii").splitlines()[1:]:
                fields = line.split()
                if int(fields[9]) == inode:
                    return int(fields[12])
    return 0
