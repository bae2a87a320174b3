"""The ends of links: hosts' interfaces and switches' ports."""

from __future__ import annotations

from dataclasses import dataclass

# For type checkers only: the stub has names that the module lacks.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from weir import _core


@dataclass(frozen=True)
class Endpoint:
    """One end of a link: a host (``port`` is None) and its interface, or a switch and its port."""

    node: str
    port: int | None = None
    interface: int = 0

    @property
    def number(self) -> int:
        """The port's number, or the interface's."""
        return self.interface if self.port is None else self.port

    @property
    def row(self) -> _core.EndRow:
        """Its values in the form of the core."""
        return self.node, self.port, self.interface

    @property
    def interface_name(self) -> str:
        """The interface's name, such as ``h1-eth0`` or ``s1-p2``."""
        return f"{self.node}-eth{self.interface}" if self.port is None else f"{self.node}-p{self.port}"

    def __str__(self) -> str:
        if self.port is not None:
            return f"{self.node}-p{self.port}"
        return f"{self.node}-eth{self.interface}" if self.interface else self.node
