"""Hosts of a network that runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from weir import _core, units
from weir.errors import NetworkError
from weir.measure import PingReply, PingResult, ping_reply

if TYPE_CHECKING:
    from weir.network import Network

Progress = Callable[[int, int], None]
"""Called now and then during a long run with how much is done and how much there is to do."""


class Host:
    """A host of a network. Got from :meth:`Network.host`.

    Attributes:
        name: such as ``h1``.
        ip: its IPv4 address.
        mac: its Ethernet address.
    """

    def __init__(self, network: Network, core: _core.Host, name: str) -> None:
        spec = network.topology.hosts[name]
        self._network = network
        self._core = core
        self.name = name
        self.ip = spec.ip.address
        self.mac = spec.mac

    def ping(
        self,
        target: str | Host,
        count: int = 3,
        *,
        size: int = 56,
        interval: str = "1s",
        timeout: str = "10s",
        progress: Progress | None = None,
        on_reply: Callable[[PingReply], None] | None = None,
    ) -> PingResult:
        """Sends ICMP echo requests, and runs the network until the last has its reply or its time-out.

        Args:
            target: a host, its name, or an IPv4 address.
            count: requests to send, 1 to 65535.
            size: data bytes in each.
            interval: virtual time between two requests.
            timeout: virtual time that each waits for its reply.
            progress: called now and then with the requests settled so far and ``count``.
            on_reply: called for each request as soon as it is settled, in the order of their numbers.

        Raises:
            NetworkError: there is no such host, or a number is out of range.
            UnitError: a time cannot be read.
        """
        network = self._network
        network.check_open()
        check_whole("count", count, 1)
        check_whole("size", size, 0)
        name = target.name if isinstance(target, Host) else target
        address = network.address(name)
        interval_ns = units.time_ns(interval, "interval", "s")
        timeout_ns = units.time_ns(timeout, "timeout", "s")
        ping = self._core.start_ping(address, count, size, interval_ns, timeout_ns)
        replies: list[PingReply] = []

        def look() -> None:
            for row in ping.rows(len(replies)):
                reply = ping_reply(row)
                replies.append(reply)
                if on_reply is not None:
                    on_reply(reply)
            if progress is not None:
                progress(len(replies), count)

        try:
            network.run_app(ping.app, look)
        finally:
            ping.stop()
        return PingResult(self.name, name, address, size, replies)

    def __repr__(self) -> str:
        return f"<weir.Host {self.name} {self.ip}>"


def check_whole(what: str, value: object, least: int) -> None:
    """Refuses what is no whole number, or one below ``least``.

    Raises:
        NetworkError: it is so.
    """
    if isinstance(value, bool) or not isinstance(value, int):
        raise NetworkError(f"{what}: {value!r} is no whole number")
    if not least <= value < 1 << 63:
        raise NetworkError(f"{what}: {value} is out of range: expected {least} or more")
