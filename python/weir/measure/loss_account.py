"""Counts the drops of a network between two times."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Protocol

from weir._core import LossCounts
from weir.measure.losses import Losses

_MAX_AGE_S = 0.2
"""The time in seconds within which the counts of nodes are not read again in the Linux world."""


_COUNT_DELAY_S = 0.1
"""The time in seconds to wait in the Linux world until the counts of nodes include all earlier
drops."""


class CountingNetwork(Protocol):
    """A network that counts drops."""

    def losses(self) -> LossCounts:
        """Returns the drops since the start."""

    def owner(self, address: str) -> str | None:
        """Returns the name of the host that has an address."""


@dataclass(frozen=True)
class LossMark:
    """Counts of drops, missed lookups, copies and repeats at one time."""

    drops: dict[tuple[str, str], int]
    misses: dict[tuple[str, str], int]
    copies: dict[str, int]
    repeats: dict[str, int]


class LossAccount:
    """Counts the drops of a network between two times.

    Args:
        core: the network.
        is_real: whether the nodes are real, so that reading their counts takes time.
    """

    def __init__(self, core: CountingNetwork, is_real: bool) -> None:
        self._core, self._is_real = core, is_real
        self._last: tuple[float, LossMark] | None = None

    @property
    def is_complete(self) -> bool:
        """Whether all drops are counted: real hosts and links have drops without a counter."""
        return not self._is_real

    def time_passed(self) -> None:
        """Notes that time has passed, so that counts that were read earlier are read again.

        The clock calls this method after each run.
        """
        self._last = None

    def owner(self, address: str) -> str | None:
        """Returns the name of the host that has an address."""
        return self._core.owner(address)

    def mark(self) -> LossMark:
        """Reads the current counts, for :meth:`since`.

        Measurements that start within 0.2 s, without a run in between, share the counts of real
        nodes.
        """
        if not self._is_real:
            return self._read()
        if self._last is None or time.monotonic() - self._last[0] > _MAX_AGE_S:
            self._last = time.monotonic(), self._read()
        return self._last[1]

    def _read(self) -> LossMark:
        counts = self._core.losses()
        return LossMark(
            {(drop.place, drop.reason): drop.packets for drop in counts.drops},
            {(count.switch, count.table): count.misses for count in counts.misses},
            dict(counts.copies),
            {count.switch: count.times for count in counts.repeats},
        )

    def since(self, mark: LossMark) -> Losses:
        """Returns the drops since a mark."""
        if self._is_real:
            time.sleep(_COUNT_DELAY_S)
        counts = self._core.losses()
        # Counters of interfaces begin again when the interfaces are replaced.
        drops = [
            replace(drop, packets=max(0, drop.packets - mark.drops.get((drop.place, drop.reason), 0)))
            for drop in sorted(counts.drops, key=lambda drop: (drop.place, drop.reason))
        ]
        misses = [
            replace(one, misses=max(0, one.misses - mark.misses.get((one.switch, one.table), 0)))
            for one in counts.misses
        ]
        repeats = [
            replace(one, times=max(0, one.times - mark.repeats.get(one.switch, 0))) for one in counts.repeats
        ]
        return Losses(
            [drop for drop in drops if drop.packets],
            counts.frames,
            sorted((miss for miss in misses if miss.misses), key=lambda miss: -miss.misses),
            {switch: count - mark.copies.get(switch, 0) for switch, count in counts.copies},
            repeats,
            counts.waiting,
        )
