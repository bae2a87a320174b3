"""Captures: a pcapng file per link, under its final name only once it is complete.

A capture listens at one end of its link, as ``tcpdump -i`` would on that node: it shows each packet once. It is a host's end
if the link has one, else the first end.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from weir import _core
from weir.errors import FileError
from weir.topology import LinkSpec


class Captures:
    """The captures of a running network.

    Args:
        core: the network.
        folder: where the files go; made if it is not there.
        links: the links in the order of their numbers.

    Raises:
        FileError: the folder or a file cannot be written.
    """

    def __init__(self, core: _core.Network, folder: Path, links: Sequence[LinkSpec]) -> None:
        self._core = core
        self._files: list[tuple[Path, Path]] = []
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except FileExistsError:
            raise FileError("is a file, expected a folder for captures", file=folder) from None
        except OSError as error:
            raise FileError(f"cannot be made: {error.strerror or error}", file=folder) from None
        for number, link in enumerate(links):
            final = folder / file_name(link)
            partial = final.with_name(f"{final.name}.part")
            try:
                core.link(number).capture(listening_end(link), str(partial))
            except FileError:
                self._discard()
                raise
            self._files.append((partial, final))

    def close(self) -> None:
        """Ends the files and gives them their final names.

        Raises:
            FileError: one could not be written; then none is left.
        """
        try:
            self._core.finish_captures()
        except FileError:
            self._discard()
            raise
        for partial, final in self._files:
            try:
                partial.replace(final)
            except OSError as error:
                raise FileError(f"cannot be written: {error.strerror or error}", file=final) from None

    def _discard(self) -> None:
        """Takes away what is there of files that will not be whole."""
        for partial, _ in self._files:
            with suppress(OSError):
                partial.unlink()


class Capture:
    """A capture of some link ends that runs. Got from :meth:`Network.capture`.

    Attributes:
        path: the file it has once it is closed.
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
        """Whether frames are still written."""
        return self._open

    def close(self) -> Path:
        """Ends it; the file.

        Raises:
            FileError: it could not be written; then it is not there.
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


def listening_end(link: LinkSpec) -> int:
    """The end at which the link's capture listens: 0 for ``a``, 1 for ``b``."""
    return 1 if link.a.port is not None and link.b.port is None else 0


def file_name(link: LinkSpec) -> str:
    """The capture's file name, such as ``h1_s1-p1.pcapng``."""
    return f"{link.a}_{link.b}.pcapng"
