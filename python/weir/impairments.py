"""Impairments of links and of netem: models of jitter and loss.

>>> link.jitter = weir.impairments.Normal("1ms")                             # doctest: +SKIP
>>> link.loss = weir.impairments.GilbertElliott(enter="1%", leave="20%")     # doctest: +SKIP

Each effect draws from its own stream of random numbers, once for each packet: switching one effect
on or off does not change the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass
from typing import Final, NamedTuple

from weir import units
from weir.errors import UnitError, shown


class JitterModel(NamedTuple):
    """Jitter in the form that the core takes: a distribution, its times in nanoseconds and its
    shape."""

    kind: str
    times: list[int]
    shape: float = 0.0


class LossModel(NamedTuple):
    """Loss in the form that the core takes: a model, its probabilities, and the numbers of
    packets."""

    kind: str
    shares: list[float]
    numbers: list[int]


class Correlations(NamedTuple):
    """Correlations in the form that the core takes: numbers from 0 to 1."""

    jitter: float
    loss: float
    duplicate: float
    reorder: float
    corrupt: float


@dataclass(frozen=True)
class Uniform:
    """Adds a uniformly distributed time between 0 and ``most``."""

    most: str


@dataclass(frozen=True)
class UniformAround:
    """Adds a uniformly distributed time between minus and plus ``spread``.

    The same as netem's ``delay D J``. The delay never falls below 0.
    """

    spread: str


@dataclass(frozen=True)
class Normal:
    """Adds a normally distributed time with mean 0 and standard deviation ``sigma``.

    The delay does not fall below 0.
    """

    sigma: str


@dataclass(frozen=True)
class Exponential:
    """Adds an exponentially distributed time with this mean."""

    mean: str


@dataclass(frozen=True)
class Pareto:
    """Adds a Pareto distributed time of at least ``scale``.

    The time is more than x with the probability (scale / x) ** ``shape``.
    """

    scale: str
    shape: float


@dataclass(frozen=True)
class ParetoAround:
    """netem's ``distribution pareto`` with the jitter ``sigma``."""

    sigma: str


@dataclass(frozen=True)
class ParetoNormalAround:
    """netem's ``distribution paretonormal`` with the jitter ``sigma``.

    The distribution is a quarter normal and three quarters Pareto.
    """

    sigma: str


@dataclass(frozen=True)
class Table:
    """Adds a time drawn at random from these times, which may be measured."""

    times: Sequence[str]


@dataclass(frozen=True)
class GilbertElliott:
    """Losses in bursts (Gilbert 1960, Elliott 1963).

    The model has a good and a bad state, with a transition after each packet.

    Attributes:
        enter: probability that the good state turns bad after a packet.
        leave: probability that the bad state turns good after a packet: bursts have a mean length
            of 1 / leave packets.
        good: the share of packets lost in the good state.
        bad: the share of packets lost in the bad state.
    """

    enter: str
    leave: str
    good: str = "0%"
    bad: str = "100%"


@dataclass(frozen=True)
class FourState:
    """netem's ``loss state`` (Salsano, Ludovici, Ordine 2009).

    Good periods have single losses, and bursts of losses have gaps. Each packet causes a
    transition, and is lost if the new state is a burst or a single loss.

    Attributes:
        p13: probability that a burst begins in a good period.
        p31: probability that a burst ends; 1 - ``p13`` by default.
        p32: probability that a gap begins in a burst.
        p23: probability that the burst continues after a gap.
        p14: probability of a single loss in a good period.
    """

    p13: str
    p31: str | None = None
    p32: str = "0%"
    p23: str = "100%"
    p14: str = "0%"


@dataclass(frozen=True)
class Every:
    """Exactly every ``n``-th packet is lost."""

    n: int


@dataclass(frozen=True)
class Frames:
    """The packets with these numbers are lost. Numbers count from 1 and are in ascending order."""

    numbers: Sequence[int]


