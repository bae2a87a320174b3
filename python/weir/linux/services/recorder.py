"""Recorders of frames that pass an interface."""

from __future__ import annotations

import socket
import struct
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Final

from weir.linux.services.service import Service, run
from weir.linux.services.tap import ALL_FRAMES, Tap

RECORD: Final = struct.Struct("<QBI")
"""The head of each frame's record in a file: the frame's time, whether it was sent, its length."""


class Recorder(Service):
    """Records the frames that pass an interface of its node.

    Args:
        control: the control connection, as in :class:`Service`.
        origin: the network's start, on the clock of :func:`time.monotonic_ns`.
        interface: the name of the interface.
        filter: the frames to record, in tcpdump's language; all if empty.
        directions: whether to record frames that arrive, and frames that leave.
        file: the file to write; ``None`` records in memory.
    """

    def __init__(
        self,
        control: Connection[Any, Any],
        origin: int,
        interface: str,
        filter: str,
        directions: tuple[bool, bool],
        file: str | None,
    ) -> None:
        super().__init__(control, origin)
        self._rows: list[tuple[int, bool, bytes]] = []
        self._file = None if file is None else Path(file).open("wb")  # noqa: SIM115 open until the process exits
        sock = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, 0)
        sock.bind((interface, ALL_FRAMES))
        self._tap = Tap(sock, origin, filter, directions)
        self.watch(sock, self._receive)

    def take(self) -> list[tuple[int, bool, bytes]]:
        """Returns the frames since the last call, each with its time, whether it was sent, and its
        bytes."""
        self._receive()
        rows, self._rows = self._rows, []
        return rows

    def flush(self) -> None:
        """Writes all frames that have passed to the file."""
        self._receive()
        if self._file is not None:
            self._file.flush()

    def _receive(self) -> None:
        rows = self._tap.take()
        if self._file is None:
            self._rows += rows
            return
        for time, sent, frame in rows:
            self._file.write(RECORD.pack(max(0, time), sent, len(frame)) + frame)


def serve(control: Connection[Any, Any], name: str, *arguments: Any) -> None:
    """Runs the service of this module until the control connection is closed."""
    run(Recorder, control, *arguments)
