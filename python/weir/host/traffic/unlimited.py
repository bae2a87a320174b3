"""Bounds the payload of TCP flows whose rate nothing limits, and warns about them."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING

from weir.errors import WeirWarning

if TYPE_CHECKING:
    from weir.owners.network import Network

MAX_BYTES = 1_000_000_000
"""The payload in bytes after which flows without any limit end, in total for parallel flows."""

_FAST_PASSES_PER_S = 10_000_000
"""The number of passes per second from which on a switch hardly slows a flow down."""


def payload_limit(network: Network, host: str, servers: Sequence[str], parallel: int) -> int | None:
    """Returns the maximum payload of each parallel flow if no link or switch limits the rate, and
    warns of this maximum; otherwise returns ``None``."""
    if not _is_unlimited(network, host, servers):
        return None
    warnings.warn(
        "TCP over unlimited links: nothing limits the flow, and a virtual second may take hours, so "
        f"it ends after {MAX_BYTES // 10**9} GB. Give the links a rate, or the flow a rate or a size",
        WeirWarning,
        stacklevel=5,
    )
    return max(1, MAX_BYTES // parallel)


def _is_unlimited(network: Network, host: str, servers: Sequence[str]) -> bool:
    """Returns whether only unlimited links and fast switches lie between a host and a server.

    Queueing disciplines and real computers also limit the rate.
    """
    if network.computer is not None:
        return False
    slow = {switch.name for switch in network.switches if switch.profile.capacity < _FAST_PASSES_PER_S}
    neighbours: dict[str, list[str]] = {}
    for link, spec in zip(network.links, network.topology.links, strict=True):
        ends = (network._core.interface(end.node, end.number) for end in (spec.a, spec.b))
        if link.rate_bps is None and link.up and all(end.packet_limit is not None for end in ends):
            for here, there in ((spec.a.node, spec.b.node), (spec.b.node, spec.a.node)):
                neighbours.setdefault(here, []).append(there)
    reached, ahead = {host}, [host]
    while ahead:
        for node in neighbours.get(ahead.pop(), ()):
            if node not in reached and node not in slow:
                reached.add(node)
                ahead.append(node)
    return any(server in reached for server in servers)
