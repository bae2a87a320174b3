"""Requests from a host, and many short flows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from weir import _core, units
from weir.errors import NetworkError
from weir.flows import ExchangeFlow
from weir.host.end import End
from weir.host.twins import waiting
from weir.keywords import keywords_are_told
from weir.traffic import Servers, check_flag, check_whole, exchange_settings, tcp_options

if TYPE_CHECKING:
    from weir.host import Host


@keywords_are_told
class Asking(End):
    """A host as it asks others, each exchange measured."""

    def start_requests(
        self,
        target: str | Host,
        count: int = 10,
        *,
        request: str | Sequence[str] = "100B",
        response: str | Sequence[str] | None = None,
        think: str | None = None,
        every: str | None = None,
        random: bool = True,
        keep: bool | None = None,
        udp: bool = False,
        timeout: str = "1s",
        tries: int = 1,
        congestion: str | None = None,
        port: int | None = None,
        server: Servers | None = None,
    ) -> ExchangeFlow:
        """Asks a host over TCP, one request after the other, or over UDP.

        Args:
            target: a host, its name, or an IP address.
            count: how many requests.
            request: bytes of each, such as ``"100B"``, or sizes of which each gets one at random.
            response: bytes that the target answers each with, ``"10kB"`` by default, of UDP ``"1kB"``; or sizes.
            think: the time between a response and the next request; none by default.
            every: instead, the time from one's beginning to the next one's, whether or not that has its response: with ``random`` the mean
                of a Poisson process, and sizes are means of exponential distributions.
            random: of ``every``.
            keep: of TCP, whether one connection serves all, as by default, or each request has one of its own, as it must with ``every``.
            udp: whether request and response are a datagram each.
            timeout: of UDP, how long to wait for a response.
            tries: of UDP, how often to send a request before it counts as failed.
            congestion: of TCP, as of :meth:`iperf`; it is the target's that matters for responses (``sysctl``).
            port: the target's port; 80 by default, of UDP 53.
            server: as of :meth:`iperf`; each exchange tells who served it, ``result.exchanges[0].server``.

        Raises:
            NetworkError: there is no such host, a number is out of range, the port is taken.
            UnitError: a time or size cannot be read.
        """
        check_flag("udp", udp)
        if keep is not None:
            check_flag("keep", keep)
        if think is not None and every is not None:
            raise NetworkError("think and every are given: expected one of them")
        if keep and every is not None:
            raise NetworkError("keep: with every, each request has a connection of its own")
        for name, value in {"keep": keep, "congestion": congestion}.items():
            if udp and value is not None:
                raise NetworkError(f"{name} is no matter of UDP")
        if not udp and (timeout, tries) != ("1s", 1):
            raise NetworkError(
                "timeout and tries are no matter of TCP: give udp=True for requests in datagrams"
            )
        _, address = self._target(target)
        exchanges = exchange_settings(
            address,
            (53 if udp else 80) if port is None else port,
            count,
            think=think,
            every=every,
            random=random,
            request=request,
            response=("1kB" if udp else "10kB") if response is None else response,
            keep=not udp and (every is None if keep is None else keep),
            udp=udp,
        )
        if not udp:
            return self._start_exchanges(address, exchanges, congestion, server)
        check_whole("tries", tries, 1)
        self._network.check_open()
        others = self._others(address, server)
        core = self._core.start_udp_exchanges(
            others, exchanges, units.time_ns(timeout, "timeout", "s"), tries
        )
        return ExchangeFlow(self._network.clock, core, self.name, others)

    requests = waiting(start_requests)

    def start_transfers(
        self,
        target: str | Host,
        count: int = 100,
        *,
        every: str = "10ms",
        size: str | Sequence[str] = "10kB",
        random: bool = True,
        congestion: str | None = None,
        port: int = 5201,
        server: Servers | None = None,
    ) -> ExchangeFlow:
        """Sends many short flows of TCP, a connection each.

        Args:
            target: a host, its name, or an IP address.
            count: how many flows.
            every: the time from one's beginning to the next one's; with ``random`` the mean of a Poisson process.
            size: how much each sends, or sizes of which each gets one at random; one size with ``random`` is the mean of an exponential
                distribution.
            random: whether times and sizes are drawn at random.
            congestion: as of :meth:`iperf`.
            port: the target's TCP port.
            server: as of :meth:`iperf`; each exchange tells who served it, ``result.exchanges[0].server``.

        Raises:
            NetworkError: there is no such host, a number is out of range, the port is taken.
            UnitError: a time or size cannot be read.
        """
        _, address = self._target(target)
        units.time_ns(every, "every")
        exchanges = exchange_settings(
            address,
            port,
            count,
            every=every,
            random=random,
            request=size,
            response="0B",
            what=("size", "response"),
        )
        return self._start_exchanges(address, exchanges, congestion, server)

    transfers = waiting(start_transfers)

    def _start_exchanges(
        self,
        address: str,
        exchanges: _core.ExchangeSettings,
        congestion: str | None,
        server: Servers | None,
    ) -> ExchangeFlow:
        self._network.check_open()
        others = self._others(address, server)
        core = self._core.start_exchanges(others, exchanges, tcp_options(congestion=congestion))
        return ExchangeFlow(self._network.clock, core, self.name, others)
