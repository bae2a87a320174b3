"""What links and netem do to packets beside carrying them: jitter and loss of many kinds.

>>> link.jitter = weir.impairments.Normal("1ms")                             # doctest: +SKIP
>>> link.loss = weir.impairments.GilbertElliott(enter="1%", leave="20%")     # doctest: +SKIP

Each effect draws from a stream of random numbers of its own, once a packet: switching one on or off changes no other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from weir import units
from weir.errors import UnitError

JitterRow = tuple[str, list[int], float]
LossRow = tuple[str, list[float], list[int]]
CorrelationRow = tuple[float, float, float, float, float]


@dataclass(frozen=True)
class Uniform:
    """Adds a time between 0 and ``most``, each as likely."""

    most: str

    def row(self) -> JitterRow:
        """As the core takes it."""
        return "uniform", [units.time_ns(self.most, "jitter")], 0.0


@dataclass(frozen=True)
class UniformAround:
    """Adds a time between minus and plus ``spread``, as netem's ``delay D J``; never more than the delay is taken off."""

    spread: str

    def row(self) -> JitterRow:
        """As the core takes it."""
        return "around", [units.time_ns(self.spread, "jitter")], 0.0


@dataclass(frozen=True)
class Normal:
    """Adds a time of the normal distribution around 0, of standard deviation ``sigma``; never more than the delay is taken off."""

    sigma: str

    def row(self) -> JitterRow:
        """As the core takes it."""
        return "normal", [units.time_ns(self.sigma, "jitter")], 0.0


@dataclass(frozen=True)
class Exponential:
    """Adds a time of the exponential distribution of this mean."""

    mean: str

    def row(self) -> JitterRow:
        """As the core takes it."""
        return "exponential", [units.time_ns(self.mean, "jitter")], 0.0


@dataclass(frozen=True)
class Pareto:
    """Adds a time of the Pareto distribution: at least ``scale``; more than x with the probability (scale / x) ** ``shape``."""

    scale: str
    shape: float

    def row(self) -> JitterRow:
        """As the core takes it."""
        if isinstance(self.shape, bool) or not isinstance(self.shape, (int, float)):
            raise UnitError(f"shape: {self.shape!r} is no number: expected one such as 2.5")
        return "pareto", [units.time_ns(self.scale, "jitter")], float(self.shape)


@dataclass(frozen=True)
class ParetoAround:
    """netem's ``distribution pareto`` with the jitter ``sigma``."""

    sigma: str

    def row(self) -> JitterRow:
        """As the core takes it."""
        return "pareto around", [units.time_ns(self.sigma, "jitter")], 0.0


@dataclass(frozen=True)
class ParetoNormalAround:
    """netem's ``distribution paretonormal`` with the jitter ``sigma``: a quarter normal, three quarters Pareto."""

    sigma: str

    def row(self) -> JitterRow:
        """As the core takes it."""
        return "pareto normal around", [units.time_ns(self.sigma, "jitter")], 0.0


@dataclass(frozen=True)
class Table:
    """Adds one of these times, each as likely: a distribution that was measured."""

    times: Sequence[str]

    def row(self) -> JitterRow:
        """As the core takes it."""
        return "table", [units.time_ns(time, "jitter") for time in self.times], 0.0


@dataclass(frozen=True)
class GilbertElliott:
    """Losses in bursts: a good and a bad state, one step a packet (Gilbert 1960, Elliott 1963).

    Attributes:
        enter: the share of packets behind which the good state turns bad.
        leave: the share of packets behind which the bad state turns good: bursts last 1 / leave packets in the mean.
        good: the share lost in the good state.
        bad: the share lost in the bad state.
    """

    enter: str
    leave: str
    good: str = "0%"
    bad: str = "100%"

    def row(self) -> LossRow:
        """As the core takes it."""
        shares = [units.share(share, "loss") for share in (self.enter, self.leave, self.good, self.bad)]
        return "gilbert-elliott", shares, []


