"""Hosts of a network that runs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, TypeVar

from weir import _core, hostcommand
from weir.attributes import attributes_are_told
from weir.errors import NetworkError
from weir.host.asking import Asking
from weir.host.framing import Framing
from weir.host.pinging import Pinging
from weir.host.streaming import Streaming
from weir.hostprogram import HostProgram, Running, check_callbacks
from weir.interface import Interface
from weir.keywords import keywords_are_told
from weir.traffic import check_flag, check_port, check_ports, check_text

if TYPE_CHECKING:
    from weir.network import Network

__all__ = ["Host"]

Prog = TypeVar("Prog", bound=HostProgram)


@attributes_are_told
@keywords_are_told
class Host(Pinging, Streaming, Asking, Framing):
    """A host of a network. Got from :meth:`Network.host`.

    Attributes:
        name: such as ``h1``.
    """

    def __init__(self, network: Network, core: _core.Host, name: str) -> None:
        super().__init__(network, core, name)
        self._spec = network.topology.hosts[name]

    @property
    def ip(self) -> str:
        """Its IPv4 address: the first of ``eth0``.

        Raises:
            TopologyError: commands have taken it away.
        """
        return self._spec.ip.address

    @property
    def addresses(self) -> list[str]:
        """All its addresses, of IPv4 and IPv6, that were given to it."""
        return [own.address for interface in self._spec.interfaces for own in interface.addresses]

    @property
    def prefixes(self) -> list[str]:
        """The same with the lengths of their networks' prefixes, such as ``10.0.1.1/24``."""
        return [str(own) for interface in self._spec.interfaces for own in interface.addresses]

    @property
    def mac(self) -> str:
        """Its Ethernet address: that of ``eth0``."""
        return self._spec.mac

    def serve(self, port: int, *, reflect_options: bool = False) -> None:
        """Takes connections of TCP at a port from now on. Flows and requests see to that themselves; this says how.

        Args:
            port: 1 to 65535.
            reflect_options: whether the IPv4 options of a SYN come back in the SYN-ACK.

        Raises:
            NetworkError: the port is taken.
        """
        self._network.check_open()
        check_port("port", port)
        check_flag("reflect_options", reflect_options)
        self._core.serve(port, reflect_options)

    def run(
        self,
        program: Prog,
        *,
        udp: int | Iterable[int] = (),
        tcp: int | Iterable[int] = (),
        frames: bool | str = False,
    ) -> Prog:
        """Starts a program on the host: it is called for what arrives as the network's time passes; see :class:`HostProgram`.

        Args:
            program: what to run.
            udp: the UDP ports it listens on.
            tcp: the TCP ports it takes connections at; see also :meth:`HostProgram.listen`.
            frames: whether it sees the frames that arrive at ``eth0``, whatever the host does with them: all, or those that a filter
                in tcpdump's language matches, such as ``"ether proto 0x1313"``.

        Returns:
            The program.

        Raises:
            NetworkError: it runs already, a port is taken, or one of its methods seems to be a callback with a wrong name.
        """
        self._network.check_open()
        if not isinstance(program, HostProgram):
            raise NetworkError(
                f"{program!r} is no program: expected an object of a class made from weir.HostProgram"
            )
        if program._running is not None:
            raise NetworkError("the program runs already: make another, or stop it")
        check_callbacks(program)
        ports, connections = check_ports("udp", udp), check_ports("tcp", tcp)
        if not isinstance(frames, (bool, str)):
            raise NetworkError(f"frames: {frames!r} is neither True nor False nor a filter")
        running = Running(self._network, self, self._core, program)
        try:
            running.open(ports, connections, frames)
            running.start()
        except BaseException:
            running.stop()
            raise
        return program

    def interface(self, name: str = "eth0") -> Interface:
        """One of its interfaces, such as ``eth0``: to look at its queueing discipline, and to set it.

        Raises:
            NetworkError: it has no such interface, or no link at it.
        """
        check_text("interface", name, "eth0")
        return self._network.interface(f"{self.name}-{name.removeprefix(f'{self.name}-')}")

    def tc(self, command: str) -> str:
        """Does a ``tc`` command, now: ``host.tc("qdisc replace dev eth0 root fq maxrate 20mbit")``.

        Returns:
            What ``tc -s qdisc show`` and its likes print; of other commands nothing.

        Raises:
            NetworkError: the command is not understood, or does not fit what earlier ones made.
        """
        return self._network.tc(self.name, command)

    def cmd(self, command: str) -> str:
        """Does one of the commands that topologies carry, now: ``host.cmd("ip route add 10.9.0.0/16 via 10.0.1.9")``.

        Addresses, MTUs, routes, neighbours, queueing disciplines, settings of TCP and ``up`` and ``down`` of interfaces change.

        Returns:
            What a command that shows something prints; of other commands nothing.

        Raises:
            NetworkError: the command is not understood, or does not fit what is there.
        """
        check_text("command", command, "ip route add 10.9.0.0/16 via 10.0.1.9")
        self._spec, shown = hostcommand.run(self._network, self._spec, command)
        return shown

    def __repr__(self) -> str:
        return f"<weir.Host {' '.join([self.name, *self.addresses[:1]])}>"
