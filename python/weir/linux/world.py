"""The Linux world, in which hosts and switches are network namespaces and time is real."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from weir.linux import commands
from weir.linux.controller import RealController
from weir.linux.network import LinuxNetwork
from weir.linux.p4runtime_server import LinuxServer
from weir.linux.switch import RealSwitch, SwitchProcess
from weir.owners.world import World

if TYPE_CHECKING:
    from weir.clock import Clock
    from weir.control.controller import Controller
    from weir.control.profile import Profile
    from weir.control.switch import Switch
    from weir.links.link import Link
    from weir.p4runtime.server import Server, ServerOptions
    from weir.program import Program
    from weir.system.process import Process
    from weir.topology import HostSpec, Topology


class LinuxWorld(World):
    """A world of Linux network namespaces that runs in real time."""

    name = "linux"
    core: LinuxNetwork

    def __init__(
        self,
        topology: Topology,
        seed: int,
        first_device: int | None,
        switches: str = "weir",
        offloads: bool | None = None,
        as_root: bool = False,
    ) -> None:
        self.core = LinuxNetwork(topology, seed, first_device, switches, offloads, as_root)

    def switch(self, name: str, program: Program, profile: Profile) -> Switch:
        """Creates the object for a switch that runs in its own process; see
        :meth:`World.switch`."""
        return RealSwitch(self.core.switch_process(name), name, program)

    def controller(self, switch: Switch, clock: Clock, port: int) -> Controller:
        """Creates the controller of a switch; see :meth:`World.controller`."""
        running = self.core.switch_process(switch.name)
        return RealController(partial(self.core.listen, switch.name), running, clock, switch, port)

    def begin(self) -> None:
        """Waits until all switches run their programs; see :meth:`World.begin`."""
        self.core.begin()

    def command(
        self, link_at: Callable[[str, int], Link], host: HostSpec, command: str
    ) -> tuple[HostSpec, str]:
        """Runs a shell command on a host; see :meth:`World.command`."""
        return commands.run(self.core, host, command)

    def popen(self, host: str, command: str | list[str], options: dict[str, Any]) -> Process:
        """Starts a program on a host; see :meth:`World.popen`."""
        return commands.start(self.core, host, command, options)

    def show(self, host: str, line: str) -> int:
        """Runs a line of the shell on a host; see :meth:`World.show`."""
        return commands.show(self.core, host, line)

    def serve(self, clock: Clock, switches: Mapping[str, Switch], options: ServerOptions) -> Server:
        """Starts the P4Runtime servers of switches; see :meth:`World.serve`."""
        running = {name: self.core.switch_process(name) for name in switches}
        return LinuxServer(
            {name: switch for name, switch in running.items() if isinstance(switch, SwitchProcess)}, options
        )

    def close(self) -> None:
        """Closes the network and its servers."""
        self.core.close()
