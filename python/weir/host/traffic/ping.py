"""ICMP echo requests."""

from __future__ import annotations

from collections.abc import Callable
from ipaddress import ip_interface
from typing import TYPE_CHECKING

from weir import units
from weir.clock import Progress
from weir.errors import NetworkError
from weir.errors.checks import check_calls, check_flag, check_whole
from weir.flows import MAX_DATAGRAM, PingFlow
from weir.host.traffic.peer import peer_address
from weir.measure import PingReply

if TYPE_CHECKING:
    from weir.owners.network import Host


def _check_one_host(host: Host, address: str) -> None:
    """Refuses the address of a ping if it is a broadcast address of one of the host's networks.

    Raises:
        NetworkError: the address is a broadcast address.
    """
    if ":" in address:
        return
    interfaces = host._network.topology.hosts[host.name].interfaces
    own = [ip_interface(str(own)).network for interface in interfaces for own in interface.addresses]
    broadcasts = [str(net.broadcast_address) for net in own if net.version == 4 and net.num_addresses > 2]
    if address in ("255.255.255.255", *broadcasts):
        raise NetworkError(
            f"{address} is a broadcast address, but ping sends to one host: expected its name or address"
        )


def start_ping(
    self: Host,
    target: str | Host,
    count: int = 3,
    *,
    size: int = 56,
    interval: str = "1s",
    timeout: str | None = None,
    flood: bool = False,
    ttl: int = 64,
    family: int | None = None,
    tos: int = 0,
    progress: Progress | None = None,
    on_reply: Callable[[PingReply], None] | None = None,
) -> PingFlow:
    """Sends ICMP echo requests.

    Args:
        target: a host, its name, or an IP address.
        count: number of requests, 1 or more.
        size: data bytes in each request, at most 65507.
        interval: virtual time between two requests.
        timeout: virtual time that each request waits for its reply; ten seconds by default. By
            default, the ping also ends when all requests are sent, some have been answered, and no
            reply has arrived for the longest of these times: twice the longest round-trip time so
            far, ``interval``, one second. Requests without a reply then count as lost.
        flood: send the next request as soon as the last one is answered, or after 10 ms;
            ``interval`` is ignored.
        ttl: the time to live of the requests, 1 to 255.
        family: 4 or 6: the version of IP, if the target is a name; by default IPv4 if it has such
            an address.
        tos: the type of service of the requests, 0 to 255: the DSCP times four, plus ECN. With IPv6
            it is the traffic class. Hosts reply with the same one, as Linux does.
        progress: called repeatedly while the network runs, with the number of requests that were
            answered or have timed out, and with ``count``.
        on_reply: called for each request when it is answered or has timed out, in the order of the
            requests' numbers.

    Only hosts with IPv6 answer requests to a multicast group, as in Linux, where
    ``net.ipv4.icmp_echo_ignore_broadcasts`` is 1; the first reply counts. A request to an IPv4
    group needs a route.

    Raises:
        NetworkError: there is no such host, the address is a broadcast address, or a number is out
            of range.
        UnitError: a time cannot be read.
    """
    self._network._clock.check_open()
    check_whole("count", count, 1)
    check_whole("size", size, 0)
    if size > MAX_DATAGRAM:
        raise NetworkError(f"ping: {size} bytes of payload; expected at most {MAX_DATAGRAM}")
    check_whole("ttl", ttl, 1, 255)
    check_whole("tos", tos, 0, 255)
    check_flag("flood", flood)
    check_calls(progress=progress, on_reply=on_reply)
    address = peer_address(self, target, family)
    _check_one_host(self, address)
    name = target if isinstance(target, str) else target.name
    interval_ns = 10_000_000 if flood else units.time_ns(interval, "interval", "s")
    timeout_ns = None if timeout is None else units.time_ns(timeout, "timeout", "s")
    mark = self._network._clock.losses.mark()
    core = self._core.start_ping(address, count, size, interval_ns, timeout_ns, flood, ttl, tos)
    ends = self.name, name, address
    return PingFlow(self._network._clock, core, ends, size, count, progress, on_reply, mark)
