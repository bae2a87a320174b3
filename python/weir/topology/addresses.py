"""Reads and checks addresses of Ethernet, IPv4 and IPv6."""

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
    """A host's IPv4 or IPv6 address, and the length of its network's prefix in bits."""

    address: str
    prefix: int

    def __str__(self) -> str:
        return f"{self.address}/{self.prefix}"

    @property
    def network(self) -> IPv4Network | IPv6Network:
        """The network that the host is attached to."""
        return IPv6Interface(str(self)).network if ":" in self.address else IPv4Interface(str(self)).network


@dataclass(frozen=True)
class _Family:
    """A version of IP: the form of its addresses and networks."""

    name: str
    example: str
    bits: int
    usual_prefix: int
    address: type[IPv4Address] | type[IPv6Address]
    network: type[IPv4Network] | type[IPv6Network]


_V4 = _Family("IPv4", "10.0.1.1", 32, 24, IPv4Address, IPv4Network)
_V6 = _Family("IPv6", "2001:db8::1", 128, 64, IPv6Address, IPv6Network)


def host_address(value: Any) -> HostAddress:
    """Reads ``10.0.1.1/24``.

    Raises:
        TopologyError: it is not an IPv4 address, has no prefix length, or no host can have it.
    """
    own = _host_address(value, _V4)
    number = IPv4Address(own.address)
    if number == IPv4Address("255.255.255.255"):
        raise TopologyError(f"{own.address} cannot be the address of a host")
    # Networks of one or two addresses have no broadcast address (RFC 3021).
    if own.prefix < 31 and number == own.network.broadcast_address:
        raise TopologyError(f"{own.address} is its network's broadcast address, not a host's")
    return own


def host_address6(value: Any) -> HostAddress:
    """Reads ``2001:db8::1/64``.

    Raises:
        TopologyError: it is not an IPv6 address, has no prefix length, or no host can have it.
    """
    return _host_address(value, _V6)


def ipv4(value: Any) -> str:
    """Reads ``10.0.1.1``.

    Raises:
        TopologyError: it is not an IPv4 address.
    """
    return _address(value, _V4)


def ipv6(value: Any) -> str:
    """Reads ``2001:db8::1``.

    Raises:
        TopologyError: it is not an IPv6 address.
    """
    return _address(value, _V6)


def address(value: Any) -> str:
    """Reads an address of IPv4 or, with colons in it, of IPv6.

    Raises:
        TopologyError: it is neither.
    """
    return _address(value, _V6 if isinstance(value, str) and ":" in value else _V4)


def network(value: str) -> str:
    """Reads ``10.0.0.0/24`` or ``2001:db8::/32``; an address alone is a network of itself.

    Raises:
        TopologyError: it is not a network, or has bits set past its prefix.
    """
    family = _V6 if ":" in value else _V4
    try:
        return str(family.network(value))
    except (AddressValueError, NetmaskValueError):
        example = "10.0.0.0/24" if family is _V4 else "2001:db8::/32"
        raise TopologyError(f'"{value}" is not an {family.name} network such as {example}') from None
    except ValueError:
        near = str(family.network(value, strict=False))
        raise TopologyError(f'"{value}" has bits set past its prefix', suggestion=near) from None


def _address(value: Any, family: _Family) -> str:
    if not isinstance(value, str):
        raise TopologyError(
            f'expected an {family.name} address such as "{family.example}", found {describe(value)}'
        )
    try:
        return str(family.address(value))
    except AddressValueError as error:
        if family is _V4 and ":" in value:
            raise TopologyError(
                f'"{value}" is an IPv6 address, expected an IPv4 address such as "10.0.1.1"'
            ) from None
        reason = str(error).removesuffix(f" in {value!r}")
        raise TopologyError(
            f'"{value}" is not an {family.name} address ({reason[:1].lower()}{reason[1:]})'
        ) from None


def _host_address(value: Any, family: _Family) -> HostAddress:
    example = f"{family.example}/{family.usual_prefix}"
    if not isinstance(value, str):
        raise TopologyError(f'expected an address such as "{example}", found {describe(value)}')
    text, slash, prefix = value.partition("/")
    ip = _address(text, family)
    if not slash:
        raise TopologyError(f'"{value}" has no prefix length', suggestion=f"{value}/{family.usual_prefix}")
    if not prefix.isascii() or not prefix.isdigit() or int(prefix) > family.bits:
        raise TopologyError(f'"{prefix}" is not a prefix length: expected 0 to {family.bits}')
    number = family.address(ip)
    if number.is_multicast or number.is_unspecified or (family is _V6 and number.is_loopback):
        raise TopologyError(f"{ip} cannot be the address of a host")
    return HostAddress(ip, int(prefix))


def mac(value: Any) -> Mac:
    """Reads ``08:00:00:00:01:11`` or ``08-00-00-00-01-11``.

    Raises:
        TopologyError: it is not an Ethernet address.
    """
    if not isinstance(value, str):
        raise TopologyError(f'expected a MAC address such as "08:00:00:00:01:11", found {describe(value)}')
    if not _MAC.fullmatch(value):
        raise TopologyError(
            f'"{value}" is not a MAC address such as 08:00:00:00:01:11 (six pairs of hex digits)'
        )
    return value.lower().replace("-", ":")


def host_mac(value: Any) -> Mac:
    """Reads a MAC address that a host can have.

    Raises:
        TopologyError: it is not an Ethernet address, or a group's, or all zero.
    """
    address = mac(value)
    if int(address[:2], 16) & 1:
        raise TopologyError(f"{address} is a group address (odd first byte): a host needs an individual one")
    if address == "00:00:00:00:00:00":
        raise TopologyError("a host cannot have the all-zero MAC address")
    return address
