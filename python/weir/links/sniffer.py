"""Sniffers, which record the frames that pass link ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from weir.files.columns import Column, frame as to_frame
from weir.text.suggest import listing

if TYPE_CHECKING:
    import polars

    from weir import _core_contracts as cores


@dataclass(frozen=True)
class Frame:
    """A frame that passed a link end.

    ``bytes(frame)`` are its bytes, so ``scapy.all.Ether(bytes(frame))`` dissects it.

    Attributes:
        time_ns: when the first bit of the frame left or the last bit arrived, in nanoseconds since
            the network's start.
        end: the link end, such as ``h1`` or ``s1-p2``.
        outbound: ``True`` if the node at this end sent the frame, ``False`` if it received the
            frame.
        data: the frame from its Ethernet header on.
    """

    time_ns: int
    end: str
    outbound: bool
    data: bytes

    @property
    def time_s(self) -> float:
        """The time of the frame in seconds since the network's start."""
        return self.time_ns / 1e9

    def __bytes__(self) -> bytes:
        return self.data

    def __len__(self) -> int:
        return len(self.data)


class Sniffer:
    """Records frames at link ends; from :meth:`Network.sniff` or :meth:`Host.sniff`."""

    def __init__(self, core: cores.Watch, ends: Sequence[str]) -> None:
        self._core = core
        self._ends = ends
        self._frames: list[Frame] = []
        self._open = True

    @property
    def frames(self) -> list[Frame]:
        """The frames recorded so far, in order."""
        if self._open:
            self._frames += [
                Frame(time, self._ends[end], out, data) for time, end, out, data in self._core.take()
            ]
        return self._frames

    def columns(self) -> list[Column]:
        """Returns the recorded frames as columns, with a row for each frame.

        The columns are ``time_s``, ``end``, ``outbound``, ``bytes`` (the length) and ``data``.
        """
        frames = self.frames
        return [
            Column("time_s", "float", [frame.time_s for frame in frames]),
            Column("end", "text", [frame.end for frame in frames]),
            Column("outbound", "bool", [frame.outbound for frame in frames]),
            Column("bytes", "int", [len(frame) for frame in frames]),
            Column("data", "bytes", [frame.data for frame in frames]),
        ]

    def to_frame(self) -> polars.DataFrame:
        """Converts the recorded frames to a data frame of polars; see :meth:`columns`.

        Raises:
            MissingExtraError: polars is not installed.
        """
        return to_frame(self.columns())

    def __repr__(self) -> str:
        return f"<weir.Sniffer of {listing(self._ends)}: {len(self)} frames>"

    def stop(self) -> list[Frame]:
        """Stops recording, and returns the recorded frames."""
        frames = self.frames
        if self._open:
            self._open = False
            self._core.close()
        return frames

    def __len__(self) -> int:
        return len(self.frames)
