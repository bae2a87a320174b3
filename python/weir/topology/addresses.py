"""Addresses of Ethernet, IPv4 and IPv6."""

from __future__ import annotations

from dataclasses import dataclass
from ipaddress import IPv4Interface, IPv4Network, IPv6Interface, IPv6Network

Mac = str
"""An Ethernet address in lower case with colons, such as ``08:00:00:00:01:11``."""


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
