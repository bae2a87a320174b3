"""The hybrid network: Shorternet inside, and gateways to hosts with Ethernet and IPv4."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import weir

from .path import FOLDER

REASONS: Final = (
    "no_header",
    "options",
    "bad_checksum",
    "bad_length",
    "fragment",
    "expired",
    "protocol",
    "icmp_error",
    "unknown_source",
    "unknown_target",
    "too_long",
)
"""The reasons why a gateway refuses a packet, in the order of its counter (``refusals.p4``)."""

SWITCH_REASONS: Final = ("too_short", "expired", "unknown_target")
"""The reasons why a Shorternet switch refuses a packet, in the order of its counter
(``shorternet.p4``)."""

MTU: Final = 1500
"""The MTU of the Ethernet links, in bytes of an IPv4 packet."""


@dataclass(frozen=True)
class Member:
    """A host of the hybrid network.

    Attributes:
        number: the host's number in Shorternet; the host's name is ``h`` or ``n`` with this number.
        switch: the switch that it is connected to.
        port: the switch's port.
        ordinary: whether it uses Ethernet and IPv4; otherwise it uses Shorternet.
    """

    number: int
    switch: str
    port: int
    ordinary: bool

    @property
    def name(self) -> str:
        """The name of the host: ``h1``, or ``n3`` in Shorternet."""
        return f"{'h' if self.ordinary else 'n'}{self.number}"

    @property
    def address(self) -> str:
        """The host's IPv4 address.

        Gateways know the address of a Shorternet host; the host itself does not.
        """
        return f"10.0.{self.number}.1"

    @property
    def mac(self) -> str:
        """The Ethernet address of the host's interface."""
        return f"08:00:00:00:{self.number:02x}:01"

    @property
    def gateway_mac(self) -> str:
        """The Ethernet address of the switch port to which the host is connected."""
        return f"08:00:00:01:{int(self.switch[1:]):02x}:{self.port:02x}"


MEMBERS: Final = (
    Member(1, "g1", 1, True),
    Member(2, "g1", 2, True),
    Member(3, "s1", 3, False),
    Member(4, "g2", 1, False),
    Member(5, "g2", 2, True),
)
"""The hosts of the hybrid network."""

_SWITCH_PORTS: Final = {"g1": {"s1": 9, "g2": 9}, "s1": {"g1": 1, "g2": 2}, "g2": {"g1": 9, "s1": 9}}
"""For each switch, the port towards each other switch."""


def hybrid_topology(rate: str | None = "100Mbit") -> weir.Topology:
    """Creates the topology h1, h2 – g1 – s1 – g2 – n4, h5, with n3 at s1.

    Args:
        rate: the rate of all links; ``None`` for links that take no time.
    """
    topology = weir.Topology()
    for member in MEMBERS:
        gateway = f"10.0.{member.number}.254"
        topology.add_host(
            member.name,
            f"{member.address}/24",
            member.mac,
            gateway=gateway,
            arp={gateway: member.gateway_mac},
        )
    for switch in ("g1", "s1", "g2"):
        program = FOLDER / ("shorternet.p4" if switch == "s1" else "gateway.p4")
        topology.add_switch(switch, p4=program, entries=entries(switch))
    for member in MEMBERS:
        topology.add_link(member.name, f"{member.switch}-p{member.port}", rate=rate)
    topology.add_link("g1-p9", "s1-p1", rate=rate)
    topology.add_link("s1-p2", "g2-p9", rate=rate)
    return topology


def hybrid_network(rate: str | None = "100Mbit", *, seed: int = 1) -> weir.Network:
    """Starts the network of :func:`hybrid_topology`.

    Args:
        rate: the rate of all links; ``None`` for links that take no time.
        seed: the seed of all random numbers.
    """
    return weir.Network(hybrid_topology(rate), seed=seed)


def entries(switch: str) -> dict[str, Any]:
    """Builds the entries of a switch, as runtime JSON."""
    if switch == "s1":
        rows = [
            _row("hosts", "hdr.shorternet.dst", one.number, "forward", {"port": _port(switch, one)})
            for one in MEMBERS
        ]
        return {"target": "bmv2", "table_entries": rows}
    rows = []
    for one in MEMBERS:
        is_local, port = one.switch == switch, _port(switch, one)
        rows += [
            _row(
                "sender_numbers", "hdr.shorternet.src", one.number, "sender_address", {"address": one.address}
            ),
            _row(
                "sender_addresses", "hdr.ipv4.srcAddr", one.address, "sender_number", {"number": one.number}
            ),
        ]
        if is_local and one.ordinary:
            macs = {"srcMac": one.gateway_mac, "dstMac": one.mac}
            translated = {"port": port, "address": one.address, **macs, "mtu": MTU}
            rows += [
                _row("numbers", "hdr.shorternet.dst", one.number, "to_ethernet", translated),
                _row("addresses", "hdr.ipv4.dstAddr", one.address, "route", {"port": port, **macs}),
            ]
        else:
            to_number = {"port": port, "number": one.number}
            rows += [
                _row("numbers", "hdr.shorternet.dst", one.number, "forward", {"port": port}),
                _row("addresses", "hdr.ipv4.dstAddr", one.address, "to_shorternet", to_number),
            ]
    inside = [one.port for one in MEMBERS if one.switch == switch and not one.ordinary]
    ports = [{"value_set": "MyParser.shorternet_ports", "members": [*inside, 9]}]
    return {"target": "bmv2", "table_entries": rows, "value_set_entries": ports}


def member(name: str) -> Member:
    """Finds a host by its name."""
    (member_of_name,) = (candidate for candidate in MEMBERS if candidate.name == name)
    return member_of_name


def refusals(net: weir.Network) -> dict[str, int]:
    """Counts the packets that each switch has refused for each reason, such as ``g1.expired``."""
    return {
        f"{switch}.{reason}": net.switch(switch).counter("refused")[place].packets
        for switch in ("g1", "s1", "g2")
        for place, reason in enumerate(SWITCH_REASONS if switch == "s1" else REASONS)
    }


def _port(switch: str, one: Member) -> int:
    return one.port if one.switch == switch else _SWITCH_PORTS[switch][one.switch]


def _row(table: str, key: str, value: int | str, action: str, params: dict[str, Any]) -> dict[str, Any]:
    return {
        "table": f"MyIngress.{table}",
        "match": {key: value},
        "action_name": f"MyIngress.{action}",
        "action_params": params,
    }
