"""The virtual world: simulated hosts and links on a virtual clock."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from weir import _core
from weir.control.controller import Controller
from weir.control.switch import Switch
from weir.errors import NetworkError
from weir.host.command import run_command
from weir.links.link import Link
from weir.owners.world import World
from weir.topology import Endpoint, LinkSpec

if TYPE_CHECKING:
    from weir.clock import Clock
    from weir.control.profile import Profile
    from weir.p4runtime.server import Server, ServerOptions
    from weir.program import Program
    from weir.system.process import Process
    from weir.topology import HostSpec


class VirtualWorld(World):
    """Simulated hosts and links on a virtual clock."""

    name = "virtual"
    core: _core.Network

    def __init__(self, seed: int, computer: dict[str, Any] | None = None, threads: int = 1) -> None:
        self.core = _core.Network(seed, threads)
        if computer is not None:
            self.core.share_computer(computer)

    def switch(self, name: str, program: Program, profile: Profile) -> Switch:
        """Creates the object for a switch of the core; see :meth:`World.switch`."""
        return Switch(self.core.switch(name), name, program, profile)

    def controller(self, switch: Switch, clock: Clock, port: int) -> Controller:
        """Connects a controller to a switch's CPU port; see :meth:`World.controller`."""
        end = f"{switch.name}:controller"
        link = Link(
            self.core.link(self.core.add_controller(end, switch.name, port)),
            LinkSpec(Endpoint(end), Endpoint(switch.name, port), None),
        )
        return Controller(self.core, clock, switch, (end, port), link)

    def begin(self) -> None:
        """Does nothing, because simulated switches run at once; see :meth:`World.begin`."""

    def command(
        self, link_at: Callable[[str, int], Link], host: HostSpec, command: str
    ) -> tuple[HostSpec, str]:
        """Runs a command on a host; see :meth:`World.command`."""
        return run_command(self.core, link_at, host, command)

    def popen(self, host: str, command: str | list[str], options: dict[str, Any]) -> Process:
        """Refuses the call, because simulated hosts cannot run programs; see
        :meth:`World.popen`."""
        raise NetworkError(
            f'{host} is simulated and cannot run programs: create the network with world="linux", or run a '
            "weir.HostProgram with Host.run"
        )

    def show(self, host: str, line: str) -> int:
        """Refuses the call, because simulated hosts cannot run programs; see :meth:`World.show`."""
        raise NetworkError(
            f"{host} is simulated and cannot run programs: weir run --world linux has real hosts"
        )

    def serve(self, clock: Clock, switches: Mapping[str, Switch], options: ServerOptions) -> Server:
        """Creates the P4Runtime server of switches; see :meth:`World.serve`."""
        from weir.p4runtime.server import Server

        return Server(self.core, clock, switches, options)

    def close(self) -> None:
        """Does nothing, because simulated nodes need no clean-up; see :meth:`World.close`."""
