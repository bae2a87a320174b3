"""Links of a network that runs."""

from __future__ import annotations

from weir import _core, units
from weir.topology import LinkSpec


class Link:
    """A link of a network. Got from :meth:`Network.link`; what is set acts on the packets sent from then on, both ways.

    Attributes:
        a: one end, such as ``h1``.
        b: the other end, such as ``s1-p1``.
    """

    def __init__(self, core: _core.Link, spec: LinkSpec) -> None:
        self._core = core
        self.a = str(spec.a)
        self.b = str(spec.b)

    @property
    def rate_bps(self) -> int | None:
        """Bits per second; None for unlimited."""
        return self._core.rate_bps

    @property
    def rate(self) -> str | None:
        """Such as ``"10Mbit"``; None for unlimited."""
        rate = self.rate_bps
        return None if rate is None else units.format_rate(rate)

    @rate.setter
    def rate(self, value: str | None) -> None:
        self._core.set_rate(None if value is None else units.rate_bps(value, "rate"))

    @property
    def delay_ns(self) -> int:
        """Propagation delay in nanoseconds."""
        return self._core.delay_ns

    @property
    def delay(self) -> str:
        """Propagation delay, such as ``"5ms"``."""
        return units.format_time(self.delay_ns)

    @delay.setter
    def delay(self, value: str) -> None:
        self._core.set_delay(units.time_ns(value, "delay"))

    @property
    def loss(self) -> str:
        """The share of packets lost, such as ``"1%"``."""
        return units.format_share(self._core.loss)

    @loss.setter
    def loss(self, value: str) -> None:
        self._core.set_loss(units.share(value, "loss"))

    def __repr__(self) -> str:
        return f"<weir.Link {self.a} <-> {self.b}>"
