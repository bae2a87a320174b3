"""Names and addresses that must be unique in a topology."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any

from weir.errors import TopologyError
from weir.topology.addresses import Mac
from weir.topology.host_spec import HostSpec

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.]*")


def check_name(name: Any, taken: Collection[str]) -> str:
    """Refuses a node's name that is in use, or that looks like a port or a command."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise TopologyError(
            f"{name!r} is not a name for a node: use letters, digits, _ and ., a letter first"
        )
    if name in taken:
        raise TopologyError(f'there already is a node "{name}"')
    return name


def check_addresses(host: HostSpec, hosts: Mapping[str, HostSpec]) -> None:
    """Refuses a host with an address that itself or another host already has."""
    others = [
        (other.name, interface)
        for other in [*hosts.values(), *([] if host.name in hosts else [host])]
        for interface in other.interfaces
    ]
    for own in host.interfaces:
        for name, interface in others:
            if interface is own:
                continue
            shared = {a.address for a in own.addresses} & {a.address for a in interface.addresses}
            if shared:
                raise TopologyError(f"{name} already has the address {sorted(shared)[0]}")
            if interface.mac == own.mac:
                raise TopologyError(f"{name} already has the MAC address {own.mac}")


def next_mac(hosts: Mapping[str, HostSpec]) -> Mac:
    """An Ethernet address that no host has: the next free one from ``08:00:00:00:00:01`` on."""
    taken = {interface.mac for host in hosts.values() for interface in host.interfaces}
    numbers = range(1, len(taken) + 2)
    candidates = (f"08:00:00:{n >> 16 & 255:02x}:{n >> 8 & 255:02x}:{n & 255:02x}" for n in numbers)
    return next(mac for mac in candidates if mac not in taken)
