"""A capture of link ends in a pcapng file."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from weir import _core
from weir.errors import FileError


class Capture:
    """A running capture of link ends, from :meth:`Network.capture`.

    Attributes:
        path: the file, which is complete once the capture is closed.
    """

    def __init__(self, core: _core.Network, path: Path, ends: list[tuple[str, int]], filter: str) -> None:
        self._core = core
        self.path = path
        self._partial = path.with_name(f"{path.name}.part")
        self._open = False
        core.capture(ends, filter, str(self._partial))
        self._open = True

    def __repr__(self) -> str:
        return f"<weir.Capture {self.path}{', open' if self._open else ''}>"

    @property
    def is_open(self) -> bool:
        """Whether it still records frames."""
        return self._open

    def close(self) -> Path:
        """Ends it.

        Returns:
            The file.

        Raises:
            FileError: the file could not be written; then it does not exist.
        """
        if self._open:
            self._open = False
            try:
                self._core.finish_capture(str(self._partial))
            except FileError:
                with suppress(OSError):
                    self._partial.unlink()
                raise
            try:
                self._partial.replace(self.path)
            except OSError as error:
                raise FileError(f"cannot be written: {error.strerror or error}", file=self.path) from None
        return self.path
