"""Describes which table of a program holds routes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class RouteTable:
    """The names of a program's routing table, action and parameters.

    If a name is ``None``, Weir determines it from the program.

    ``RouteTable()`` finds tables annotated with ``@route``; without any, the table whose only key
    is an IPv4 or IPv6 address with match kind ``lpm``. A route's action has one parameter of 9
    bits, the port, and may have one of 48 bits, the next hop's Ethernet address.

    Attributes:
        table: the table's control-plane name, such as ``MyIngress.ipv4_lpm``, or the last part of
            the name.
        action: the action that forwards a packet.
        port: the action's parameter for the port.
        mac: the action's parameter for the next hop's Ethernet address.
    """

    table: str | None = None
    action: str | None = None
    port: str | None = None
    mac: str | None = None
