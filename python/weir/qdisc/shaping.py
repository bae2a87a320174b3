"""First in, first out; a token bucket; fair queueing with pacing."""

from __future__ import annotations

from dataclasses import dataclass

from weir import _core, units
from weir.checks import check_flag
from weir.errors import UnitError
from weir.qdisc.base import Qdisc, below, small


@dataclass(frozen=True)
class Fifo(Qdisc):
    """First in, first out.

    Attributes:
        limit: how much may wait: packets (``"100p"``) or bytes (``"64kB"``).
    """

    limit: str = "1000p"

    def core(self) -> _core.Qdisc:
        """As the core takes it."""
        return _core.Qdisc.fifo(*units.queue(self.limit, "limit"))


@dataclass(frozen=True)
class Tbf(Qdisc):
    """A token bucket: all packets together leave at one rate (tc-tbf).

    Attributes:
        rate: such as ``"10Mbit"``.
        burst: how much may leave at once after a pause; larger packets never pass.
        limit: how much may wait, in bytes; or say ``latency``.
        latency: how long a packet may wait at most, which gives the limit.
        queue: where packets wait, instead of first in, first out with that limit.
        peakrate: of a second bucket, which spreads what the first lets through at once; more than ``rate``.
        mtu: how much that second bucket lets through at once; larger packets never pass.
    """

    rate: str
    burst: str
    limit: str | None = None
    latency: str | None = None
    queue: Qdisc | str | None = None
    peakrate: str | None = None
    mtu: str | None = None

    def core(self) -> _core.Qdisc:
        """As the core takes it."""
        rate = units.rate_bps(self.rate, "rate")
        burst = units.size_bytes(self.burst, "burst", "15kB")
        limit = latency = peak = None
        if self.limit is not None:
            limit = units.size_bytes(self.limit, "limit", "64kB")
        if self.latency is not None:
            latency = units.time_ns(self.latency, "latency")
        if (limit is None) == (latency is None):
            raise UnitError("a token bucket takes either a limit (bytes) or a latency (time)")
        if self.peakrate is not None and self.mtu is not None:
            peak = (units.rate_bps(self.peakrate, "peakrate"), units.size_bytes(self.mtu, "mtu"))
        elif self.peakrate is not None or self.mtu is not None:
            raise UnitError("a token bucket's peakrate and its mtu belong together: give both or none")
        return _core.Qdisc.tbf(rate, burst, peak, limit, latency or 0, below(self.queue))


@dataclass(frozen=True)
class Fq(Qdisc):
    """A queue for each flow, served in turn, with pacing (tc-fq).

    Attributes:
        limit: how many packets may wait in all.
        flow_limit: how many of one flow.
        quantum: how much of a flow is served in its turn.
        initial_quantum: how much in its first.
        maxrate: the most that one flow may have.
        pacing: whether ``maxrate`` and the times at which senders want their packets to leave are kept.
        horizon: packets that are to leave later than this from now are dropped.
        ce_threshold: packets that leave more than this after they could have, for their time and ``maxrate``, are marked (RFC 3168) if
            their transport is ECN-capable.
    """

    limit: str = "10000p"
    flow_limit: str = "100p"
    quantum: str = "3028B"
    initial_quantum: str = "15140B"
    maxrate: str | None = None
    pacing: bool = True
    horizon: str = "10s"
    ce_threshold: str | None = None

    def core(self) -> _core.Qdisc:
        """As the core takes it."""
        check_flag("pacing", self.pacing)
        return _core.Qdisc.fq(
            units.packets(self.limit, "limit"),
            units.packets(self.flow_limit, "flow_limit"),
            small(self.quantum, "quantum", "3028B"),
            small(self.initial_quantum, "initial_quantum", "15140B"),
            None if self.maxrate is None else units.rate_bps(self.maxrate, "maxrate"),
            self.pacing,
            units.time_ns(self.horizon, "horizon", "s"),
            None if self.ce_threshold is None else units.time_ns(self.ce_threshold, "ce_threshold"),
        )
