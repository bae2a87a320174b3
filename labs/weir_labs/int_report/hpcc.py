"""Congestion control from INT, like HPCC (Li et al., SIGCOMM 2019, algorithm 1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from .frames import Hop

ETA: Final = 0.95
"""The target utilization of the busiest link, as in the paper."""

MAX_STAGE: Final = 5
"""The number of round trips of additive increase before the window is computed from the utilization
again."""

_COUNTER_MODULUS: Final = 1 << 32


class Hpcc:
    """Computes a sender's window from the hop data of its reports.

    A link's utilization counts the bytes that it sends and those that wait for it:

        U = tx rate / rate + queue / (rate · base RTT)

    The busiest link counts. The window is multiplied by eta / U, so that this link has the
    utilization eta and its queue is empty. A small increase is added, which makes flows equal.

    Attributes:
        window_bytes: how much may be in flight.
        base_rtt_ns: the shortest round trip so far, from a datagram to its report.
        utilization: the smoothed U of the busiest link.
    """

    def __init__(
        self, rate_bps: int, frame_bytes: int, eta: float = ETA, increase_bytes: float = 50.0
    ) -> None:
        """Creates the state of a sender.

        Args:
            rate_bps: the rate of each link.
            frame_bytes: the bytes of the longest frame of a datagram.
            eta: the target utilization of the busiest link, 0 to 1.
            increase_bytes: the growth of the window in each round trip.
        """
        self.window_bytes = float(frame_bytes)
        self.base_rtt_ns = 0
        self.utilization = 1.0
        self._rate = rate_bps / 8e9  # bytes per ns
        self._frame = frame_bytes
        self._eta = eta
        self._increase = increase_bytes
        self._reference = 0.0  # the window at the beginning of the round trip
        self._stage = 0
        self._updated_ns = 0
        self._before: Sequence[Hop] = ()

    @property
    def bytes_per_ns(self) -> float:
        """The rate at which the window is sent, in bytes per nanosecond; 0 before the first
        report."""
        return self.window_bytes / self.base_rtt_ns if self.base_rtt_ns else 0.0

    def on_report(self, hops: Sequence[Hop], sent_ns: int, now_ns: int) -> None:
        """Updates the window from the hop data of a datagram.

        Args:
            hops: the hop data in the order of the path.
            sent_ns: when the datagram was sent.
            now_ns: when its report arrived.
        """
        rtt = now_ns - sent_ns
        if not self._before:
            self.base_rtt_ns = rtt
            self.window_bytes = self._reference = self._rate * rtt
        elif len(self._before) == len(hops):
            self.base_rtt_ns = min(self.base_rtt_ns, rtt)
            self._measure(hops)
            self._set_window(new_round_trip=sent_ns >= self._updated_ns, now_ns=now_ns)
        self._before = hops

    def _measure(self, hops: Sequence[Hop]) -> None:
        """Smooths the utilization of the busiest link over a round trip."""
        base = self.base_rtt_ns
        busiest, interval = 0.0, base
        for earlier_hop, hop in zip(self._before, hops, strict=True):
            passed = (hop.timestamp_us - earlier_hop.timestamp_us) % _COUNTER_MODULUS * 1000
            if passed == 0:
                continue
            sent = (hop.tx_bytes - earlier_hop.tx_bytes) % _COUNTER_MODULUS / passed
            waiting = min(hop.queue_length, earlier_hop.queue_length) * self._frame
            used = sent / self._rate + waiting / (self._rate * base)
            if used > busiest:
                busiest, interval = used, passed
        share = min(interval, base) / base
        self.utilization = (1 - share) * self.utilization + share * busiest

    def _set_window(self, new_round_trip: bool, now_ns: int) -> None:
        if self.utilization >= self._eta or self._stage >= MAX_STAGE:
            window = self._reference * self._eta / self.utilization + self._increase
            stage = 0
        else:
            window = self._reference + self._increase
            stage = self._stage + 1
        # A window of more than the bandwidth-delay product would only fill queues. A window of less
        # than an eighth of a frame would need many round trips to grow again.
        largest = self._rate * self.base_rtt_ns
        self.window_bytes = min(max(window, self._frame / 8), largest)
        if new_round_trip:
            # All reports until now are about datagrams of older windows.
            self._reference, self._stage, self._updated_ns = self.window_bytes, stage, now_ns
