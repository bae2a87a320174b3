"""Requests and short flows between real hosts, and their reports."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weir._core import Exchange
from weir.errors import NetworkError
from weir.linux.agent import Agent
from weir.linux.services.exchange import HEADER, MAX_REQUESTS
from weir.linux.tcp import check_options
from weir.linux.traffic import LinuxTraffic

if TYPE_CHECKING:
    from weir._core import ExchangeSettings, TcpOptionsOf
    from weir.linux.network_base import NetworkBase


class ExchangeTraffic(LinuxTraffic):
    """Requests that a host is sending.

    Args:
        network: the network of the hosts.
        host: the host that sends the requests.
        servers: the hosts that may answer.
        settings: the settings, as in ``weir._core.Host.start_exchanges``.
        options: the options of TCP connections; ``None`` for datagrams.
        timeout: nanoseconds that a datagram waits for its response.
        tries: how often a datagram is sent.
    """

    def __init__(
        self,
        network: NetworkBase,
        host: str,
        servers: list[str],
        settings: ExchangeSettings,
        options: TcpOptionsOf | None,
        timeout: int = 0,
        tries: int = 1,
    ) -> None:
        if options is not None:
            check_options(options)
        if min(settings["request"]) < HEADER.size and not settings["request_exponential"]:
            raise NetworkError(
                f"request: {min(settings['request'])} bytes are too few for real hosts, where a request "
                f"says its number and sizes: expected {HEADER.size}B or more"
            )
        if settings["count"] > MAX_REQUESTS:
            raise NetworkError(f"count: expected {MAX_REQUESTS} or fewer on real hosts")
        address, port = settings["to"]
        udp = options is None
        kind = "exchange.ExchangeServer"
        self._network, self._names = network, servers
        self._servers = [network.servers.take(kind, name, port, address, port, udp) for name in servers]
        self._first = network.servers.flow() * MAX_REQUESTS % (1 << 32)
        for server in self._servers:
            server.ask("mark", self._first, settings["tos"])
        arguments = settings, options, self._first, timeout, tries
        client = Agent(network.namespaces, host, "exchange.ExchangeClient", network.origin, *arguments)
        super().__init__(client)
        self._exchanges: list[Exchange] = []

    def exchanges(self, servers: list[str]) -> tuple[list[Exchange], str | None]:
        """Returns the exchanges begun with these servers so far, and the reason if no exchange
        could begin."""
        return (self._exchanges if self._done else self._make()), None

    def settle(self) -> None:
        """Stores the exchanges, and ends the services."""
        self._exchanges = self._make()
        for server in self._servers:
            self._network.servers.release(server)
        self.close()

    def _make(self) -> list[Exchange]:
        arrivals: dict[int, tuple[int | None, str | None]] = {}
        for name, server in zip(self._names, self._servers, strict=True):
            for number, time in server.ask("arrivals", self._first).items():
                arrivals.setdefault(number - self._first, (time, name))
        exchanges = []
        for number, row in enumerate(self._agents[0].ask("rows")):
            arrived, served = arrivals.get(number, (None, None))
            # An exchange without a response ends when its request has arrived.
            end = arrived if row.end is not None and not row.response else row.end
            times = arrived, end
            exchanges.append(
                Exchange(row.start, row.request, row.response, *times, row.retransmits, row.failure, served)
            )
        return exchanges
