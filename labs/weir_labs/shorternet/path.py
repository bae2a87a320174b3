"""The lab's network: hosts at both ends of a path of three switches (thesis, figure 3.2)."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, Final

import weir
from weir.lab import switches_of, within
from weir.network import WorldName, computers

FOLDER: Final = Path(__file__).resolve().parent

SWITCHES: Final = 3
"""The number of switches on the path: a packet passes s1, s3 and s2."""

LINKS: Final = SWITCHES + 1

QUEUE_PACKETS: Final = 64
"""The maximum number of packets that wait at each end of a link: as many as in a queue of BMv2."""

PAIRS: Final = range(1, 101)
"""The numbers of pairs of hosts."""


@cache
def program(name: str) -> weir.Program:
    """Compiles a program of the lab, once in each process."""
    return weir.compile(FOLDER / f"{name}.p4")


def path(stack: str, rate: str | None = "1Gbit", *, pairs: int = 1) -> weir.Topology:
    """Creates the topology senders – s1 – s3 – s2 – receivers.

    The hosts h1, h2, … are senders at ports 1, 2, … of s1; the receivers, at the same ports of s2,
    have the next numbers. h1 sends to the last one: with two pairs that is h4, as in the thesis.
    Port 0 of s1 and s2 leads to s3.

    Args:
        stack: ``shorternet`` or ``standard``.
        rate: the rate of all links; ``None`` for links that take no time.
        pairs: the number of pairs of hosts, one of :data:`PAIRS`.
    """
    within("pairs", pairs, PAIRS)
    if stack not in ("shorternet", "standard"):
        raise ValueError(f"stack={stack}: expected shorternet or standard")
    topology = weir.Topology()
    hosts = [(number, "s1" if number <= pairs else "s2") for number in range(1, 2 * pairs + 1)]
    for number, switch in hosts:
        gateway = f"10.0.{number}.254"
        topology.add_host(
            f"h{number}",
            f"10.0.{number}.1/24",
            f"08:00:00:00:{number:02x}:01",
            gateway=gateway,
            arp={gateway: _port_mac(switch, _host_port(number, pairs))},
        )
    for switch in ("s1", "s3", "s2"):
        entries = _entries(switch, pairs) if stack == "shorternet" else None
        topology.add_switch(switch, entries=entries)
    for number, switch in hosts:
        _link(topology, f"h{number}", f"{switch}-p{_host_port(number, pairs)}", rate)
    _link(topology, "s1-p0", "s3-p1", rate)
    _link(topology, "s3-p2", "s2-p0", rate)
    return topology


def network(
    stack: str,
    rate: str | None = "1Gbit",
    *,
    pairs: int = 1,
    p4: str | None = None,
    profile: str | weir.Profile = "default",
    computer: weir.Computer | None = None,
    seed: int = 1,
    world: WorldName = "virtual",
    switch: str = "weir",
) -> weir.Network:
    """Starts the network of :func:`path`.

    Args:
        stack: ``shorternet`` or ``standard``.
        rate: the rate of all links; ``None`` for links that take no time.
        pairs: the number of pairs of hosts.
        p4: the name of another program for the switches, such as ``extra``.
        profile: the timing profile of the switches, or the name of a computer.
        computer: the computer that switches and hosts share, in place of a profile.
        seed: the seed of all random numbers.
        world: see :class:`weir.Network`.
        switch: the kind of switch in the Linux world, see :class:`weir.Network`.
    """
    topology, code = path(stack, rate, pairs=pairs), program(p4 or stack)
    if isinstance(profile, str) and is_computer(profile):
        profile, computer = "default", weir.Computer.named(profile)
    switches = switches_of(world, switch)
    return weir.Network(
        topology, code, profile=profile, computer=computer, seed=seed, world=world, switches=switches
    )


def is_computer(profile: str) -> bool:
    """Returns whether the value of a parameter ``profile`` names a computer, or a file with one."""
    return profile in computers() or profile.endswith(".json")


def known_profile(profile: str) -> weir.Profile | weir.Computer:
    """Finds the profile or the computer that has this name.

    Raises:
        NetworkError: there is neither a profile nor a computer of that name.
        FileError: the computer's file cannot be read.
    """
    return weir.Computer.named(profile) if is_computer(profile) else weir.Profile.named(profile)


def pass_ns(profile: str) -> int:
    """Returns the time of a pass in nanoseconds; on a computer, the processor time of a switch for
    a packet."""
    profile_or_computer = known_profile(profile)
    return (
        profile_or_computer.switch_ns
        if isinstance(profile_or_computer, weir.Computer)
        else profile_or_computer.pass_latency_ns
    )


def receiver(sender: int, pairs: int) -> int:
    """Returns the number of the host to which a host sends."""
    return 2 * pairs + 1 - sender


def _entries(switch: str, pairs: int) -> dict[str, Any]:
    """Builds the entries of a Shorternet switch as runtime JSON, with an entry for each host by its
    number."""
    return {
        "target": "bmv2",
        "table_entries": [
            {
                "table": "MyIngress.hosts",
                "match": {"hdr.shorternet.dst": number},
                "action_name": "MyIngress.forward",
                "action_params": {"port": _port(switch, number, pairs)},
            }
            for number in range(1, 2 * pairs + 1)
        ],
    }


def _port(switch: str, number: int, pairs: int) -> int:
    """Returns the port of a switch towards a host."""
    own_switch = "s1" if number <= pairs else "s2"
    if switch == "s3":
        return 1 if own_switch == "s1" else 2
    return _host_port(number, pairs) if switch == own_switch else 0


def _host_port(number: int, pairs: int) -> int:
    return number if number <= pairs else number - pairs


def _port_mac(switch: str, port: int) -> str:
    return f"08:00:00:01:{int(switch[1:]):02x}:{port:02x}"


def _link(topology: weir.Topology, a: str, b: str, rate: str | None) -> None:
    topology.add_link(a, b, rate=rate, queue=f"{QUEUE_PACKETS}p")
