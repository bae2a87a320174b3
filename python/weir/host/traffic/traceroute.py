"""Finds the routers on a path with probes of increasing time to live."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weir.errors.checks import check_whole
from weir.host.traffic.peer import peer_address
from weir.host.traffic.ping import start_ping
from weir.measure import Hop, TracerouteResult

if TYPE_CHECKING:
    from weir.owners.network import Host


def traceroute(
    self: Host,
    target: str | Host,
    *,
    max_hops: int = 30,
    probes: int = 3,
    timeout: str = "1s",
    family: int | None = None,
    tos: int = 0,
) -> TracerouteResult:
    """Finds the routers on the path to a target, as ``traceroute -I`` does.

    Echo requests are sent with a time to live of 1, 2 and so on until the target answers. A switch
    is among the routers only if its program sends ICMP time exceeded for packets whose time to live
    has expired.

    Args:
        target: a host, its name, or an IP address.
        max_hops: the largest time to live, 1 to 255.
        probes: requests for each time to live, one after the other.
        timeout: virtual time that each probe waits for its answer.
        family: 4 or 6: the version of IP, if the target is a name; by default IPv4 if it has such
            an address.
        tos: the type of service of the probes; see :meth:`ping`.

    Raises:
        NetworkError: there is no such host, or a number is out of range.
        UnitError: the time cannot be read.
    """
    clock = self._network._clock
    clock.check_open()
    check_whole("max_hops", max_hops, 1, 255)
    check_whole("probes", probes, 1)
    name, address = target if isinstance(target, str) else target.name, peer_address(self, target, family)
    hops = []
    with clock.call():
        for ttl in range(1, max_hops + 1):
            replies = [
                start_ping(self, address, 1, ttl=ttl, tos=tos, timeout=timeout).wait().replies[0]
                for _ in range(probes)
            ]
            hops.append(Hop(ttl, replies))
            if hops[-1].reached:
                break
    return TracerouteResult(self.name, name, address, max_hops, hops)
