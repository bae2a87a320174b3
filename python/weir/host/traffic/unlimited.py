"""TCP flows whose rate nothing limits: their payload is bounded, with a warning."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING

from weir.errors import WeirWarning

if TYPE_CHECKING:
    from weir.owners.network import Network

MAX_BYTES = 1_000_000_000
"""The payload after which such flows end, sum of all parallel ones."""

_FAST = 10_000_000
"""Passes per second from which on a switch does not slow a flow down noticeably."""


def payload_limit(network: Network, host: str, servers: Sequence[str], parallel: int) -> int | None:
    """The maximum payload of each of some parallel flows, if no link or switch limits their rate.

    Warns if it returns a maximum. None if something limits the rate.
    """
    if not _is_unlimited(network, host, servers):
        return None
    warnings.warn(
        f"TCP over unlimited links: nothing limits the flow, and a virtual second may take hours, so it ends after "
        f"{MAX_BYTES // 10**9} GB. Give the links a rate, or the flow a rate or a size",
        WeirWarning,
        stacklevel=5,
    )
    return max(1, MAX_BYTES // parallel)


def _is_unlimited(network: Network, host: str, servers: Sequence[str]) -> bool:
    """Whether unlimited links and fast switches join a host and a server.

    The queueing discipline of a link may also limit the rate, and so does a computer.
    """
    if network.computer is not None:
        return False
    slow = {switch.name for switch in network.switches if switch.profile.capacity < _FAST}
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
