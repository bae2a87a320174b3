"""Options of TCP connections as options of sockets."""

from __future__ import annotations

import errno
import socket
import struct
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from weir._core import TcpOptionsOf

_SO_MAX_PACING_RATE: Final = 47
_TCP_NOTSENT_LOWAT: Final = 25
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


def pace(sock: socket.socket, rate_bps: int | None) -> None:
    """Paces a connection at a rate; None for the congestion control's own."""
    if rate_bps is not None:
        # In bytes a second, as an unsigned number, which Python's integers are not here.
        rate = struct.pack("=I", min(rate_bps // 8, 0xFFFFFFFF))
        sock.setsockopt(socket.SOL_SOCKET, _SO_MAX_PACING_RATE, rate)
