"""Hosts of both kinds talk: pings, datagrams and TCP through the gateways."""

from __future__ import annotations

from typing import Any, Final

import polars as pl

import weir
from weir import units
from weir.network import profiles
from weir.packets import ETHERNET_BYTES, IPV4_BYTES

from .frames import SHORTERNET_BYTES
from .hybrid_network import Member, hybrid_network, member, refusals
from .node import ECHO_PORT, Node

_PORT: Final = 5000
_PING_BYTES: Final = 8 + 56
_SWITCHES: Final = ("g1", "s1", "g2")
_PINGS: Final = (
    ("h1", "h2"),
    ("h1", "n3"),
    ("h1", "n4"),
    ("h1", "h5"),
    ("n3", "h1"),
    ("n4", "h1"),
    ("n3", "n4"),
)


class _Collector(weir.HostProgram):
    """Counts the datagrams that arrive at a host with the expected content."""

    def __init__(self, content: bytes) -> None:
        self.right = self.wrong = 0
        self._content = content

    def on_datagram(self, datagram: weir.Datagram) -> None:
        """Compares a datagram with the expected content."""
        if datagram.payload == self._content:
            self.right += 1
        else:
            self.wrong += 1


@weir.experiment(pings=[100], datagrams=[1000], seconds=[2], rate=["100Mbit"])
def hybrid(pings: int, datagrams: int, seconds: int, rate: str, seed: int) -> dict[str, Any]:
    """Can ordinary hosts talk to Shorternet hosts, and to each other across Shorternet?"""
    content = bytes(range(100))
    with hybrid_network(rate, seed=seed) as net:
        nodes = {name: net.host(name).run(Node(), frames=True) for name in ("n3", "n4")}
        rows = [_ping(net, nodes, source, target, pings, rate) for source, target in _PINGS]
        collector = net.host("h2").run(_Collector(content), udp=_PORT)
        for number in range(datagrams):
            net.after(f"{100 * number}us", lambda: nodes["n3"].send_datagram(2, _PORT, content))
            net.after(
                f"{100 * number + 50}us", lambda: collector.send_udp(member("n4").address, ECHO_PORT, content)
            )
            net.after(
                f"{100 * number + 70}us", lambda: collector.send_udp(member("n4").address, _PORT, content)
            )
        net.run_for(f"{100 * datagrams + 10_000}us")
        udp = net.host("h1").iperf("h5", udp=True, count=datagrams, length="1000B", rate="50Mbit")
        tcp = net.host("h1").iperf("h5", duration=f"{seconds}s", interval=None)
        refused = sum(refusals(net).values())
    return {
        "round_trips": pl.DataFrame(rows),
        # h2 receives the datagrams of n3. Its own datagrams come back from n4.
        "to_ordinary": collector.right,
        "damaged": collector.wrong + sum(node.refused for node in nodes.values()),
        "to_node": len(nodes["n4"].datagrams),
        "across_sent": udp.sent,
        "across_lost": udp.lost,
        "tcp_mbps": tcp.goodput_mbps,
        "tcp_retransmits": tcp.retransmits,
        "refused": refused,
    }


def _ping(
    net: weir.Network, nodes: dict[str, Node], source: str, target: str, count: int, rate: str
) -> dict[str, Any]:
    """Pings one host from another, each of either kind; returns a row with the results."""
    ends = member(source), member(target)
    if source in nodes:
        for _ in range(count):
            nodes[source].ping(ends[1].number, bytes(56))
            net.run_for("10ms")
        # A program numbers all its pings; the last ones are those of this call.
        rtts = [*nodes[source].rtts_ns.values()][-count:]
        nodes[source].rtts_ns.clear()
        received, mean_ms = len(rtts), sum(rtts) / len(rtts) / 1e6 if rtts else None
    else:
        trips = net.host(source).ping(ends[1].address, count=count, interval="10ms")
        received, mean_ms = trips.received, trips.rtt_avg_ms
    return {
        "source": source,
        "target": target,
        "sent": count,
        "received": received,
        "rtt_ms": mean_ms,
        "predicted_ms": _predicted_ns(*ends, units.rate_bps(rate)) / 1e6,
    }


def _predicted_ns(source: Member, target: Member, rate_bps: int) -> int:
    """Computes the round trip in nanoseconds of a ping with 56 bytes of data, if the ping never
    waits."""
    hops = abs(_SWITCHES.index(source.switch) - _SWITCHES.index(target.switch))
    inside, outside = SHORTERNET_BYTES + _PING_BYTES, ETHERNET_BYTES + IPV4_BYTES + _PING_BYTES
    sizes = [outside if end.ordinary else inside for end in (source, target)] + [inside] * hops
    transmissions = sum(-(-size * 8 * 1_000_000_000 // rate_bps) for size in sizes)
    return 2 * (transmissions + (hops + 1) * profiles()["default"].pass_latency_ns)
