"""A link of a running network."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weir import qdisc, units
from weir.errors.checks import check_flag
from weir.impairments import (
    UNCORRELATED,
    Correlation,
    Jitter,
    Loss,
    correlations,
    jitter_model,
    loss_model,
    reordering,
)
from weir.topology import LinkSpec

if TYPE_CHECKING:
    from collections.abc import Callable

    from weir import _core_contracts as cores


class Link:
    """A link of a network, from :meth:`Network.link`.

    A setting applies to packets sent after it changes, in both directions.
    """

    __slots__ = (
        "_a",
        "_b",
        "_core",
        "_correlation",
        "_corrupt",
        "_duplicate",
        "_followers",
        "_jitter",
        "_loss",
        "_overtake",
        "_reorder",
    )

    def __init__(self, core: cores.Link, spec: LinkSpec) -> None:
        self._core = core
        self._a = str(spec.a)
        self._b = str(spec.b)
        self._jitter = spec.jitter
        self._overtake = spec.overtake
        self._loss: str | Loss = units.format_share(spec.loss) if spec.loss_model is None else spec.loss_model
        self._duplicate = units.format_share(spec.duplicate)
        self._corrupt = units.format_share(spec.corrupt)
        self._correlation = spec.correlation
        self._reorder = spec.reorder
        # Functions that update the queues in the switches if packets wait there for this link.
        self._followers: list[Callable[[], None]] = []
        if spec.loss_model is not None:
            self.loss = spec.loss_model
        if spec.jitter is not None:
            core.set_jitter(jitter_model(spec.jitter), spec.overtake)
        if spec.duplicate:
            core.set_duplicate(spec.duplicate)
        if spec.corrupt:
            core.set_corrupt(spec.corrupt)
        if spec.correlation != UNCORRELATED:
            self.correlation = spec.correlation
        if spec.reorder is not None:
            self.reorder = spec.reorder
        if spec.queue is not None:
            self.queue = spec.queue
        if spec.mtu is not None:
            core.set_mtu(spec.mtu)
        if not spec.up:
            self.up = False

    @property
    def a(self) -> str:
        """One end, such as ``h1``."""
        return self._a

    @property
    def b(self) -> str:
        """The other end, such as ``s1-p1``."""
        return self._b

    @property
    def rate_bps(self) -> int | None:
        """Bits per second; ``None`` for unlimited."""
        return self._core.rate_bps

    @property
    def rate(self) -> str | None:
        """The rate, such as ``"10Mbit"``; ``None`` for unlimited (or set it to ``"unlimited"``)."""
        rate = self.rate_bps
        return None if rate is None else units.format_rate(rate)

    @rate.setter
    def rate(self, value: str | None) -> None:
        self._core.set_rate(units.link_rate(value))
        for follow in self._followers:
            follow()

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
    def jitter(self) -> str | Jitter | None:
        """A random time added to the delay of each packet; ``None`` for no jitter.

        A time (uniform from 0 to it), or a distribution of :mod:`weir.impairments`.
        """
        return self._jitter

    @jitter.setter
    def jitter(self, value: str | Jitter | None) -> None:
        self._core.set_jitter(jitter_model(value), self._overtake)
        self._jitter = value

    @property
    def overtake(self) -> bool:
        """Whether a packet with less jitter can overtake its predecessor. If not, it arrives
        directly after its predecessor."""
        return self._overtake

    @overtake.setter
    def overtake(self, value: bool) -> None:
        check_flag("overtake", value)
        self._core.set_jitter(jitter_model(self._jitter), value)
        self._overtake = value

    @property
    def loss(self) -> str | Loss:
        """The share of packets lost, such as ``"1%"``, or a model of :mod:`weir.impairments`."""
        return self._loss

    @loss.setter
    def loss(self, value: str | Loss) -> None:
        self._core.set_loss(loss_model(value))
        self._loss = value if isinstance(value, Loss) else units.format_share(units.share(value))

    @property
    def duplicate(self) -> str:
        """The share of packets that arrive twice, such as ``"1%"``."""
        return self._duplicate

    @duplicate.setter
    def duplicate(self, value: str) -> None:
        share = units.share(value, "duplicate")
        self._core.set_duplicate(share)
        self._duplicate = units.format_share(share)

    @property
    def corrupt(self) -> str:
        """The share of packets that arrive with one bit flipped, such as ``"0.1%"``."""
        return self._corrupt

    @corrupt.setter
    def corrupt(self, value: str) -> None:
        share = units.share(value, "corrupt")
        self._core.set_corrupt(share)
        self._corrupt = units.format_share(share)

    @property
    def correlation(self) -> Correlation:
        """How much the random number of an effect depends on the effect's previous number.

        See :class:`weir.impairments.Correlation`.
        """
        return self._correlation

    @correlation.setter
    def correlation(self, value: Correlation) -> None:
        self._core.set_correlation(correlations(value))
        self._correlation = value

    @property
    def reorder(self) -> tuple[str, str] | None:
        """The share of packets that are delayed so that others overtake them, and the delay:
        ``("1%", "5ms")``."""
        return self._reorder

    @reorder.setter
    def reorder(self, value: tuple[str, str] | None) -> None:
        self._core.set_reorder(reordering(value))
        self._reorder = value

    @property
    def queues(self) -> tuple[str, str]:
        """Descriptions of the queueing disciplines at the ends ``a`` and ``b``."""
        return self._core.queues

    @property
    def queue(self) -> str:
        """A description of the queueing discipline at the end ``a``.

        Setting it sets both ends: a limit in packets (``"100p"``) or bytes (``"64kB"``), or a
        discipline of :mod:`weir.qdisc`.
        """
        return self._core.queues[0]

    @queue.setter
    def queue(self, value: qdisc.Qdisc | str) -> None:
        self._core.set_queue(qdisc.core(value))
        for follow in self._followers:
            follow()

    @property
    def mtu(self) -> str | None:
        """The maximum length of a packet without its Ethernet header, such as ``"1500B"``; ``None``
        for no limit. Longer packets are dropped."""
        mtu = self._core.mtu
        return None if mtu is None else f"{mtu}B"

    @mtu.setter
    def mtu(self, value: str | None) -> None:
        self._core.set_mtu(None if value is None else units.size_bytes(value, "mtu"))

    @property
    def up(self) -> bool:
        """Whether the link is up.

        When it goes down, packets that are queued or in flight are dropped. Packets sent while the
        link is down are also dropped.
        """
        return self._core.up

    @up.setter
    def up(self, value: bool) -> None:
        check_flag("up", value)
        self._core.set_up(value)

    def __repr__(self) -> str:
        return f"<weir.Link {self.a} <-> {self.b}>"
