"""Networks with several bottlenecks: switches in a row, with flows over one link or all links."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import weir
from weir import units

from .star import SERVER, address, host, host_mac, port_mac, route_entry, runtime, scheme_entry, set_capacity

_TO_NEXT, _TO_LAST, _FIRST_HOST = 1, 2, 3  # ports of a switch


@dataclass(frozen=True)
class Flow:
    """A flow over neighbouring links.

    Attributes:
        source: the host that sends.
        target: the host that receives.
        first: the first link, from 0.
        last: the last link.
        weight: the flow's weight.
    """

    source: str
    target: str
    first: int
    last: int
    weight: int

    @property
    def links(self) -> range:
        """The numbers of the links that the flow crosses."""
        return range(self.first, self.last + 1)


SCENARIOS: Final = ("one-link", "parking-lot", "two-bottlenecks", "legacy-switch", "seven-links")
"""The names of the scenarios of :func:`scenario_flows` and :func:`link_rates_bps`."""


def link_rates_bps(scenario: str, rate: str) -> list[int]:
    """Returns the rates of the links between switches in a scenario, in bit/s.

    Raises:
        ValueError: there is no such scenario.
    """
    bits = units.rate_bps(rate)
    if scenario not in SCENARIOS:
        raise ValueError(f"scenario={scenario}: expected {', '.join(SCENARIOS)}")
    if scenario == "seven-links":
        # The slowest link is neither among the first three nor among the last three.
        return [bits, bits, bits, bits // 2, bits, bits, bits]
    return {
        "one-link": [bits],
        "parking-lot": [bits] * 3,
        "two-bottlenecks": [bits, bits // 2],
        "legacy-switch": [bits, bits * 10, bits],
    }[scenario]


def scenario_flows(scenario: str, weights: Sequence[int]) -> list[Flow]:
    """Returns the flows of a scenario: h1 sends over all links, and another host over each link.

    Args:
        scenario: one of :data:`SCENARIOS`; ``one-link`` has three flows, ``legacy-switch`` and
            ``seven-links`` two.
        weights: the weights of h1, h2, …; they repeat if there are fewer weights than flows.
    """
    links = len(link_rates_bps(scenario, "1Mbit"))
    spans = [(0, links - 1)]
    if scenario == "one-link":
        spans += [(0, 0), (0, 0)]
    elif scenario == "legacy-switch":
        spans += [(0, links - 1)]
    elif scenario == "seven-links":
        spans += [(3, 3)]
    else:
        spans += [(link, link) for link in range(links)]
    return [
        Flow(
            f"h{place + 1}",
            SERVER if place == 0 else f"r{place + 1}",
            first,
            last,
            weights[place % len(weights)],
        )
        for place, (first, last) in enumerate(spans)
    ]


def line(
    rates: Sequence[int], flows: Sequence[Flow], rtt: str, queue: str, legacy: Sequence[int] = ()
) -> weir.Topology:
    """Creates the topology s1 – s2 – …, with the hosts of all flows.

    Args:
        rates: the rates of the links between switches, in bit/s.
        flows: the flows, whose sources and targets are at the switches where they begin and end.
        rtt: the round-trip time of each link between switches.
        queue: the queue in front of each link.
        legacy: the numbers of switches that do not know the scheme and only route.
    """
    topology = weir.Topology()
    ends = [(flow.source, flow.first + 1) for flow in flows] + [
        (flow.target, flow.last + 2) for flow in flows
    ]
    switches = range(1, len(rates) + 2)
    ports = dict.fromkeys(switches, _FIRST_HOST)
    places: list[tuple[str, int, int, int]] = []
    for number, (name, switch) in enumerate(ends, start=1):
        topology.add_host(**host(name, number, switch, ports[switch]))
        places.append((name, number, switch, ports[switch]))
        ports[switch] += 1
    for switch in switches:
        rows = [] if switch in legacy else [scheme_entry(switch, "1s", "1s")]
        for _, number, at, port in places:
            if at == switch:
                rows.append(route_entry(address(number), host_mac(number), port))
            elif at > switch:
                rows.append(route_entry(address(number), port_mac(switch + 1, _TO_LAST), _TO_NEXT))
            else:
                rows.append(route_entry(address(number), port_mac(switch - 1, _TO_NEXT), _TO_LAST))
        topology.add_switch(f"s{switch}", entries=runtime(rows))
    for name, _, switch, port in places:
        topology.add_link(name, f"s{switch}-p{port}", rate="1Gbit", queue=queue)
    delay = f"{units.time_ns(rtt, 'rtt') // 2}ns"
    for switch, bits in enumerate(rates, start=1):
        ends = (f"s{switch}-p{_TO_NEXT}", f"s{switch + 1}-p{_TO_LAST}")
        topology.add_link(*ends, rate=f"{bits}bit", delay=delay, queue=queue)
    return topology


def manage_line(network: weir.Network, rates: Sequence[int], legacy: Sequence[int] = ()) -> None:
    """Configures each switch with the capacity of the link to the next switch."""
    for switch, bits in enumerate(rates, start=1):
        if switch not in legacy:
            set_capacity(network, f"s{switch}", _TO_NEXT, f"{bits}bit")


def shares_bps(rates: Sequence[int], flows: Sequence[Flow]) -> list[Fraction]:
    """Computes the rate of each flow in bit/s by the paper's equation, without the reserve."""
    total = [sum(flow.weight for flow in flows if link in flow.links) for link in range(len(rates))]
    return [min(Fraction(rates[link] * flow.weight, total[link]) for link in flow.links) for flow in flows]


def max_min_rates_bps(rates: Sequence[int], flows: Sequence[Flow]) -> list[Fraction]:
    """Computes the weighted max-min fair rate of each flow in bit/s, which uses links fully."""
    bits_left = [Fraction(bits) for bits in rates]
    rates_bps: dict[Flow, Fraction] = {}
    while len(rates_bps) < len(flows):
        active = [flow for flow in flows if flow not in rates_bps]
        total = {
            link: sum(flow.weight for flow in active if link in flow.links) for link in range(len(rates))
        }
        link = min((link for link in total if total[link]), key=lambda link: bits_left[link] / total[link])
        unit = bits_left[link] / total[link]
        for flow in active:
            if link in flow.links:
                rates_bps[flow] = unit * flow.weight
                for one in flow.links:
                    bits_left[one] -= rates_bps[flow]
    return [rates_bps[flow] for flow in flows]
