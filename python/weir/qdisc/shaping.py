"""First in, first out; a token bucket; fair queueing with pacing."""

from __future__ import annotations

from dataclasses import dataclass

from weir import _core, units
from weir.errors import UnitError
from weir.errors.checks import check_flag
from weir.qdisc.base import Qdisc, child, small_size


@dataclass(frozen=True)
class Fifo(Qdisc):
    """A queue in which the packet that came first leaves first.

    Attributes:
        limit: maximum packets (``"100p"``) or bytes (``"64kB"``) that wait.
    """

    limit: str = "1000p"

    def core(self) -> _core.Qdisc:
        """Converts the settings to the form that the core takes."""
        return _core.Qdisc.fifo(*units.queue(self.limit, "limit"))


@dataclass(frozen=True)
class Tbf(Qdisc):
    """A token bucket: all packets together leave at one rate (tc-tbf).

    Attributes:
        rate: the rate, such as ``"10Mbit"``.
        burst: bytes that may leave at once after a pause; larger packets are dropped.
        limit: maximum bytes that wait. Give either this or ``latency``.
        latency: maximum time that a packet waits, which determines the limit.
        queue: the discipline in which packets wait; by default first in, first out with ``limit``.
        peakrate: rate of a second bucket, which spreads the bursts of the first; more than
            ``rate``.
        mtu: bytes that the second bucket sends at once; larger packets are dropped.
    """

    rate: str
    burst: str
    limit: str | None = None
    latency: str | None = None
    queue: Qdisc | str | None = None
    peakrate: str | None = None
    mtu: str | None = None

    def core(self) -> _core.Qdisc:
        """Converts the settings to the form that the core takes."""
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
            raise UnitError("a token bucket needs both peakrate and mtu, or neither")
        return _core.Qdisc.tbf(rate, burst, peak, limit, latency or 0, child(self.queue))


@dataclass(frozen=True)
class Fq(Qdisc):
    """A queue for each flow, served in turn, with pacing (tc-fq).

    Attributes:
        limit: maximum packets that wait in total.
        flow_limit: maximum packets of one flow.
        quantum: bytes that a flow sends in its turn.
        initial_quantum: bytes that a new flow sends in its first turn.
        maxrate: maximum rate of one flow.
        pacing: whether ``maxrate`` and the departure times set by senders are observed.
        horizon: packets with a departure time further in the future are dropped.
        ce_threshold: ECN-capable packets that leave more than this after their departure time are
            marked (RFC 3168).
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
        """Converts the settings to the form that the core takes."""
        check_flag("pacing", self.pacing)
        return _core.Qdisc.fq(
            units.packets(self.limit, "limit"),
            units.packets(self.flow_limit, "flow_limit"),
            small_size(self.quantum, "quantum", "3028B"),
            small_size(self.initial_quantum, "initial_quantum", "15140B"),
            None if self.maxrate is None else units.rate_bps(self.maxrate, "maxrate"),
            self.pacing,
            units.time_ns(self.horizon, "horizon", "s"),
            None if self.ce_threshold is None else units.time_ns(self.ce_threshold, "ce_threshold"),
        )
