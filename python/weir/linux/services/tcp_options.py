"""Options of TCP connections as options of sockets."""

from __future__ import annotations

import errno
import socket
import struct
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from weir._core import TcpOptionsOf

OPEN_WITHIN_MS: Final = 15_000
"""How long a flow's connection may take to open.

The kernel alone would send 6 SYNs again, and wait 127 seconds or more for the last. This is as long
as 3 of them take, which start after 1, 2 and 4 seconds.
"""

_SO_MAX_PACING_RATE: Final = 47
_TCP_NOTSENT_LOWAT: Final = 25
_TCP_USER_TIMEOUT: Final = 18
_SYN_RETRIES: Final = Path("/proc/sys/net/ipv4/tcp_syn_retries")
_USUAL_SYN_RETRIES: Final = 6
_UNSENT: Final = 128 * 1024
"""Bytes that wait unsent in the kernel at most, so that a flow stops when it shall."""


def prepare(sock: socket.socket, options: TcpOptionsOf) -> None:
    """Sets the options of a connection, or of a listener for its connections.

    Raises:
        OSError: the kernel does not have one; the message is for users.
    """
    tcp = socket.IPPROTO_TCP
    sock.setsockopt(tcp, _TCP_NOTSENT_LOWAT, _UNSENT)
    congestion = options["congestion"]
    if congestion is not None:
        try:
            sock.setsockopt(tcp, socket.TCP_CONGESTION, congestion.encode())
        except OSError:
            raise OSError(
                errno.ENOENT,
                f'this kernel has no congestion control "{congestion}" (modprobe tcp_{congestion})',
            ) from None
    if options["mss"] is not None:
        sock.setsockopt(tcp, socket.TCP_MAXSEG, options["mss"])
    if options["window"] is not None:
        # The kernel doubles it, for its own records.
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, options["window"])
    if options["nodelay"] is not None:
        sock.setsockopt(tcp, socket.TCP_NODELAY, int(options["nodelay"]))
    pace(sock, options["pacing_bps"])


def limit_opening(sock: socket.socket) -> None:
    """Gives a connection :data:`OPEN_WITHIN_MS` to open, unless its host has other SYN retries."""
    if int(_SYN_RETRIES.read_text(encoding="ascii")) == _USUAL_SYN_RETRIES:
        sock.setsockopt(socket.IPPROTO_TCP, _TCP_USER_TIMEOUT, OPEN_WITHIN_MS)


def unlimit(sock: socket.socket) -> None:
    """Lets the kernel decide again how long it waits for a connection, now that it is open."""
    sock.setsockopt(socket.IPPROTO_TCP, _TCP_USER_TIMEOUT, 0)


def pace(sock: socket.socket, rate_bps: int | None) -> None:
    """Paces a connection at a rate; None for the congestion control's own."""
    if rate_bps is not None:
        # In bytes per second, packed as an unsigned number: `setsockopt` takes Python's as signed.
        rate = struct.pack("=I", min(rate_bps // 8, 0xFFFFFFFF))
        sock.setsockopt(socket.SOL_SOCKET, _SO_MAX_PACING_RATE, rate)
