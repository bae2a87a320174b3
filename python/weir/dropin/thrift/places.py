"""Decides which clients stay connected, by the policy of the crate ``weir-accept`` for clients
without special rights.

A client is a newcomer until its first whole call. If too many newcomers wait, the source with the
most newcomers loses its oldest one. If too many clients have called, the one that has been idle for
the longest time makes room; a source gets at most three quarters of the places.
"""

from __future__ import annotations

import ipaddress
from collections import Counter
from collections.abc import Hashable
from typing import Generic, TypeVar

_Client = TypeVar("_Client", bound=Hashable)

NEWCOMERS = 64
"""The maximum number of clients that have not made a call yet."""
PLACES = 64
"""The maximum number of clients that have made a call."""


class Places(Generic[_Client]):
    """The clients of a server, and the rules that decide which client must leave."""

    def __init__(self, newcomers: int = NEWCOMERS, places: int = PLACES) -> None:
        self._most_newcomers = newcomers
        self._most = places
        self._of_a_source = places - places // 4
        # Newcomers in the order of their arrival, and callers in the order of their last calls.
        self._newcomers: dict[_Client, str] = {}
        self._callers: dict[_Client, str] = {}

    def arrive(self, client: _Client, address: str) -> _Client | None:
        """Notes that a client has connected; returns the client that must leave to make room for
        it, if any."""
        displaced = None
        if len(self._newcomers) >= self._most_newcomers:
            counts = Counter(self._newcomers.values())
            # If several sources have equally many newcomers, the source whose newcomer came first
            # loses it.
            most = max(counts, key=counts.__getitem__)
            displaced = next(newcomer for newcomer, source in self._newcomers.items() if source == most)
            del self._newcomers[displaced]
        self._newcomers[client] = source_of(address)
        return displaced

    def call(self, client: _Client) -> _Client | None:
        """Notes that a whole call of a client has arrived; returns the client that must leave to
        make room for it, if any."""
        if (source := self._callers.pop(client, None)) is not None:
            self._callers[client] = source
            return None
        source = self._newcomers.pop(client, None)
        if source is None:
            return None
        idle = None
        same = [caller for caller, other in self._callers.items() if other == source]
        if len(same) >= self._of_a_source:
            idle = same[0]
        elif len(self._callers) >= self._most:
            idle = next(iter(self._callers))
        if idle is not None:
            del self._callers[idle]
        self._callers[client] = source
        return idle

    def oldest(self) -> _Client | None:
        """Removes and returns the client that must leave if the process has no file descriptors
        left."""
        client = next(iter(self._newcomers), None) or next(iter(self._callers), None)
        if client is not None:
            self.leave(client)
        return client

    def leave(self, client: _Client) -> None:
        """Notes that a client has disconnected."""
        self._newcomers.pop(client, None)
        self._callers.pop(client, None)


def source_of(address: str) -> str:
    """Returns the source that limits count for the address of a client.

    All addresses of the loopback interface are one source. All addresses of an IPv6 network of 64
    bits are one source, too.
    """
    ip = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(ip, ipaddress.IPv6Address):
        if ip.ipv4_mapped is not None:
            ip = ip.ipv4_mapped
        elif not ip.is_loopback:
            return str(ipaddress.ip_network((ip, 64), strict=False))
    return "loopback" if ip.is_loopback else str(ip)
