"""Many short flows over TCP."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from weir import units
from weir.flows import ExchangeFlow
from weir.host.traffic.exchanges import exchange_settings, start_tcp_exchanges
from weir.host.traffic.peer import peer_address

if TYPE_CHECKING:
    from weir.owners.network import Host, Servers


def start_transfers(
    self: Host,
    target: str | Host,
    count: int = 100,
    *,
    every: str = "10ms",
    size: str | Sequence[str] = "10kB",
    random: bool = True,
    congestion: str | None = None,
    port: int = 5201,
    server: Servers | None = None,
    family: int | None = None,
    tos: int = 0,
) -> ExchangeFlow:
    """Sends many short flows over TCP, each over its own connection.

    Args:
        target: a host, its name, or an IP address.
        count: number of flows.
        every: time from the start of one flow to the start of the next; with ``random`` the mean of
            a Poisson process.
        size: bytes that each flow sends, or several sizes from which each draws one at random; one
            size with ``random`` is the mean of an exponential distribution.
        random: whether times and sizes are random.
        congestion: see :meth:`iperf`.
        port: the target's TCP port.
        server: see :meth:`iperf`; ``result.exchanges[0].server`` is the host that served a flow.
        family: see :meth:`iperf`.
        tos: see :meth:`iperf`.

    Raises:
        NetworkError: there is no such host, a number is out of range, or the port is in use.
        UnitError: a time or size cannot be read.
    """
    address = peer_address(self, target, family)
    units.time_ns(every, "every")
    exchanges = exchange_settings(
        address,
        port,
        count,
        every=every,
        random=random,
        request=size,
        response="0B",
        names=("size", "response"),
        tos=tos,
    )
    return start_tcp_exchanges(self, address, exchanges, congestion, server)
