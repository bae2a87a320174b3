"""Follows the sequence numbers of report datagrams as they arrive."""

from __future__ import annotations

from weir.telemetry.protocol import RESTART, SEQUENCE_RANGE as RANGE


class Numbering:
    """Remembers the largest sequence number received from each subsystem of each node."""

    def __init__(self) -> None:
        self._largest: dict[tuple[int, int], int] = {}

    def missing_before(self, node: int, subsystem: int, number: int) -> int:
        """Computes how many sequence numbers are missing between the largest number so far and a
        new one.

        The result is 0 for a late datagram and after a restart.
        """
        largest = self._largest.get((node, subsystem))
        if largest is None:
            self._largest[node, subsystem] = number
            return 0
        step = (number - largest + RANGE // 2) % RANGE - RANGE // 2
        if step > 0 or step < -RESTART:
            self._largest[node, subsystem] = number
        return max(step - 1, 0)
