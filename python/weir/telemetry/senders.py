"""The senders whose datagrams a listener accepts."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from ipaddress import IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from weir.errors import NetworkError, shown


class Senders:
    """The IP addresses and networks from which datagrams are accepted.

    Args:
        allowed: addresses such as ``10.0.1.1`` and networks such as ``10.0.0.0/8`` or
            ``2001:db8::/32``.

    Raises:
        NetworkError: a string is neither an address nor a network.
    """

    def __init__(self, allowed: Iterable[str]) -> None:
        self._networks = [_network(sender) for sender in allowed]
        # The cache is bounded, so that a flood with forged addresses does not fill the memory.
        self._accepts = lru_cache(maxsize=4096)(self._is_allowed)

    def __bool__(self) -> bool:
        """Returns whether the list has entries; an empty list accepts all senders."""
        return bool(self._networks)

    def accepts(self, host: str) -> bool:
        """Returns whether datagrams from an address, as sockets name it, are accepted."""
        return self._accepts(host)

    def _is_allowed(self, host: str) -> bool:
        address = ip_address(host.partition("%")[0])
        if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
            # At a socket for both IPv4 and IPv6, IPv4 addresses have this form.
            address = address.ipv4_mapped
        return any(address in network for network in self._networks)

    def __str__(self) -> str:
        return ", ".join(map(str, self._networks)) or "any sender"


def _network(text: str) -> IPv4Network | IPv6Network:
    try:
        return ip_network(text)
    except ValueError as error:
        raise NetworkError(
            f"sender {shown(text)}: expected an address or a network such as 10.0.0.0/8: {error}"
        ) from None
