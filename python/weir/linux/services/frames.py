"""A service that sends given frames unchanged."""

from __future__ import annotations

import socket
from multiprocessing.connection import Connection
from typing import Any

from weir.linux.services.service import Service, run


class Frames(Service):
    """Sends frames at an interface of its node, each at its time.

    Args:
        control: the control connection, as in :class:`Service`.
        origin: the network's start, on the clock of :func:`time.monotonic_ns`.
        interface: the name of the interface.
    """

    def __init__(self, control: Connection[Any, Any], origin: int, interface: str) -> None:
        super().__init__(control, origin)
        self._socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
        self._socket.bind((interface, 0))
        self._frames: list[tuple[int, bytes]] | None = None
        self._start = self._sent = 0

    def send(self, frame: bytes) -> None:
        """Sends a frame."""
        self._socket.send(frame)

    def begin(self, frames: list[tuple[int, bytes]]) -> None:
        """Starts to send these frames, each after its number of nanoseconds from now."""
        self._frames, self._start = frames, self.now()

    def sent(self) -> int:
        """Returns the number of frames sent so far."""
        return self._sent

    def stop(self) -> None:
        """Stops sending."""
        if self._frames is not None:
            del self._frames[self._sent :]

    def work(self) -> float | None:
        """Sends the frames that are due; returns the seconds until the next frame is due."""
        if self._frames is None:
            return None
        while self._sent < len(self._frames):
            time, frame = self._frames[self._sent]
            ns_left = self._start + time - self.now()
            if ns_left > 0:
                return ns_left / 1_000_000_000
            self._socket.send(frame)
            self._sent += 1
        self.finish()
        return None


def serve(control: Connection[Any, Any], name: str, *arguments: Any) -> None:
    """Runs the service of this module until the control connection is closed."""
    run(Frames, control, *arguments)
