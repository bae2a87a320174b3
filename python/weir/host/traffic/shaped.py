"""Flows whose packets do not leave at a fixed rate: at random times, or in bursts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from weir import units
from weir.errors.checks import check_flag
from weir.flows import FlowOptions, FlowPlan, TcpFlow, UdpFlow
from weir.host.traffic.streams import start_streams

if TYPE_CHECKING:
    from weir.owners.network import Host


def start_poisson(
    self: Host, target: str | Host, rate: str, *, udp: bool = True, **options: Unpack[FlowOptions]
) -> UdpFlow | TcpFlow:
    """Sends datagrams as a Poisson process: the times between them are exponentially distributed.

    Args:
        target: a host, its name, or an IP address.
        rate: the mean, in payload bits per second.
        udp: if ``False``, an application writes ``length`` bytes to a TCP connection at these
            times.
        options: the options of :meth:`iperf`, except the rate.

    Raises:
        NetworkError, UnitError: as for :meth:`iperf`.
    """
    pattern = ("poisson", units.rate_bps(rate, "rate"), 1, 0, False)
    return start_streams(self, target, FlowPlan(udp=udp, pattern=pattern, **options))


def start_on_off(
    self: Host,
    target: str | Host,
    rate: str,
    *,
    on: str,
    off: str,
    random: bool = True,
    udp: bool = True,
    **options: Unpack[FlowOptions],
) -> UdpFlow | TcpFlow:
    """Sends datagrams in bursts with silence between them.

    Args:
        target: a host, its name, or an IP address.
        rate: payload bits per second within a burst.
        on: length of a burst, such as ``"500ms"``.
        off: silence between two bursts.
        random: whether ``on`` and ``off`` are means of exponentially distributed times, or exact
            times.
        udp: if ``False``, an application writes to a TCP connection instead, ``length`` bytes at a
            time; bytes that do not fit into the send buffer wait.
        options: the options of :meth:`iperf`, except the rate.

    Raises:
        NetworkError, UnitError: as for :meth:`iperf`.
    """
    check_flag("random", random)
    times = units.time_ns(on, "on"), units.time_ns(off, "off")
    pattern = ("on-off", units.rate_bps(rate, "rate"), *times, random)
    return start_streams(self, target, FlowPlan(udp=udp, pattern=pattern, **options))
