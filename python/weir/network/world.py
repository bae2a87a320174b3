"""Worlds: where the hosts, links and switches of a network are."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

from weir import _core
from weir.control.controller import Controller
from weir.control.switch import Switch
from weir.errors import NetworkError, shown
from weir.host.command import run_command
from weir.link import Link
from weir.suggest import nearest
from weir.topology import Endpoint, LinkSpec

if TYPE_CHECKING:
    from weir.clock import Clock
    from weir.linux.network import LinuxNetwork
    from weir.linux.process import Process
    from weir.network.network import Network
    from weir.network.profile import Profile
    from weir.p4runtime import Server, ServerOptions
    from weir.program import Program
    from weir.topology import HostSpec, Topology

WorldName: TypeAlias = Literal["virtual", "linux"]

WORLDS = ("virtual", "linux")
"""The names of all worlds."""


class World(ABC):
    """Where a network is.

    Attributes:
        name: what callers call it.
        core: what hosts, links, switches and time are made of. That of the Linux world has the same
            methods as that of the virtual one.
    """

    name: WorldName
    core: _core.Network

    @abstractmethod
    def switch(self, name: str, program: Program, profile: Profile) -> Switch:
        """The switch of that name, which the core has."""

    @abstractmethod
    def controller(self, switch: Switch, clock: Clock, port: int) -> Controller:
        """Connects a controller to a switch's CPU port, after the links."""

    @abstractmethod
    def begin(self) -> None:
        """Waits until all switches run their programs."""

    @abstractmethod
    def command(self, network: Network, host: HostSpec, command: str) -> tuple[HostSpec, str]:
        """Runs a command on a host.

        Returns:
            The host's new specification, and what the command printed.

        Raises:
            NetworkError: it cannot be run.
        """

    @abstractmethod
    def popen(self, host: str, command: str | list[str], options: dict[str, Any]) -> Process:
        """Starts a program on a host."""

    @abstractmethod
    def show(self, host: str, line: str) -> int:
        """Runs a line of the shell on a host, with this process's terminal or files.

        Returns:
            The exit code.
        """

    @abstractmethod
    def serve(self, clock: Clock, switches: Mapping[str, Switch], options: ServerOptions) -> Server:
        """Serves P4Runtime, once the switches run their programs."""

    @abstractmethod
    def close(self) -> None:
        """Ends it."""


class VirtualWorld(World):
    """Simulated hosts and links on a virtual clock."""

    name = "virtual"

    def __init__(self, seed: int) -> None:
        self.core = _core.Network(seed)

    def switch(self, name: str, program: Program, profile: Profile) -> Switch:
        """See :meth:`World.switch`."""
        return Switch(self.core.switch(name), name, program, profile)

    def controller(self, switch: Switch, clock: Clock, port: int) -> Controller:
        """See :meth:`World.controller`."""
        end = f"{switch.name}:controller"
        link = Link(
            self.core.link(self.core.add_controller(end, switch.name, port)),
            LinkSpec(Endpoint(end), Endpoint(switch.name, port), None),
        )
        return Controller(self.core, clock, switch, (end, port), link)

    def begin(self) -> None:
        """See :meth:`World.begin`."""

    def command(self, network: Network, host: HostSpec, command: str) -> tuple[HostSpec, str]:
        """See :meth:`World.command`."""
        return run_command(network, host, command)

    def popen(self, host: str, command: str | list[str], options: dict[str, Any]) -> Process:
        """See :meth:`World.popen`."""
        raise NetworkError(
            f'{host} is simulated and runs no programs: make the network with world="linux", or run a '
            "weir.HostProgram with Host.run"
        )

    def show(self, host: str, line: str) -> int:
        """See :meth:`World.show`."""
        raise NetworkError(f"{host} is simulated and runs no programs: weir run --world linux has real hosts")

    def serve(self, clock: Clock, switches: Mapping[str, Switch], options: ServerOptions) -> Server:
        """See :meth:`World.serve`."""
        from weir.p4runtime import Server

        return Server(self.core, clock, switches, options)

    def close(self) -> None:
        """Ends it."""


class LinuxWorld(World):
    """Network namespaces of Linux on the wall clock."""

    name = "linux"

    def __init__(self, topology: Topology, seed: int, first_device: int | None) -> None:
        from weir.linux.network import LinuxNetwork

        self._network: LinuxNetwork = LinuxNetwork(topology, seed, first_device)
        self.core = cast("_core.Network", self._network)

    def switch(self, name: str, program: Program, profile: Profile) -> Switch:
        """See :meth:`World.switch`."""
        from weir.linux.switch import RealSwitch

        return RealSwitch(self._network.switch_process(name), name, program)

    def controller(self, switch: Switch, clock: Clock, port: int) -> Controller:
        """See :meth:`World.controller`."""
        from weir.linux.controller import RealController

        running = self._network.switch_process(switch.name)
        return RealController(self._network, running, clock, switch, port)

    def begin(self) -> None:
        """See :meth:`World.begin`."""
        self._network.begin()

    def command(self, network: Network, host: HostSpec, command: str) -> tuple[HostSpec, str]:
        """See :meth:`World.command`."""
        from weir.linux.commands import run

        return run(self._network, host, command)

    def popen(self, host: str, command: str | list[str], options: dict[str, Any]) -> Process:
        """See :meth:`World.popen`."""
        from weir.linux.commands import start

        return start(self._network, host, command, options)

    def show(self, host: str, line: str) -> int:
        """See :meth:`World.show`."""
        from weir.linux.commands import show

        return show(self._network, host, line)

    def serve(self, clock: Clock, switches: Mapping[str, Switch], options: ServerOptions) -> Server:
        """See :meth:`World.serve`."""
        from weir.linux.doors import LinuxServer

        return LinuxServer({name: self._network.switch_process(name) for name in switches}, options)

    def close(self) -> None:
        """Ends it."""
        self._network.close()


def make_world(
    name: str, topology: Topology, seed: int, simulated: Sequence[str], served: ServerOptions | None
) -> World:
    """The world of that name.

    Args:
        name: its name.
        topology: what it is for.
        seed: of random effects.
        simulated: the options that were given and that only simulated parts have.
        served: how controllers reach the switches, if they do.

    Raises:
        NetworkError: there is none, or this computer or the topology does not allow it.
    """
    if name == "virtual":
        return VirtualWorld(seed)
    if name == "linux":
        for option in simulated:
            raise NetworkError(
                f"{option}: hosts and switches of the Linux world are as fast as this computer: leave it out"
            )
        if served is not None:
            from weir.linux.doors import check_options

            check_options(served)
        return LinuxWorld(topology, seed, None if served is None else served.first_device_id)
    raise no_such_world(name)


def no_such_world(name: object) -> NetworkError:
    """The error for a world that does not exist."""
    suggestion = nearest(name, WORLDS) if isinstance(name, str) else None
    return NetworkError(
        f"world: there is no world {shown(name)} (there are: {', '.join(WORLDS)})", suggestion=suggestion
    )
