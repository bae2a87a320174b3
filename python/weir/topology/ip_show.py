"""A host's interfaces, routes and neighbours, printed as ``ip`` prints them."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable

from weir.topology.host_spec import HostSpec

Neighbours = Callable[[int], Iterable[tuple[str, str | None, bool]]]
"""The neighbours at an interface: IP address, MAC address if known, whether permanent."""


def show(command: str, host: HostSpec, neighbours: Neighbours) -> str | None:
    """The output of ``ip [-4|-6] addr|link|route|neigh [show]``; None for other commands."""
    words = shlex.split(command)
    if words[:1] == ["sudo"]:
        words = words[1:]
    family = words.pop(1) if words[1:2] in (["-4"], ["-6"]) else None
    if not words or words[0].rpartition("/")[2] != "ip" or words[2:] not in ([], ["show"], ["list"], ["ls"]):
        return None

    def wanted(address: str) -> bool:
        return family is None or (":" in address) == (family == "-6")

    match words[1:2]:
        case ["addr" | "address" | "a"]:
            lines = _interfaces(host, wanted, True)
        case ["link" | "l"]:
            lines = _interfaces(host, wanted, False)
        case ["route" | "r" | "ro"]:
            lines = _routes(host, wanted)
        case ["neigh" | "neighbor" | "neighbour" | "n"]:
            lines = [
                f"{address} dev eth{number} {_state(mac, fixed)}"
                for number in range(len(host.interfaces))
                for address, mac, fixed in neighbours(number)
                if wanted(address)
            ]
        case _:
            return None
    return "".join(f"{line}\n" for line in lines)


def _interfaces(host: HostSpec, wanted: Callable[[str], bool], addresses: bool) -> list[str]:
    lines = []
    for number, interface in enumerate(host.interfaces):
        state = "UP" if interface.up else "DOWN"
        lines.append(f"{number + 1}: eth{number}: <BROADCAST,{state}> mtu {interface.mtu} state {state}")
        lines.append(f"    link/ether {interface.mac}")
        for own in interface.addresses if addresses else []:
            if wanted(own.address):
                lines.append(
                    f"    {'inet6' if ':' in own.address else 'inet'} {own} scope global eth{number}"
                )
    return lines


def _routes(host: HostSpec, wanted: Callable[[str], bool]) -> list[str]:
    lines = []
    for route in host.routes:
        if wanted(route.network):
            target = "default" if route.network in ("0.0.0.0/0", "::/0") else route.network
            via = "" if route.gateway is None else f" via {route.gateway}"
            lines.append(f"{target}{via} dev eth{route.interface}")
    for number, interface in enumerate(host.interfaces):
        for own in interface.addresses:
            if wanted(own.address):
                lines.append(f"{own.network} dev eth{number} proto kernel scope link src {own.address}")
    return lines


def _state(mac: str | None, fixed: bool) -> str:
    if mac is None:
        return "INCOMPLETE"
    return f"lladdr {mac} {'PERMANENT' if fixed else 'REACHABLE'}"
