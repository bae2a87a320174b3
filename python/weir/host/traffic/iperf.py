"""Flows as iperf sends them: TCP as fast as possible, or UDP at a fixed rate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Unpack, overload

from weir import units
from weir.flows import FlowPlan, IperfOptions, TcpFlow, UdpFlow
from weir.host.blocking import begin, describe, finish
from weir.host.traffic.streams import start_streams
from weir.measure import FlowResult, UdpResult

if TYPE_CHECKING:
    from weir.owners.network import Host, Servers


@overload
def start_iperf(
    self: Host, target: str | Host, *, udp: Literal[True], **options: Unpack[IperfOptions]
) -> UdpFlow: ...


@overload
def start_iperf(
    self: Host, target: str | Host, *, udp: Literal[False] = False, **options: Unpack[IperfOptions]
) -> TcpFlow: ...


@overload
def start_iperf(
    self: Host, target: str | Host, *, udp: bool, **options: Unpack[IperfOptions]
) -> TcpFlow | UdpFlow: ...


def start_iperf(
    self: Host,
    target: str | Host,
    *,
    udp: bool = False,
    rate: str | None = None,
    duration: str | None = None,
    size: str | None = None,
    count: int | None = None,
    length: str | None = None,
    parallel: int = 1,
    reverse: bool = False,
    interval: str | None = "1s",
    port: int = 5201,
    source_port: int | None = None,
    server: Servers | None = None,
    family: int | None = None,
    tos: int = 0,
    linger: str = "2s",
    packets: bool = False,
    congestion: str | None = None,
    mss: str | None = None,
    window: str | None = None,
    ecn: bool | None = None,
    sack: bool | None = None,
    ip_options: bytes = b"",
    trace: bool = False,
) -> TcpFlow | UdpFlow:
    """Sends a flow to another host, or lets the other host send one, as iperf does.

    Without ``udp``, a TCP connection sends as much as it can, and the sender closes it. After its
    duration it sends no more data; data in flight still arrives and counts.

    Args:
        target: a host, its name, or an IP address.
        udp: send datagrams at a fixed rate instead.
        rate: UDP: payload bits per second of each flow, ``"1Mbit"`` by default; TCP: a rate for
            pacing (bits of IP packets).
        duration: how long to send; ``"10s"`` unless ``size`` or ``count`` is given.
        size: payload that each flow sends instead, such as ``"10MB"``; with UDP rounded up to whole
            datagrams.
        count: UDP only: number of datagrams that each flow sends instead.
        length: UDP only: payload of a datagram, ``"16B"`` or more; ``"1470B"`` by default, over
            IPv6 ``"1450B"``, as in iperf.
        parallel: number of flows at the same time.
        reverse: the target sends, on the connection that this host opens, or in response to a first
            datagram from this host.
        interval: length of the result's intervals; ``None`` for none.
        port: the target's port.
        source_port: UDP only: this host's port for the first flow, the next one for the second, and
            so on; free ports by default.
        server: the receiving host, if a data plane rewrites addresses so that another host than the
            one with the target's address receives the flow. Several hosts, such as ``("h2",
            "h3")``, if the data plane chooses: ``result.streams[0].server`` is the host that
            served.
        family: 4 or 6: the version of IP, if the target is a name; by default IPv4 if it has such
            an address.
        tos: the type of service of the flow's packets, in both directions, 0 to 255: the DSCP times
            four. With IPv6 it is the traffic class. With TCP, TCP itself sets the two low bits
            (ECN), and the SYN-ACK has no DSCP.
        linger: UDP only: how long to wait for missing datagrams after the last arrival.
        packets: UDP only: whether to record each datagram's delay in ``result.streams[0].delays``.
        congestion: TCP only: ``"reno"``, ``"cubic"`` or ``"bbr"`` as in Linux, ``"cubic-rfc"`` or
            ``"bbr-draft"``; by default the sending host's setting, which is ``"cubic"`` unless it
            was changed.
        mss: TCP only: the largest payload of a segment, options included, such as ``"1460B"``; by
            default what the MTU allows.
        window: TCP only: maximum number of bytes in flight, such as ``"64kB"``; 4 MiB by default.
        ecn: TCP only: whether to use explicit congestion notification.
        sack: TCP only: whether to use selective acknowledgements.
        ip_options: TCP only: the IPv4 options of the SYN.
        trace: TCP only: whether to record each segment and acknowledgement,
            ``result.streams[0].trace``, and ``delays``.

    Raises:
        NetworkError: there is no such host, a number is out of range, or a port is in use.
        UnitError: a rate, time or size cannot be read.
    """
    bits = units.rate_bps("1Mbit" if rate is None else rate, "rate") if udp else 0
    plan = FlowPlan(
        udp=udp,
        pattern=("constant", bits, 1, 0, False) if udp else None,
        pacing=None if udp else rate,
        duration=duration,
        size=size,
        count=count,
        length=length,
        parallel=parallel,
        reverse=reverse,
        interval=interval,
        port=port,
        source_port=source_port,
        server=server,
        family=family,
        tos=tos,
        linger=linger,
        packets=packets,
        congestion=congestion,
        mss=mss,
        window=window,
        ecn=ecn,
        sack=sack,
        ip_options=ip_options,
        trace=trace,
    )
    return start_streams(self, target, plan)


@overload
def iperf(
    self: Host, target: str | Host, *, udp: Literal[True], **options: Unpack[IperfOptions]
) -> UdpResult: ...


@overload
def iperf(
    self: Host, target: str | Host, *, udp: Literal[False] = False, **options: Unpack[IperfOptions]
) -> FlowResult: ...


@overload
def iperf(
    self: Host, target: str | Host, *, udp: bool, **options: Unpack[IperfOptions]
) -> FlowResult | UdpResult: ...


def iperf(self: Host, target: str | Host, **options: Any) -> FlowResult | UdpResult:
    """Sends a flow as iperf does, and waits until it has finished; see :func:`start_iperf`."""
    result: FlowResult | UdpResult = finish(begin(start_iperf, self, target, **options))
    return result


# `blocking` would lose the overloads of this function.
describe(iperf, start_iperf)
