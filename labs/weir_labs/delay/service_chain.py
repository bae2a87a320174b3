"""The network of the experiment "thresholds", a chain of switches with cross traffic."""

from __future__ import annotations

from typing import Any, Final

import weir

from .chain import port_mac, program
from .machines import Machine

SWITCHES: Final = 3

LINK_MBPS: Final = 10
QUEUE_RATE: Final = "9.8Mbit"
"""The rate of a port's queues. The links must be slightly faster than the queues, because switches
add the time to a packet after the queue has counted the packet's length. Otherwise packets would
wait at the link, where priority has no effect."""
QUEUE_DEPTH: Final = 64
"""The capacity of each of a port's two queues, in packets."""

FUNCTION_DELAY: Final = "1ms"
FUNCTION_JITTER: Final = weir.impairments.Exponential("1ms")
"""The time that a service function between two switches adds. The function keeps the order of
packets."""

_BACK, _FORWARD, _SOURCE, _SINK = 1, 2, 3, 4  # ports of a switch


def service_chain(machine: Machine, switches: int = SWITCHES, has_functions: bool = True) -> weir.Topology:
    """Creates the topology h1 – s1 – … – sN – h2, with hosts whose traffic uses one link of the
    chain.

    Host xN at switch sN sends to yN at the next switch; the last host sends to h2. Port 1 of each
    switch leads to h1, port 2 to h2, and ports 3 and 4 to xN and yN−1.

    Args:
        machine: the timing of the hosts.
        switches: the number of switches, 1 to 100.
        has_functions: whether there is a service function between switches, or only a link.
    """
    places = {"h1": (1, _BACK), "h2": (switches, _FORWARD)}
    places |= {f"x{number}": (number, _SOURCE) for number in range(1, switches + 1)}
    places |= {f"y{number}": (number + 1, _SINK) for number in range(1, switches)}
    topology = weir.Topology()
    for index, (name, (switch, port)) in enumerate(places.items(), start=1):
        host = topology.add_host(
            name,
            f"{address(index)}/24",
            _host_mac(index),
            gateway=f"10.0.{index}.254",
            arp={f"10.0.{index}.254": port_mac(switch, port)},
        )
        if machine.computer is None:
            host.processing_ns, host.processing_jitter_ns = machine.host_ns, machine.host_jitter_ns
    for number in range(1, switches + 1):
        topology.add_switch(
            f"s{number}",
            entries=_entries(number, places),
            priorities=2,
            queue_rate=QUEUE_RATE,
            queue_depth=QUEUE_DEPTH,
        )
    for name, (switch, port) in places.items():
        topology.add_link(name, f"s{switch}-p{port}", rate=f"{LINK_MBPS}Mbit" if name == "h2" else None)
    for number in range(1, switches):
        topology.add_link(
            f"s{number}-p{_FORWARD}",
            f"s{number + 1}-p{_BACK}",
            rate=f"{LINK_MBPS}Mbit",
            delay=FUNCTION_DELAY if has_functions else "0ms",
            jitter=FUNCTION_JITTER if has_functions else None,
        )
    return topology


def network(
    machine: Machine,
    *,
    switches: int = SWITCHES,
    has_functions: bool = True,
    seed: int = 1,
    noise: str = "none",
) -> weir.Network:
    """Starts the network of a service chain; see :func:`service_chain`.

    Args:
        machine: the timing of switches and hosts.
        switches: the number of switches.
        has_functions: whether there is a service function between switches.
        seed: the seed of all random numbers.
        noise: see :class:`weir.Network`.
    """
    topology = service_chain(machine, switches, has_functions)
    if machine.computer is not None:
        return weir.Network(
            topology, program("thresholds"), computer=machine.computer, seed=seed, noise=noise
        )
    return weir.Network(topology, program("thresholds"), profile=machine.profile, seed=seed, noise=noise)


def address(index: int) -> str:
    """Returns the IPv4 address of the host with this number; h1 is 1, h2 is 2."""
    return f"10.0.{index}.1"


def _host_mac(index: int) -> str:
    return f"08:00:00:00:00:{index:02x}"


def _entries(number: int, places: dict[str, tuple[int, int]]) -> dict[str, Any]:
    """Builds the table entries of a switch: a route to each host, and the MAC addresses for each
    port."""
    entries = []
    for index, (switch, port) in enumerate(places.values(), start=1):
        if switch == number:
            out, mac = port, _host_mac(index)
            entries.append(_entry("Ingress.entry_ports", "ingress_port", port, "remove_stamp", {}))
        elif switch > number:
            out, mac = _FORWARD, port_mac(number + 1, _BACK)
        else:
            out, mac = _BACK, port_mac(number - 1, _FORWARD)
        entries.append(
            {
                "table": "MyIngress.ipv4_lpm",
                "match": {"hdr.ipv4.dstAddr": [address(index), 32]},
                "action_name": "MyIngress.ipv4_forward",
                "action_params": {"dstAddr": mac, "port": out},
            }
        )
    hosts_at = {port for switch, port in places.values() if switch == number}
    for port in (_BACK, _FORWARD, _SOURCE, _SINK):
        action = "set_source_and_leave" if port in hosts_at else "set_source"
        source = {"srcAddr": port_mac(number, port)}
        entries.append(_entry("Egress.port_mac", "egress_port", port, action, source))
    return {"target": "bmv2", "table_entries": entries}


def _entry(table: str, key: str, port: int, action: str, params: dict[str, Any]) -> dict[str, Any]:
    """Builds an entry of a table whose key is a port. The names are given without the prefix
    ``My``."""
    control = table.partition(".")[0]
    return {
        "table": f"My{table}",
        "match": {f"standard_metadata.{key}": port},
        "action_name": f"My{control}.{action}",
        "action_params": params,
    }
