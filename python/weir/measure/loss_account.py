"""The account of what a network dropped, between two points of its time."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Protocol

from weir.measure.account import Drop
from weir.measure.losses import Losses, Misses, Repeats, Waiting

# As type checkers know it: stubs have names that the module has not.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from weir._core_network import LossRows


_FRESH = 1.0
"""Seconds for which the counts of real nodes are not read again."""


_LATE = 0.1
"""Seconds after which the counts of real nodes are read again if they show no drop."""


class Counting(Protocol):
    """A network that counts drops."""

    def losses(self) -> LossRows:
        """What was dropped since the start."""


@dataclass(frozen=True)
class Mark:
    """The counts at one point in time."""

    drops: dict[tuple[str, str], int]
    misses: dict[tuple[str, str], int]
    copies: dict[str, int]
    repeats: dict[str, int]


class LossAccount:
    """What a network dropped.

    Args:
        core: the network.
        is_real: whether its nodes are real, which takes time to ask.
    """

    def __init__(self, core: Counting, is_real: bool) -> None:
        self._core, self._is_real = core, is_real
        self._last: tuple[float, Mark] | None = None

    @property
    def is_complete(self) -> bool:
        """Whether all drops are counted: real hosts and links drop some that nobody counts."""
        return not self._is_real

    def mark(self) -> Mark:
        """The counts now, for :meth:`since`; those of real nodes as of a second ago at most."""
        if not self._is_real:
            return self._read()
        if self._last is None or time.monotonic() - self._last[0] > _FRESH:
            self._last = time.monotonic(), self._read()
        return self._last[1]

    def _read(self) -> Mark:
        drops, _, misses, copies, repeats, _ = self._core.losses()
        return Mark(
            {(place, reason): packets for place, reason, packets in drops},
            {(switch, table): count for switch, table, count, *_ in misses},
            dict(copies),
            {switch: count for switch, _, count in repeats},
        )

    def since(self, mark: Mark) -> Losses:
        """What was dropped since then."""
        losses = self._since(mark)
        if self._is_real and not losses.drops:
            # Counts of real nodes may come late.
            time.sleep(_LATE)
            losses = self._since(mark)
        return losses

    def _since(self, mark: Mark) -> Losses:
        rows, frames, lookups, copies, repeats, waiting = self._core.losses()
        drops = [
            Drop(place, reason, packets - mark.drops.get((place, reason), 0))
            for place, reason, packets in sorted(rows)
        ]
        misses = [
            Misses(switch, table, count - mark.misses.get((switch, table), 0), entries, default)
            for switch, table, count, entries, default in lookups
        ]
        return Losses(
            [drop for drop in drops if drop.packets],
            frames,
            sorted((miss for miss in misses if miss.misses), key=lambda miss: -miss.misses),
            {switch: count - mark.copies.get(switch, 0) for switch, count in copies},
            [
                Repeats(switch, inside, count - mark.repeats.get(switch, 0))
                for switch, inside, count in repeats
            ],
            [Waiting(*row) for row in waiting],
        )
