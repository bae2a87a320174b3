"""Results of traceroute: the nodes that answer for each time to live."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from weir._core import PingReply


@dataclass(frozen=True)
class Hop:
    """The probes with one time to live, and the replies to them.

    Attributes:
        ttl: the time to live, from 1.
        replies: the reply to each probe. Replies of routers have an ``error_from``, replies of the
            target an ``rtt_ns``.
    """

    ttl: int
    replies: Sequence[PingReply]

    @property
    def reached(self) -> bool:
        """Whether the target has answered."""
        return any(reply.rtt_ns is not None for reply in self.replies)


@dataclass(frozen=True)
class TracerouteResult:
    """The result of a traceroute.

    Attributes:
        source: the host that sent the probes.
        target: the host or address that it traced.
        target_ip: the address of the target.
        max_hops: the largest time to live.
        hops: the probes of each time to live, up to the first with which the target was reached.
    """

    source: str
    target: str
    target_ip: str
    max_hops: int
    hops: Sequence[Hop]

    @property
    def reached(self) -> bool:
        """Whether the target has answered."""
        return any(hop.reached for hop in self.hops)

    def __str__(self) -> str:
        """Formats the result as traceroute does; ``*`` is a probe without an answer."""
        lines = [f"traceroute to {self.target} ({self.target_ip}), {self.max_hops} hops max"]
        for hop in self.hops:
            words, previous = [], None
            for reply in hop.replies:
                address = self.target_ip if reply.rtt_ns is not None else reply.error_from
                if address is None:
                    words.append("*")
                    continue
                name = f"{self.target} ({address})" if address == self.target_ip != self.target else address
                words += [] if address == previous else [name]
                words.append("" if reply.rtt_ns is None else f"{reply.rtt_ns / 1e6:.3f} ms")
                previous = address
            lines.append(f"{hop.ttl:>2}  {'  '.join(word for word in words if word)}")
        return "\n".join(lines)
