"""The captures of a network's links, in pcapng files.

A file has its final name only once it is complete.

Like ``tcpdump -i`` on a node, a capture listens at one end of its link, so that it has each packet
once. It listens at the host's end if there is a host, otherwise at the first end.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from weir.errors import FileError
from weir.files import is_folder, is_there, system_errors
from weir.files.whole_file import WholeFile
from weir.topology import LinkSpec

if TYPE_CHECKING:
    from weir import _core_contracts as cores


class LinkCaptures:
    """The captures of all links of a running network.

    Args:
        core: the network.
        folder: the folder for the files, which is created if it does not exist.
        links: the links in the order of their numbers.

    Raises:
        FileError: the folder or a file cannot be written.
    """

    def __init__(self, core: cores.Network, folder: Path, links: Sequence[LinkSpec]) -> None:
        self._core = core
        self._files: list[WholeFile] = []
        if is_there(folder) and not is_folder(folder):
            raise FileError("is a file, expected a folder for captures", file=folder)
        with system_errors(folder, "cannot be created"):
            folder.mkdir(parents=True, exist_ok=True)
        for number, (link, name) in enumerate(zip(links, file_names(links), strict=True)):
            try:
                file = WholeFile(folder / name)
                self._files.append(file)
                with file.discard_on_error():
                    core.link(number).capture(listening_end(link), str(file.partial))
            except FileError:
                self._discard()
                raise

    def close(self) -> None:
        """Completes the files and gives them their final names.

        Raises:
            FileError: a file could not be written; all files are then removed.
        """
        try:
            self._core.finish_captures()
        except FileError:
            self._discard()
            raise
        for file in self._files:
            file.commit()

    def _discard(self) -> None:
        """Removes the incomplete files."""
        for file in self._files:
            file.discard()


def listening_end(link: LinkSpec) -> int:
    """Returns the end at which the link's capture listens: 0 for ``a``, 1 for ``b``."""
    return 1 if link.a.port is not None and link.b.port is None else 0


def file_names(links: Sequence[LinkSpec]) -> list[str]:
    """Returns the names of the captures' files, such as ``h1_s1-p1.pcapng``.

    Names of nodes have at most 63 characters, which are letters, digits, ``_`` and ``.``, so the
    result is always a valid file name. If nodes have ``_`` in their names, two links may get the
    same name, such as those of ``a_b`` and ``c``, and of ``a`` and ``b_c``. The links' numbers then
    distinguish the files.
    """
    names = [f"{link.a}_{link.b}" for link in links]
    counts = Counter(names)
    return [f"{name}{f'-{number}' if counts[name] > 1 else ''}.pcapng" for number, name in enumerate(names)]
