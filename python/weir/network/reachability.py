"""Tests which hosts can reach each other."""

from __future__ import annotations

from weir.clock import Progress
from weir.measure import PingMatrix
from weir.measure.loss_account import LossAccount
from weir.network.nodes import Nodes


def ping_all(nodes: Nodes, losses: LossAccount, timeout: str, progress: Progress | None) -> PingMatrix:
    """Pings from each host to each other host once; see :meth:`weir.Network.ping_all`."""
    names = list(nodes.hosts)
    pairs = [(a, b) for a in names for b in names if a != b]
    mark, results = losses.mark(), {}
    for pair_count, (a, b) in enumerate(pairs, 1):
        results[a, b] = nodes.host(a).ping(nodes.host(b), count=1, timeout=timeout)
        if progress is not None:
            progress(pair_count, len(pairs))
    lost = any(result.lost for result in results.values())
    return PingMatrix(names, results, losses.since(mark).sentence() if lost else None)
