"""Example networks, each in a folder with a P4 program, a topology, and a script that runs them.

Examples use only Weir's public Python API, so a copy (``weir example copy``) runs the same. To
add one: create its folder here with a ``run.py`` that has ``main(plot)``, describe it in
`EXAMPLES`, and write its page in docs/examples.
"""

from __future__ import annotations

import runpy
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Final

from weir.files import copy_files

__all__ = ["EXAMPLES", "Example"]


@dataclass(frozen=True)
class Example:
    """An example network.

    Attributes:
        name: the name of the example's folder and of its page in the docs.
        title: a line that says what the example shows.
    """

    name: str
    title: str

    @property
    def folder(self) -> Path:
        """The folder of the example's files."""
        return Path(__file__).parent / self.name

    @property
    def files(self) -> list[Path]:
        """The files, by name."""
        return sorted(path for path in self.folder.iterdir() if path.is_file())

    def run(self, plot: str | Path | None = None) -> None:
        """Runs the example, and prints what happens.

        Args:
            plot: the file for a picture, ``.png``, ``.svg`` or ``.pdf``.

        Raises:
            MissingExtraError: there is a picture to draw, and matplotlib is not installed.
        """
        runpy.run_path(str(self.folder / "run.py"))["main"](plot)

    def copy(self, into: str | Path) -> list[Path]:
        """Copies the example's files to a new or empty folder, and returns their paths.

        Raises:
            FileError: the folder is not empty, or cannot be written.
        """
        return copy_files(self.files, into)


_ALL: Final = (
    Example("ecmp", "A router spreads flows over two paths, and one of them fails"),
    Example("nat", "A NAT in registers: two hosts behind one public address"),
    Example("firewall", "A stateful firewall, which lets in only answers, for 30 s"),
    Example("balancer", "A load balancer for three servers, one of which is drained"),
    Example("monitor", "Probes collect byte counters of the switches on their path"),
    Example("learning", "An Ethernet switch and its controller, which learns from digests"),
    Example("aqm", "Four ways to manage a queue: drop-tail, CoDel, FQ-CoDel, and P4"),
    Example("multicast", "One stream to five receivers, copied by switches"),
)

EXAMPLES: Final[Mapping[str, Example]] = MappingProxyType({example.name: example for example in _ALL})
"""All examples by name."""
