"""Addresses as people write them, checked."""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import (
    AddressValueError,
    IPv4Address,
    IPv4Interface,
    IPv4Network,
    IPv6Address,
    IPv6Interface,
    IPv6Network,
    NetmaskValueError,
)
from typing import Any

from weir.errors import TopologyError
from weir.jsonfile import describe

Mac = str
"""An Ethernet address in lower case with colons, such as ``08:00:00:00:01:11``."""

_MAC = re.compile(r"[0-9A-Fa-f]{2}([:-])[0-9A-Fa-f]{2}(?:\1[0-9A-Fa-f]{2}){4}")


@dataclass(frozen=True)
class HostAddress:
    """A host's address, of IPv4 or IPv6, and the length of its network's prefix in bits."""

    address: str
    prefix: int

    def __str__(self) -> str:
        return f"{self.address}/{self.prefix}"

    @property
    def network(self) -> IPv4Network | IPv6Network:
        """The network that the host is attached to."""
        return IPv6Interface(str(self)).network if ":" in self.address else IPv4Interface(str(self)).network


def host_address(value: Any) -> HostAddress:
    """Reads ``10.0.1.1/24``.

    Raises:
        TopologyError: it is no IPv4 address, has no prefix length, or no host can have it.
    """
    if not isinstance(value, str):
        raise TopologyError(f'expected an address such as "10.0.1.1/24", found {describe(value)}')
    address, slash, prefix = value.partition("/")
    ip = ipv4(address)
    if not slash:
        raise TopologyError(f'"{value}" has no prefix length', suggestion=f"{value}/24")
    if not prefix.isascii() or not prefix.isdigit() or int(prefix) > 32:
        raise TopologyError(f'"{prefix}" is no prefix length: expected 0 to 32')
    number = IPv4Address(ip)
    if number.is_multicast or number.is_unspecified or number == IPv4Address("255.255.255.255"):
        raise TopologyError(f"{ip} is no host's address")
    network = IPv4Interface(f"{ip}/{prefix}").network
    # Networks of one or two addresses have no broadcast address (RFC 3021).
    if network.prefixlen < 31 and number == network.broadcast_address:
        raise TopologyError(f"{ip} is its network's broadcast address, not a host's")
    return HostAddress(ip, int(prefix))


def ipv4(value: Any) -> str:
    """Reads ``10.0.1.1``.

    Raises:
        TopologyError: it is no IPv4 address.
    """
    if not isinstance(value, str):
        raise TopologyError(f'expected an IPv4 address such as "10.0.1.1", found {describe(value)}')
    try:
        return str(IPv4Address(value))
    except AddressValueError as error:
        if ":" in value:
            raise TopologyError(
                f'"{value}" is of IPv6, expected an IPv4 address such as "10.0.1.1"'
            ) from None
        reason = str(error).removesuffix(f" in {value!r}")
        raise TopologyError(f'"{value}" is no IPv4 address ({reason[:1].lower()}{reason[1:]})') from None


def host_address6(value: Any) -> HostAddress:
    """Reads ``2001:db8::1/64``.

    Raises:
        TopologyError: it is no IPv6 address, has no prefix length, or no host can have it.
    """
    if not isinstance(value, str):
        raise TopologyError(f'expected an address such as "2001:db8::1/64", found {describe(value)}')
    address, slash, prefix = value.partition("/")
    ip = ipv6(address)
    if not slash:
        raise TopologyError(f'"{value}" has no prefix length', suggestion=f"{value}/64")
    if not prefix.isascii() or not prefix.isdigit() or int(prefix) > 128:
        raise TopologyError(f'"{prefix}" is no prefix length: expected 0 to 128')
    number = IPv6Address(ip)
    if number.is_multicast or number.is_unspecified or number.is_loopback:
        raise TopologyError(f"{ip} is no host's address")
    return HostAddress(ip, int(prefix))


def ipv6(value: Any) -> str:
    """Reads ``2001:db8::1``.

    Raises:
        TopologyError: it is no IPv6 address.
    """
    try:
        return str(IPv6Address(value))
    except (AddressValueError, ValueError):
        raise TopologyError(f'"{value}" is no IPv6 address such as 2001:db8::1') from None


def address(value: Any) -> str:
    """Reads an address of IPv4 or, with colons in it, of IPv6.

    Raises:
        TopologyError: it is neither.
    """
    return ipv6(value) if isinstance(value, str) and ":" in value else ipv4(value)


def network(value: str) -> str:
    """Reads ``10.0.0.0/24`` or ``2001:db8::/32``; an address alone is a network of itself.

    Raises:
        TopologyError: it is no network, or has bits set past its prefix.
    """
    if ":" not in value:
        return str(ipv4_network(value))
    try:
        return str(IPv6Network(value))
    except (AddressValueError, NetmaskValueError):
        raise TopologyError(f'"{value}" is no IPv6 network such as 2001:db8::/32') from None
    except ValueError:
        near = str(IPv6Network(value, strict=False))
        raise TopologyError(f'"{value}" has bits set past its prefix', suggestion=near) from None


def ipv4_network(value: str) -> IPv4Network:
    """Reads ``10.0.0.0/24``.

    Raises:
        TopologyError: it is no IPv4 network, or has bits set past its prefix.
    """
    try:
        return IPv4Network(value)
    except (AddressValueError, NetmaskValueError):
        raise TopologyError(f'"{value}" is no IPv4 network such as 10.0.0.0/24') from None
    except ValueError:
        raise TopologyError(
            f'"{value}" has bits set past its prefix', suggestion=str(IPv4Network(value, strict=False))
        ) from None


def mac(value: Any) -> Mac:
    """Reads ``08:00:00:00:01:11`` or ``08-00-00-00-01-11``.

    Raises:
        TopologyError: it is no Ethernet address.
    """
    if not isinstance(value, str):
        raise TopologyError(f'expected a MAC address such as "08:00:00:00:01:11", found {describe(value)}')
    if not _MAC.fullmatch(value):
        raise TopologyError(
            f'"{value}" is no MAC address such as 08:00:00:00:01:11 (six pairs of hex digits)'
        )
    return value.lower().replace("-", ":")


def host_mac(value: Any) -> Mac:
    """Reads a MAC address that a host can have.

    Raises:
        TopologyError: it is no Ethernet address, or a group's, or all zero.
    """
    address = mac(value)
    if int(address[:2], 16) & 1:
        raise TopologyError(f"{address} is a group address (odd first byte): a host needs an individual one")
    if address == "00:00:00:00:00:00":
        raise TopologyError("a host cannot have the all-zero MAC address")
    return address
