"""Starts the streams of a flow according to its plan."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from weir.flows import FlowPlan, Stream, TcpFlow, UdpFlow, sender_and_receiver
from weir.host.traffic import unlimited
from weir.host.traffic.peer import peer_address, receivers
from weir.text.suggest import listing

if TYPE_CHECKING:
    from weir.owners.network import Host


_LENGTH_V6 = "1450B"
"""The default payload of a datagram over IPv6, in bytes."""


def start_streams(host: Host, target: str | Host, plan: FlowPlan) -> TcpFlow | UdpFlow:
    """Starts the streams of a flow between a host and a target.

    Raises:
        NetworkError, UnitError: as in :meth:`weir.Host.start_iperf`.
    """
    clock = host._network._clock
    clock.check_open()
    plan.check()
    address = peer_address(host, target, plan.family)
    if plan.udp and plan.length is None and ":" in address:
        # This is iperf's default: with the longer header of IPv6, 1470 bytes would need two
        # fragments.
        plan = replace(plan, length=_LENGTH_V6)
    settings, options = plan.settings(address), plan.tcp_options()
    servers = receivers(host, address, plan.server)
    source, sink = sender_and_receiver(host.name, listing(servers), plan.reverse)
    mark = clock.losses.mark()
    if plan.udp:
        udp = (host._core.start_udp(servers, settings, plan.udp_settings(n)) for n in range(plan.parallel))
        return UdpFlow(clock, source, sink, [Stream(core, plan, host.name, servers) for core in udp], mark)
    given = plan.tcp_settings()
    if plan.pattern is None and plan.size is None and plan.pacing is None:
        given["bytes"] = unlimited.payload_limit(host._network, host.name, servers, plan.parallel)
    tcp = (host._core.start_tcp(servers, settings, given, options) for _ in range(plan.parallel))
    return TcpFlow(clock, source, sink, [Stream(core, plan, host.name, servers) for core in tcp], mark)
