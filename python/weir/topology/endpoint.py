"""The ends of links: hosts' interfaces and switches' ports."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from weir.errors import TopologyError
from weir.jsonfile import describe
from weir.suggest import listing, nearest
from weir.topology.host_spec import HostSpec

_SWITCH_END = re.compile(r"(.+)-p([0-9]+)")
_HOST_END = re.compile(r"(.+)-eth([0-9]+)")

MAX_PORT = 510
"""The largest port of v1model's 9 bits; 511 is its drop port."""


@dataclass(frozen=True)
class Endpoint:
    """One end of a link: a host (``port`` is None) and its interface, or a switch and its port."""

    node: str
    port: int | None = None
    interface: int = 0

    @property
    def number(self) -> int:
        """The port's number, or the interface's."""
        return self.interface if self.port is None else self.port

    @property
    def interface_name(self) -> str:
        """Such as ``h1-eth0`` or ``s1-p2``."""
        return f"{self.node}-eth{self.interface}" if self.port is None else f"{self.node}-p{self.port}"

    def __str__(self) -> str:
        if self.port is not None:
            return f"{self.node}-p{self.port}"
        return f"{self.node}-eth{self.interface}" if self.interface else self.node


def check_port(port: int) -> int:
    """Refuses a port number that a switch cannot have."""
    if not 0 <= port <= MAX_PORT:
        raise TopologyError(f"port {port} is out of range: a switch has ports 0 to {MAX_PORT}")
    return port


def read_end(text: Any, hosts: Mapping[str, HostSpec], switches: Collection[str]) -> Endpoint:
    """Reads ``h1``, ``h1-eth1``, ``s1-p1`` or ``s1`` and finds the node.

    Raises:
        TopologyError: there is no such node, or the port is out of range.
    """
    if not isinstance(text, str):
        raise TopologyError(f'expected a link\'s end such as "h1" or "s1-p1", found {describe(text)}')
    if text in hosts or text in switches:
        return Endpoint(text)
    match = _SWITCH_END.fullmatch(text)
    if match and match[1] in switches:
        return Endpoint(match[1], check_port(int(match[2])))
    interface = _HOST_END.fullmatch(text)
    if interface and interface[1] in hosts:
        host, number = hosts[interface[1]], int(interface[2])
        if number < len(host.interfaces):
            return Endpoint(host.name, interface=number)
        last = f"{host.name}-eth{len(host.interfaces) - 1}"
        raise TopologyError(f'{host.name} has no interface "eth{number}"', suggestion=last)
    if match and match[1] in hosts:
        raise TopologyError(f'a host has no ports: "{text}"', suggestion=match[1])
    known = [*hosts, *switches]
    node = text.partition("-")[0]
    if node in switches:
        raise TopologyError(
            f'cannot read the port in "{text}": expected a switch and its port', suggestion=f"{node}-p1"
        )
    suggestion = nearest(match[1] if match else node, known)
    if match and suggestion in switches:
        suggestion = f"{suggestion}-p{match[2]}"
    expected = "" if suggestion else f" (known: {listing(known)})"
    raise TopologyError(f'there is no host or switch "{text}"{expected}', suggestion=suggestion)
