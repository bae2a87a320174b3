"""A link of a topology, as data, and finding one by its ends."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from weir.errors import TopologyError
from weir.impairments import UNCORRELATED, Correlation, Jitter, Loss
from weir.suggest import listing
from weir.topology.endpoint import Endpoint

# As type checkers know it: disciplines need the compiled core, which `weir check` must not wait
# for.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from weir.qdisc import Qdisc


@dataclass
class LinkSpec:
    """A link: a cable with the same properties in both directions.

    Attributes:
        a: one end.
        b: the other end.
        rate_bps: bits per second; None for unlimited.
        delay_ns: propagation delay in nanoseconds.
        loss: the share of packets lost, 0 to 1.
        loss_model: another model of loss, instead.
        jitter: random time added to the delay of each packet.
        overtake: whether packets can overtake others because of jitter.
        duplicate: the share of packets that arrive twice, 0 to 1.
        corrupt: the share of packets that arrive with one bit flipped, 0 to 1.
        correlation: how much the random decisions about a packet depend on those about the last
            packet.
        reorder: the share of packets that are held while others pass, and for how long.
        queue: the queueing discipline at both ends, or its limit; 1000 packets if None.
        mtu: bytes of the longest packet after the Ethernet header; None for no limit.
        up: whether it is up at the start.
    """

    a: Endpoint
    b: Endpoint
    rate_bps: int | None = None
    delay_ns: int = 0
    loss: float = 0.0
    loss_model: Loss | None = None
    jitter: str | Jitter | None = None
    overtake: bool = False
    duplicate: float = 0.0
    corrupt: float = 0.0
    correlation: Correlation = UNCORRELATED
    reorder: tuple[str, str] | None = None
    queue: Qdisc | str | None = None
    mtu: int | None = None
    up: bool = True

    def __str__(self) -> str:
        return f"{self.a} <-> {self.b}"


def find_link(links: Iterable[LinkSpec], ends: tuple[Endpoint, Endpoint], a: str, b: str) -> LinkSpec:
    """The link between two ends, which the user called ``a`` and ``b``.

    Raises:
        TopologyError: there is none, or more than one.
    """
    found = [link for link in links if _joins(link, *ends)]
    if len(found) == 1:
        return found[0]
    if found:
        raise TopologyError(
            f"{len(found)} links join {a} and {b}: name one by its ports, such as {found[0].a} and {found[0].b}"
        )
    near = [str(link) for link in links if ends[0].node in (link.a.node, link.b.node)]
    raise TopologyError(f"no link joins {a} and {b} ({ends[0].node} has {listing(near)})")


def _joins(link: LinkSpec, a: Endpoint, b: Endpoint) -> bool:
    def fits(end: Endpoint, wanted: Endpoint) -> bool:
        named = wanted.port is not None or wanted.interface
        return end.node == wanted.node and (not named or end == wanted)

    return (fits(link.a, a) and fits(link.b, b)) or (fits(link.a, b) and fits(link.b, a))
