"""Queueing disciplines: how packets wait at the sending side of an interface, and which leaves when.

>>> net.host("h1").interface("eth0").qdisc = weir.qdisc.Fq(maxrate="20Mbit")        # doctest: +SKIP
>>> net.host("h1").tc("qdisc replace dev eth0 root fq maxrate 20mbit")              # doctest: +SKIP

Both lines do the same. Settings are those of Linux' ``tc``, with units; docs/links.md says what each does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from weir import _core, units
from weir.errors import NetworkError, UnitError
from weir.impairments import UNCORRELATED, Correlation, Jitter, Loss, correlation_row, jitter_row, loss_row
from weir.suggest import listing, nearest


@dataclass(frozen=True)
class Fifo:
    """First in, first out.

    Attributes:
        limit: how much may wait: packets (``"100p"``) or bytes (``"64kB"``).
    """

    limit: str = "1000p"

    def core(self) -> _core.Qdisc:
        """As the core takes it."""
        return _core.Qdisc.fifo(*units.queue(self.limit, "limit"))


@dataclass(frozen=True)
class Tbf:
    """A token bucket: all packets together leave at one rate (tc-tbf).

    Attributes:
        rate: such as ``"10Mbit"``.
        burst: how much may leave at once after a pause; larger packets never pass.
        limit: how much may wait, in bytes; or say ``latency``.
        latency: how long a packet may wait at most, which gives the limit.
        queue: where packets wait, instead of first in, first out with that limit.
    """

    rate: str
    burst: str
    limit: str | None = None
    latency: str | None = None
    queue: Qdisc | str | None = None

    def core(self) -> _core.Qdisc:
        """As the core takes it."""
        rate = units.rate_bps(self.rate, "rate")
        burst = units.size_bytes(self.burst, "burst", "15kB")
        if self.limit is not None and self.latency is None:
            limit = units.size_bytes(self.limit, "limit", "64kB")
        elif self.latency is not None and self.limit is None:
            limit = rate * units.time_ns(self.latency, "latency") // (8 * 10**9) + burst
        else:
            raise UnitError("a token bucket takes either a limit (bytes) or a latency (time)")
        return _core.Qdisc.tbf(rate, burst, limit, _below(self.queue))


@dataclass(frozen=True)
class Fq:
    """A queue for each flow, served in turn, with pacing (tc-fq).

    Attributes:
        limit: how many packets may wait in all.
        flow_limit: how many of one flow.
        quantum: how much of a flow is served in its turn.
        initial_quantum: how much in its first.
        maxrate: the most that one flow may have.
        pacing: whether ``maxrate`` and the times at which senders want their packets to leave are kept.
        horizon: packets that are to leave later than this from now are dropped.
    """

    limit: str = "10000p"
    flow_limit: str = "100p"
    quantum: str = "3028B"
    initial_quantum: str = "15140B"
    maxrate: str | None = None
    pacing: bool = True
    horizon: str = "10s"

    def core(self) -> _core.Qdisc:
        """As the core takes it."""
        return _core.Qdisc.fq(
            units.packets(self.limit, "limit"),
            units.packets(self.flow_limit, "flow_limit"),
            units.size_bytes(self.quantum, "quantum"),
            units.size_bytes(self.initial_quantum, "initial_quantum"),
            None if self.maxrate is None else units.rate_bps(self.maxrate, "maxrate"),
            self.pacing,
            units.time_ns(self.horizon, "horizon", "s"),
        )


@dataclass(frozen=True)
class Netem:
    """Delay, loss and their like before the link (tc-netem).

    Attributes:
        delay: how long each packet waits.
        jitter: what is added to it, drawn for each packet; a time alone is uniform around 0, as netem has it. Packets overtake one
            another where jitter makes them.
        loss: the share lost, or another kind of loss.
        duplicate: the share that leaves twice.
        corrupt: the share of which one bit is flipped.
        correlation: how much each packet's lot depends on that of the one before.
        reorder: the share that does not wait, and at least how many packets behind the last such (netem's ``gap``).
        rate: of a bottleneck before the delay.
        limit: how many packets may wait, those on their delay among them.
        queue: where packets go after their delay, if not straight to the link.
    """

    delay: str = "0ms"
    jitter: str | Jitter | None = None
    loss: str | Loss = "0%"
    duplicate: str = "0%"
    corrupt: str = "0%"
    correlation: Correlation = UNCORRELATED
    reorder: tuple[str, int] | None = None
    rate: str | None = None
    limit: str = "1000p"
    queue: Qdisc | str | None = None

    def core(self) -> _core.Qdisc:
        """As the core takes it."""
        if isinstance(self.jitter, str):
            jitter = ("around", [units.time_ns(self.jitter, "jitter")], 0.0)
        else:
            jitter = jitter_row(self.jitter)
        reorder = None
        if self.reorder is not None:
            reorder = (units.share(self.reorder[0], "reorder"), int(self.reorder[1]))
        return _core.Qdisc.netem(
            units.time_ns(self.delay, "delay"),
            jitter,
            loss_row(self.loss),
            units.share(self.duplicate, "duplicate"),
            units.share(self.corrupt, "corrupt"),
            correlation_row(self.correlation),
            reorder,
            None if self.rate is None else units.rate_bps(self.rate, "rate"),
            units.packets(self.limit, "limit"),
            _below(self.queue),
        )


@dataclass(frozen=True)
class HtbClass:
    """A class of :class:`Htb`.

    Attributes:
        name: what filters and other classes call it.
        rate: what it has in any case.
        ceil: what it may have with what it borrows; the rate by default.
        parent: the name of the class it borrows from.
        burst: how much may leave at once at ``rate`` after a pause.
        cburst: how much may leave at once at ``ceil`` after a pause.
        priority: who borrows first, 0 to 7, lowest first.
        quantum: how much is served in a turn; in proportion to the rate by default.
        queue: where its packets wait; first in, first out, 1000 packets by default.
        filters: of a class with classes below it: which of its packets go to which of them, as :class:`Htb` has them.
    """

    name: str
    rate: str
    ceil: str | None = None
    parent: str | None = None
    burst: str = "1600B"
    cburst: str = "1600B"
    priority: int = 0
    quantum: str | None = None
    queue: Qdisc | str | None = None
    filters: Sequence[tuple[str, str | None]] = ()


@dataclass(frozen=True)
class Htb:
    """Classes with a rate each, which lend one another what they do not use (tc-htb).

    Attributes:
        classes: the classes, parents among them.
        filters: which packets go to which class: a filter in tcpdump's language and a class's name; the first that matches counts. A
            class with others below it sends on by its own filters. None instead of a name: past all classes, at once and unshaped.
        default: the class of packets that no filter matches; without one they leave at once and unshaped.
    """

    classes: Sequence[HtbClass]
    filters: Sequence[tuple[str, str | None]] = ()
    default: str | None = None

    def core(self) -> _core.Qdisc:
        """As the core takes it."""
        rows = []
        for number, one in enumerate(self.classes, 1):
            rate = units.rate_bps(one.rate, "rate")
            rows.append(
                (
                    number,
                    None if one.parent is None else self._number(one.parent),
                    rate,
                    rate if one.ceil is None else units.rate_bps(one.ceil, "ceil"),
                    units.size_bytes(one.burst, "burst"),
                    units.size_bytes(one.cburst, "cburst"),
                    one.priority,
                    None if one.quantum is None else units.size_bytes(one.quantum, "quantum"),
                    _below(one.queue),
                )
            )
        filters = self._filters(None, self.filters)
        for one in self.classes:
            filters += self._filters(self._number(one.name), one.filters)
        default = None if self.default is None else self._number(self.default)
        return _core.Qdisc.htb(default, rows, filters)

    def _filters(
        self, parent: int | None, filters: Sequence[tuple[str, str | None]]
    ) -> list[tuple[str, int, int | None]]:
        return [(text, 0 if name is None else self._number(name), parent) for text, name in filters]

    def _number(self, name: str) -> int:
        names = [one.name for one in self.classes]
        if name not in names:
            suggestion = nearest(name, names)
            text = "" if suggestion else f" (there are: {listing(names)})"
            raise NetworkError(f'there is no class "{name}"{text}', suggestion=suggestion)
        return names.index(name) + 1


Qdisc = Fifo | Tbf | Fq | Netem | Htb


def core(value: Qdisc | str) -> _core.Qdisc:
    """A queueing discipline as the core takes it; a limit alone (``"100p"``, ``"64kB"``) is first in, first out.

    Raises:
        UnitError: a quantity cannot be read.
        NetworkError: a filter cannot be read, or names no class.
    """
    return value.core() if isinstance(value, Qdisc) else _core.Qdisc.fifo(*units.queue(value))


def _below(value: Qdisc | str | None) -> _core.Qdisc | None:
    return None if value is None else core(value)
