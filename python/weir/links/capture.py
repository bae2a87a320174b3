"""Captures of frames at link ends in pcapng files."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from weir.files.whole_file import WholeFile

if TYPE_CHECKING:
    from weir import _core_contracts as cores


class Capture:
    """A running capture of link ends, from :meth:`Network.capture`.

    Attributes:
        path: the file, which is complete once the capture is closed.
    """

    def __init__(self, core: cores.Network, path: Path, ends: list[tuple[str, int]], filter: str) -> None:
        self._core = core
        self.path = path
        self._open = False
        self._file = WholeFile(path, follow=True)
        with self._file.discard_on_error():
            core.capture(ends, filter, str(self._file.partial))
        self._open = True

    def __repr__(self) -> str:
        return f"<weir.Capture {self.path}{', open' if self._open else ''}>"

    @property
    def is_open(self) -> bool:
        """Whether the capture is still recording frames."""
        return self._open

    def close(self) -> Path:
        """Ends the capture.

        Returns:
            The file.

        Raises:
            FileError: the file could not be written. An older file of the same name is unchanged.
        """
        if self._open:
            self._open = False
            with self._file.discard_on_error():
                self._core.finish_capture(str(self._file.partial))
            self._file.commit()
        return self.path
