"""Worlds, in which the hosts, links and switches of a network exist."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from weir import _core_contracts as cores
    from weir.clock import Clock
    from weir.control.controller import Controller
    from weir.control.profile import Profile
    from weir.control.switch import Switch
    from weir.links.link import Link
    from weir.p4runtime.server import Server, ServerOptions
    from weir.program import Program
    from weir.system.process import Process
    from weir.topology import HostSpec

WorldName: TypeAlias = Literal["virtual", "linux"]
"""The type of a world's name."""

WORLDS = ("virtual", "linux")
"""The names of all worlds."""


class World(ABC):
    """The world in which a network exists.

    Attributes:
        name: the name that callers use.
        core: the core that implements hosts, links, switches and time.
    """

    name: WorldName
    core: cores.Network

    @abstractmethod
    def switch(self, name: str, program: Program, profile: Profile) -> Switch:
        """Creates the object for a switch that the core has."""

    @abstractmethod
    def controller(self, switch: Switch, clock: Clock, port: int) -> Controller:
        """Connects a controller to a switch's CPU port. The links have been connected before."""

    @abstractmethod
    def begin(self) -> None:
        """Waits until all switches run their programs."""

    @abstractmethod
    def command(
        self, link_at: Callable[[str, int], Link], host: HostSpec, command: str
    ) -> tuple[HostSpec, str]:
        """Runs a command on a host.

        Args:
            link_at: a function that returns the link at an interface of a node.
            host: the host's current specification.
            command: the command.

        Returns:
            The host's new specification, and the output of the command.

        Raises:
            NetworkError: the command cannot be run.
        """

    @abstractmethod
    def popen(self, host: str, command: str | list[str], options: dict[str, Any]) -> Process:
        """Starts a program on a host, and does not wait for its end."""

    @abstractmethod
    def show(self, host: str, line: str) -> int:
        """Runs a line of the shell on a host, with this process's terminal or files.

        Returns:
            The exit code.
        """

    @abstractmethod
    def serve(self, clock: Clock, switches: Mapping[str, Switch], options: ServerOptions) -> Server:
        """Serves P4Runtime for the switches. The switches already run their programs."""

    @abstractmethod
    def close(self) -> None:
        """Ends the hosts, links and switches."""
