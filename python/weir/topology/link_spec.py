"""The specification of a link of a topology."""

from __future__ import annotations

from dataclasses import dataclass, field

from weir._core import DEFAULT_RATE_BPS, Endpoint
from weir.impairments import UNCORRELATED, Correlation, Jitter, Loss

# For type checkers only: disciplines need the compiled core, and `weir check` must not wait for it.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from weir.qdisc import Qdisc


@dataclass
class LinkSpec:
    """A link: a cable with the same properties in both directions.

    Attributes:
        a: one end.
        b: the other end.
        rate_bps: bits per second; ``None`` for unlimited. 1 Gbit/s unless set.
        delay_ns: propagation delay in nanoseconds.
        loss: the share of packets lost, 0 to 1.
        loss_model: another model of loss, used instead.
        jitter: random time added to the delay of each packet.
        overtake: whether packets can overtake others because of jitter.
        duplicate: the share of packets that arrive twice, 0 to 1.
        corrupt: the share of packets that arrive with one bit flipped, 0 to 1.
        correlation: how much the random number of an effect depends on the effect's previous
            number.
        reorder: the share of packets that are delayed so that others overtake them, and the delay.
        queue: the queueing discipline at both ends, or its limit; 1000 packets if ``None``.
        mtu: bytes of the longest packet without the Ethernet header; ``None`` for no limit.
        up: whether the link is up at the start.
        tc: ``tc`` commands for the ends of the link, each with the node that runs it.
    """

    a: Endpoint
    b: Endpoint
    rate_bps: int | None = DEFAULT_RATE_BPS
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
    tc: list[tuple[str, str]] = field(default_factory=list)

    def __str__(self) -> str:
        return f"{self.a} <-> {self.b}"
