"""The live view's program on a host of a virtual network."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from weir.hostprogram import Datagram, HostProgram
from weir.telemetry.inbox import Inbox

if TYPE_CHECKING:
    from weir.telemetry.live.screen import Screen

_EVERY_S: Final = 0.2
"""Real time between two pictures."""

_MOST: Final = 20_000
"""Datagrams that wait for the next picture at most."""


class Watcher(HostProgram):
    """Hands the datagrams that arrive to a screen, a few times a second of real time."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._inbox = Inbox()
        self._due = time.monotonic()

    def on_datagram(self, datagram: Datagram) -> None:
        """Keeps a datagram for the next picture."""
        self._inbox.add(datagram.time_ns, datagram.payload)
        if time.monotonic() >= self._due or len(self._inbox) >= _MOST:
            self.flush()

    def flush(self) -> None:
        """Shows what has arrived."""
        self._screen.show(*self._inbox.take())
        self._due = time.monotonic() + _EVERY_S
