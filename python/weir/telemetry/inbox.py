"""A queue of datagrams that have arrived and are not processed yet."""

from __future__ import annotations

from collections import deque
from typing import Final

_OVERHEAD_BYTES: Final = 128
"""The bytes of memory that a datagram takes in addition to its payload."""


class Inbox:
    """A queue of datagrams in the order of arrival.

    One thread may add datagrams while another thread removes them.
    """

    def __init__(self) -> None:
        self._datagrams: deque[tuple[int, bytes]] = deque()
        # Each of these variables is written by only one thread.
        self._added = self._taken = 0

    def __len__(self) -> int:
        return len(self._datagrams)

    @property
    def size(self) -> int:
        """The memory that the waiting datagrams take, in bytes."""
        return self._added - self._taken

    @property
    def taken(self) -> int:
        """The memory that the datagrams taken so far took, in bytes."""
        return self._taken

    def add(self, time_ns: int, payload: bytes) -> None:
        """Adds a datagram that arrived at this time."""
        self._datagrams.append((time_ns, payload))
        self._added += len(payload) + _OVERHEAD_BYTES

    def take(self, most: int | None = None, most_bytes: int | None = None) -> tuple[list[bytes], list[int]]:
        """Removes the first datagrams.

        Args:
            most: the maximum number of datagrams; ``None`` for all.
            most_bytes: the maximum memory of the datagrams, except for a single datagram; ``None``
                for no limit.

        Returns:
            The payloads, and the times at which they arrived.
        """
        payloads: list[bytes] = []
        times: list[int] = []
        size = 0
        for _ in range(len(self._datagrams) if most is None else min(most, len(self._datagrams))):
            cost = len(self._datagrams[0][1]) + _OVERHEAD_BYTES
            if most_bytes is not None and payloads and size + cost > most_bytes:
                break
            time_ns, payload = self._datagrams.popleft()
            payloads.append(payload)
            times.append(time_ns)
            size += cost
        self._taken += size
        return payloads, times