@dataclass(frozen=True)
class FourState:
    """netem's ``loss state``: good times with single losses, bursts of losses with gaps in them; each packet takes a step and is lost if
    it ends in a burst or as a single loss (Salsano, Ludovici, Ordine 2009).

    Attributes:
        p13: the share of packets that begin a burst in good times.
        p31: the share of packets in a burst behind which good times come; 1 - ``p13`` by default.
        p32: the share of packets in a burst behind which a gap comes.
        p23: the share of packets in a gap behind which the burst goes on.
        p14: the share of packets lost one by one in good times.
    """

    p13: str
    p31: str | None = None
    p32: str = "0%"
    p23: str = "100%"
    p14: str = "0%"

    def row(self) -> LossRow:
        """As the core takes it."""
        p13, p32, p23, p14 = (
            units.share(share, "loss") for share in (self.p13, self.p32, self.p23, self.p14)
        )
        p31 = 1 - p13 if self.p31 is None else units.share(self.p31, "loss")
        return "four states", [p13, p31, p32, p23, p14], []


@dataclass(frozen=True)
class Every:
    """Every ``n``-th packet is lost, exactly."""

    n: int

    def row(self) -> LossRow:
        """As the core takes it."""
        return "every", [], [_count(self.n)]


@dataclass(frozen=True)
class Frames:
    """The packets of these numbers are lost, counted from 1, in ascending order."""

    numbers: Sequence[int]

    def row(self) -> LossRow:
        """As the core takes it."""
        return "frames", [], [_count(number) for number in self.numbers]


@dataclass(frozen=True)
class Correlation:
    """How much the random number that decides an effect depends on the last one, as netem has it: ``"25%"`` of it is the last one,
    75 % are new. Such numbers crowd around their mean, so a rare effect becomes rarer.

    Attributes:
        jitter: of the jitter.
        loss: of a loss given as a share; other kinds know bursts of their own.
        duplicate: of duplicates.
        reorder: of reordering.
        corrupt: of corruption.
    """

    jitter: str = "0%"
    loss: str = "0%"
    duplicate: str = "0%"
    reorder: str = "0%"
    corrupt: str = "0%"

    def row(self) -> CorrelationRow:
        """As the core takes it."""
        return (
            units.share(self.jitter, "correlation"),
            units.share(self.loss, "correlation"),
            units.share(self.duplicate, "correlation"),
            units.share(self.reorder, "correlation"),
            units.share(self.corrupt, "correlation"),
        )


UNCORRELATED: Final = Correlation()
"""Each packet's lot is drawn anew."""

Jitter = Uniform | UniformAround | Normal | Exponential | Pareto | ParetoAround | ParetoNormalAround | Table
Loss = GilbertElliott | FourState | Every | Frames


def jitter_row(value: str | Jitter | None, what: str = "jitter") -> JitterRow:
    """Jitter as the core takes it; a time alone is uniform from 0 on.

    Raises:
        UnitError: it cannot be read.
    """
    if value is None:
        return "none", [], 0.0
    if isinstance(value, Jitter):
        return value.row()
    return "uniform", [units.time_ns(value, what)], 0.0


def loss_row(value: str | Loss, what: str = "loss") -> LossRow:
    """Loss as the core takes it; a share alone strikes each packet by itself.

    Raises:
        UnitError: it cannot be read.
    """
    if isinstance(value, Loss):
        return value.row()
    return "random", [units.share(value, what)], []


def reorder_row(value: tuple[str, str] | None, what: str = "reorder") -> tuple[float, int] | None:
    """The share of packets that are held, and for how many nanoseconds.

    Raises:
        UnitError: it cannot be read.
    """
    if value is None:
        return None
    if not isinstance(value, tuple) or len(value) != 2:
        raise UnitError(f'expected a share and a time for {what}, such as ("1%", "5ms"), found {value!r}')
    return units.share(value[0], what), units.time_ns(value[1], what)


def correlation_row(value: Correlation) -> CorrelationRow:
    """Correlations as the core takes them.

    Raises:
        UnitError: they cannot be read.
    """
    if not isinstance(value, Correlation):
        raise UnitError(f'expected correlations such as impairments.Correlation(loss="25%"), found {value!r}')
    return value.row()


def _count(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value < 1 << 63:
        raise UnitError(f"expected the number of a packet, 1 or more, found {value!r}")
    return value