@dataclass(frozen=True)
class Correlation:
    """How much the random number of an effect depends on the effect's previous number, as in netem.

    With ``"25%"``, a number is a quarter of the previous number plus three quarters of a new one.
    Such numbers concentrate around their mean, so rare effects become rarer.

    Attributes:
        jitter: the correlation of jitter.
        loss: the correlation of loss, if the loss is a share; the other models have their own
            bursts.
        duplicate: the correlation of duplicates.
        reorder: the correlation of reordering.
        corrupt: the correlation of corruption.
    """

    jitter: str = "0%"
    loss: str = "0%"
    duplicate: str = "0%"
    reorder: str = "0%"
    corrupt: str = "0%"


UNCORRELATED: Final = Correlation()
"""No correlation: the random numbers for each packet are independent."""

Jitter = Uniform | UniformAround | Normal | Exponential | Pareto | ParetoAround | ParetoNormalAround | Table
Loss = GilbertElliott | FourState | Every | Frames


def jitter_model(value: str | Jitter | None) -> JitterModel:
    """Converts jitter to the form that the core takes.

    A single time means a uniform distribution from 0 to this time.

    Raises:
        UnitError: the value cannot be read.
    """
    match value:
        case None:
            return JitterModel("none", [])
        case Table(times):
            return JitterModel("table", [units.time_ns(time, "jitter") for time in times])
        case Pareto(scale, shape):
            if isinstance(shape, bool) or not isinstance(shape, (int, float)):
                raise UnitError(f"shape: {shown(shape)} is not a number: expected one such as 2.5")
            return JitterModel("pareto", [units.time_ns(scale, "jitter")], float(shape))
        case Uniform(time):
            kind = "uniform"
        case UniformAround(time):
            kind = "around"
        case Normal(time):
            kind = "normal"
        case Exponential(time):
            kind = "exponential"
        case ParetoAround(time):
            kind = "pareto around"
        case ParetoNormalAround(time):
            kind = "pareto normal around"
        case _:
            kind, time = "uniform", value
    return JitterModel(kind, [units.time_ns(time, "jitter")])


def loss_model(value: str | Loss) -> LossModel:
    """Converts loss to the form that the core takes.

    A single share means that each packet is lost independently with this probability.

    Raises:
        UnitError: the value cannot be read.
    """
    match value:
        case GilbertElliott(enter, leave, good, bad):
            shares = [units.share(share, "loss") for share in (enter, leave, good, bad)]
            return LossModel("gilbert-elliott", shares, [])
        case FourState(p13, p31, p32, p23, p14):
            first, *others = (units.share(share, "loss") for share in (p13, p32, p23, p14))
            second = 1 - first if p31 is None else units.share(p31, "loss")
            return LossModel("four states", [first, second, *others], [])
        case Every(n):
            return LossModel("every", [], [_count(n)])
        case Frames(numbers):
            return LossModel("frames", [], [_count(number) for number in numbers])
        case _:
            return LossModel("random", [units.share(value, "loss")], [])


def reordering(value: tuple[str, str] | None) -> tuple[float, int] | None:
    """Reads the setting ``reorder``; returns the share of packets to delay, and the delay in
    nanoseconds.

    Raises:
        UnitError: the value cannot be read.
    """
    if value is None:
        return None
    if not isinstance(value, tuple) or len(value) != 2:
        raise UnitError(
            f'expected a share and a time for reorder, such as ("1%", "5ms"), found {shown(value)}'
        )
    return units.share(value[0], "reorder"), units.time_ns(value[1], "reorder")


def correlations(value: Correlation) -> Correlations:
    """Converts correlations to the form that the core takes.

    Raises:
        UnitError: the values cannot be read.
    """
    if not isinstance(value, Correlation):
        raise UnitError(
            f'expected correlations such as impairments.Correlation(loss="25%"), found {shown(value)}'
        )
    return Correlations(*(units.share(share, "correlation") for share in astuple(value)))


def _count(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value < 1 << 63:
        raise UnitError(f"expected the number of a packet, 1 or more, found {shown(value)}")
    return value
