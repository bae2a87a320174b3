"""Sets the options of TCP connections with socket options."""

from __future__ import annotations

import errno
import socket
import struct
from pathlib import Path
from typing import TYPE_CHECKING, Final

from weir.linux.services.tcp_info import has_passed

if TYPE_CHECKING:
    from weir._core import TcpOptionsOf

OPEN_WITHIN_MS: Final = 15_000
"""The milliseconds in which a flow's connection must open and its first data must be acknowledged.

Without this limit, the kernel would repeat the SYN 6 times, and wait 127 seconds or more. Within
the limit, it repeats the SYN 3 times, after 1, 2 and 4 seconds. It would repeat data for a quarter
of an hour, for example if only the SYN fits through a link with a small MTU.
"""

_KEEPALIVE: Final = {
    socket.TCP_KEEPIDLE: OPEN_WITHIN_MS // 1000 + 1,
    socket.TCP_KEEPINTVL: 5,
    socket.TCP_KEEPCNT: 25,
}
"""TCP keepalive: the seconds without data before the first probe, the seconds between two probes,
and the number of probes."""

_SO_MAX_PACING_RATE: Final = 47
_TCP_NOTSENT_LOWAT: Final = 25
_TCP_USER_TIMEOUT: Final = 18
_SYN_RETRIES: Final = Path("/proc/sys/net/ipv4/tcp_syn_retries")
_USUAL_SYN_RETRIES: Final = 6
_MAX_UNSENT_BYTES: Final = 128 * 1024
"""The maximum number of unsent bytes in the kernel. The number is low, so that a flow stops soon
after its end."""


def prepare(sock: socket.socket, options: TcpOptionsOf) -> None:
    """Sets the options of a connection, or of a listener for its connections.

    Raises:
        OSError: the kernel does not have one of the options; the message is for users.
    """
    tcp = socket.IPPROTO_TCP
    sock.setsockopt(tcp, _TCP_NOTSENT_LOWAT, _MAX_UNSENT_BYTES)
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
        # The kernel doubles the size, to have space for its own records.
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, options["window"])
    if options["nodelay"] is not None:
        sock.setsockopt(tcp, socket.TCP_NODELAY, int(options["nodelay"]))
    pace(sock, options["pacing_bps"])


class OpeningLimits:
    """Time limits of a connection that last until its first data is acknowledged.

    A connection must open within :data:`OPEN_WITHIN_MS`, and its first data must be acknowledged
    within the same time. An end that waits for data sends keepalive probes. Hosts with their own
    setting for SYN retries have no limits.

    Args:
        sock: the connection.
        waits: whether this end waits for data.
    """

    INTERVAL: Final = 0.1
    """Seconds between two checks of a connection."""

    def __init__(self, sock: socket.socket, waits: bool) -> None:
        self._socket = sock
        self._sends = int(_SYN_RETRIES.read_text(encoding="ascii")) == _USUAL_SYN_RETRIES
        self._waits = self._sends and waits
        if self._sends:
            sock.setsockopt(socket.IPPROTO_TCP, _TCP_USER_TIMEOUT, OPEN_WITHIN_MS)
        if self._waits:
            for option, value in _KEEPALIVE.items():
                sock.setsockopt(socket.IPPROTO_TCP, option, value)
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)

    def remove_unneeded(self) -> bool:
        """Removes the limits that are no longer needed; returns whether a limit remains."""
        if self._sends or self._waits:
            sent, received = has_passed(self._socket)
            if self._sends and sent:
                self._sends = False
                self._socket.setsockopt(socket.IPPROTO_TCP, _TCP_USER_TIMEOUT, 0)
            if self._waits and received:
                self._waits = False
                self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 0)
        return self._sends or self._waits


def pace(sock: socket.socket, rate_bps: int | None) -> None:
    """Paces a connection at a rate in bits per second; ``None`` leaves pacing to the congestion
    control."""
    if rate_bps is not None:
        # The rate in bytes per second is packed as an unsigned number, because `setsockopt` takes
        # Python's int as signed.
        rate = struct.pack("=I", min(rate_bps // 8, 0xFFFFFFFF))
        sock.setsockopt(socket.SOL_SOCKET, _SO_MAX_PACING_RATE, rate)
