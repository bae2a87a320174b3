"""Requests from a host, each with a response."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from weir import units
from weir.errors import NetworkError
from weir.errors.checks import check_flag, check_whole
from weir.flows import ExchangeFlow
from weir.host.traffic.exchanges import exchange_settings, start_tcp_exchanges
from weir.host.traffic.peer import peer_address, receivers

if TYPE_CHECKING:
    from weir.owners.network import Host, Servers


def start_requests(
    self: Host,
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
    family: int | None = None,
    tos: int = 0,
) -> ExchangeFlow:
    """Sends requests to a host over TCP or UDP, one after the other, and receives the responses.

    Args:
        target: a host, its name, or an IP address.
        count: number of requests.
        request: bytes of each request, such as ``"100B"``, or several sizes from which each request
            draws one at random.
        response: bytes of each response: ``"10kB"`` by default, with UDP ``"1kB"``; or several
            sizes.
        think: time between a response and the next request; none by default.
        every: instead of ``think``, the time from the start of one request to the start of the
            next, even if the response is still missing. With ``random`` it is the mean of a Poisson
            process, and sizes are means of exponential distributions.
        random: whether ``every`` is random.
        keep: TCP only: whether all requests use one connection (the default) or each opens its own
            (required with ``every``).
        udp: whether each request and each response is a datagram.
        timeout: UDP only: how long to wait for a response.
        tries: UDP only: how often a request is sent before it counts as failed.
        congestion: TCP only: see :meth:`iperf`. Responses use the target's setting (``sysctl``).
        port: the target's port; 80 by default, with UDP 53.
        server: see :meth:`iperf`; ``result.exchanges[0].server`` is the host that served an
            exchange.
        family: see :meth:`iperf`.
        tos: see :meth:`iperf`.

    Raises:
        NetworkError: there is no such host, a number is out of range, or the port is in use.
        UnitError: a time or size cannot be read.
    """
    check_flag("udp", udp)
    if keep is not None:
        check_flag("keep", keep)
    if think is not None and every is not None:
        raise NetworkError("think and every are given: expected one of them")
    if keep and every is not None:
        raise NetworkError("keep and every are given: with every, each request has its own connection")
    for name, value in {"keep": keep, "congestion": congestion}.items():
        if udp and value is not None:
            raise NetworkError(f"{name} does not apply to UDP")
    if not udp and (timeout, tries) != ("1s", 1):
        raise NetworkError("timeout and tries do not apply to TCP: give udp=True for requests in datagrams")
    address = peer_address(self, target, family)
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
        tos=tos,
    )
    if not udp:
        return start_tcp_exchanges(self, address, exchanges, congestion, server)
    check_whole("tries", tries, 1)
    self._network._clock.check_open()
    servers = receivers(self, address, server)
    timeout_ns = units.time_ns(timeout, "timeout", "s")
    mark = self._network._clock.losses.mark()
    core = self._core.start_udp_exchanges(servers, exchanges, timeout_ns, tries)
    return ExchangeFlow(self._network._clock, core, self.name, servers, mark)
