"""A UDP port of a program on a real host, with the methods of ``weir._core.Mailbox``."""

from __future__ import annotations

import contextlib
import select
import socket
import struct
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final

from weir.errors import NetworkError
from weir.linux.services.arrivals import ANCILLARY, Arrivals, enable_arrival_times
from weir.linux.source import BATCH, Source, family_of

if TYPE_CHECKING:
    from weir.linux.network_base import NetworkBase

# Socket options that Python's module lacks (linux/in.h, linux/in6.h).
_IP_PKTINFO, _IP_RECVERR = 8, 11
_IPV6_RECVPKTINFO, _IPV6_PKTINFO, _IPV6_RECVERR = 49, 50, 25
_MSG_ERRQUEUE: Final = 0x2000

_ERROR: Final = struct.Struct("=IBBBxII")
"""``struct sock_extended_err`` (linux/errqueue.h), followed by the reporting node's address."""

_FROM_ICMP: Final = (2, 3)

Row = tuple[int, str, str, int, str, bytes, int]


class LinuxMailbox(Source):
    """A UDP port that receives datagrams, and ICMP errors about datagrams that it sent.

    Args:
        network: the network that contains the host.
        host: the host.
        port: the port.

    Raises:
        NetworkError: the port is in use.
    """

    def __init__(self, network: NetworkBase, host: str, port: int) -> None:
        super().__init__(network, host)
        self._port = port
        self._arrivals = Arrivals()
        self._sockets: dict[int, socket.socket] = {}
        try:
            for family in self.families:
                sock = network.namespaces.open(host, family, socket.SOCK_DGRAM, ("", port))
                self._sockets[family] = sock
                _prepare_socket(sock, family)
                self.ready.register(sock, select.EPOLLIN)
        except (NetworkError, OSError) as error:
            self.close()
            text = error.message if isinstance(error, NetworkError) else error.strerror
            raise NetworkError(f"UDP port {port} of {host}: {text}") from None

    def take(self) -> list[Row]:
        """Returns the datagrams and ICMP errors since the last call, in order of time."""
        if not self.is_open:
            return []
        rows = [row for sock in self._sockets.values() for row in self._read(sock)]
        return sorted(rows, key=lambda row: row[0])

    def send(self, address: str, port: int, payload: bytes) -> None:
        """Sends a datagram at once from the port.

        Raises:
            NetworkError: there is no route, the datagram is too long, or the network is closed.
        """
        self.check_open()
        sock = self._sockets.get(family_of(address))
        if sock is None:
            raise NetworkError(f"{self.node} has no IPv6 address to send from to {address}")
        # Otherwise, an ICMP error about an earlier datagram would be reported as an error of this
        # call.
        sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
        try:
            sock.sendto(payload, (address, port))
        except BlockingIOError:
            # The datagram is lost, as it would be in a full queue.
            pass
        except OSError as error:
            raise NetworkError(f"{self.node} to {address}: {error.strerror}") from None

    def close(self) -> None:
        """Closes the sockets, so that the port is free."""
        self.close_sockets()

    def sockets(self) -> Iterable[socket.socket]:
        """Returns the sockets of the port; see :meth:`Source.sockets`."""
        return self._sockets.values()

    def _read(self, sock: socket.socket) -> Iterator[Row]:
        for _ in range(BATCH):
            try:
                data, extra, _, source = sock.recvmsg(1 << 16, ANCILLARY)
            except BlockingIOError:
                break
            except OSError:
                # An ICMP error has arrived; the socket's error queue has it.
                continue
            target = _target(extra)
            yield self._arrival_time(extra), "udp", source[0], source[1], target, data, 0
        with contextlib.suppress(BlockingIOError):
            for _ in range(BATCH):
                data, extra, _, target = sock.recvmsg(1 << 16, 2 * ANCILLARY, _MSG_ERRQUEUE)
                row = self._error_row(data, extra, target)
                if row is not None:
                    yield row

    def _error_row(self, data: bytes, extra: list[tuple[int, int, bytes]], target: Any) -> Row | None:
        for level, kind, value in extra:
            if (level, kind) not in (
                (socket.IPPROTO_IP, _IP_RECVERR),
                (socket.IPPROTO_IPV6, _IPV6_RECVERR),
            ):
                continue
            _, origin, icmp_type, code, _, _ = _ERROR.unpack_from(value)
            if origin not in _FROM_ICMP:
                return None
            reporter = value[_ERROR.size :]
            family = struct.unpack_from("=H", reporter)[0]
            place = slice(4, 8) if family == socket.AF_INET else slice(8, 24)
            source = socket.inet_ntop(family, reporter[place])
            # The kernel returns the bytes after the header, without the checksum.
            header = struct.pack("!HHHH", self._port, target[1], 8 + len(data), 0)
            return self._arrival_time(extra), "icmp", source, icmp_type, target[0], header + data, code
        return None

    def _arrival_time(self, extra: list[tuple[int, int, bytes]]) -> int:
        return self._arrivals.time(extra) - self.network.origin


def _prepare_socket(sock: socket.socket, family: int) -> None:
    sock.setblocking(False)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 8 << 20)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
    enable_arrival_times(sock)
    if family == socket.AF_INET:
        options = [(socket.IPPROTO_IP, _IP_PKTINFO), (socket.IPPROTO_IP, _IP_RECVERR)]
    else:
        options = [(socket.IPPROTO_IPV6, _IPV6_RECVPKTINFO), (socket.IPPROTO_IPV6, _IPV6_RECVERR)]
    for level, option in options:
        sock.setsockopt(level, option, 1)


def _target(extra: list[tuple[int, int, bytes]]) -> str:
    """Reads the address to which a datagram was sent, from ``in_pktinfo`` or ``in6_pktinfo``."""
    for level, kind, value in extra:
        if (level, kind) == (socket.IPPROTO_IP, _IP_PKTINFO):
            return socket.inet_ntop(socket.AF_INET, value[8:12])
        if (level, kind) == (socket.IPPROTO_IPV6, _IPV6_PKTINFO):
            return socket.inet_ntop(socket.AF_INET6, value[:16])
    return ""
