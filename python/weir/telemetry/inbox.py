"""Datagrams that have arrived and are not read yet."""

from __future__ import annotations

from collections import deque


class Inbox:
    """Datagrams in the order of their arrival; one thread may add while another takes."""

    def __init__(self) -> None:
        self._datagrams: deque[tuple[int, bytes]] = deque()

    def __len__(self) -> int:
        return len(self._datagrams)

    def add(self, time_ns: int, payload: bytes) -> None:
        """Adds a datagram that arrived at this time."""
        self._datagrams.append((time_ns, payload))

    def take(self, most: int | None = None) -> tuple[list[bytes], list[int]]:
        """Removes the first datagrams, ``most`` or all.

        Returns:
            The payloads, and the times at which they arrived.
        """
        count = len(self._datagrams) if most is None else min(most, len(self._datagrams))
        taken = [self._datagrams.popleft() for _ in range(count)]
        return [payload for _, payload in taken], [time_ns for time_ns, _ in taken]
