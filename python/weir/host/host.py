"""A host of a running network."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, TypeVar

from weir.errors.checks import check_flag, check_port, check_text, frame_bytes
from weir.host import traffic
from weir.host.blocking import blocking
from weir.host.program.callbacks import Callbacks
from weir.host.program.running_program import start_program
from weir.host.traffic.peer import interface_number
from weir.links.interface import Interface
from weir.links.sniffer import Sniffer

if TYPE_CHECKING:
    from weir import _core_contracts as cores
    from weir.owners.network import Network
    from weir.system.process import Process

Prog = TypeVar("Prog", bound=Callbacks)


class Host:
    """A host of a network, from :meth:`Network.host`.

    Each ``start_…`` method starts traffic and returns a :class:`weir.Flow`, which runs while the
    network's time passes. The method without ``start_`` also runs the network until the traffic has
    finished, and returns its result.
    """

    __slots__ = ("_core", "_name", "_network", "_spec")

    start_ping = traffic.start_ping
    ping = blocking(traffic.start_ping)
    start_iperf = traffic.start_iperf
    iperf = traffic.iperf
    start_poisson = traffic.start_poisson
    poisson = blocking(traffic.start_poisson)
    start_on_off = traffic.start_on_off
    on_off = blocking(traffic.start_on_off)
    start_requests = traffic.start_requests
    requests = blocking(traffic.start_requests)
    start_transfers = traffic.start_transfers
    transfers = blocking(traffic.start_transfers)
    traceroute = traffic.traceroute
    start_replay = traffic.start_replay
    replay = blocking(traffic.start_replay)

    def __init__(self, network: Network, core: cores.Host, name: str) -> None:
        self._network = network
        self._core = core
        self._name = name
        self._spec = network.topology.hosts[name]

    @property
    def name(self) -> str:
        """The name of the host, such as ``h1``."""
        return self._name

    @property
    def ip(self) -> str:
        """The host's IPv4 address: the first address of ``eth0``.

        Raises:
            TopologyError: a command has removed the address.
        """
        return self._spec.ip.address

    @property
    def addresses(self) -> list[str]:
        """The host's configured addresses, IPv4 and IPv6."""
        return [address.address for interface in self._spec.interfaces for address in interface.addresses]

    @property
    def prefixes(self) -> list[str]:
        """The host's addresses with prefix lengths, such as ``10.0.1.1/24``."""
        return [str(address) for interface in self._spec.interfaces for address in interface.addresses]

    @property
    def mac(self) -> str:
        """The host's Ethernet address: the address of ``eth0``."""
        return self._spec.mac

    def send(self, packet: object, interface: str = "eth0") -> None:
        """Sends a raw frame, which leaves as soon as virtual time passes.

        Args:
            packet: the frame from its Ethernet header on: bytes, or an object that ``bytes()``
                converts, such as a Scapy packet.
            interface: the interface that sends it.

        Raises:
            NetworkError: ``packet`` is not a packet, or the host has no such interface.
        """
        self._network._clock.check_open()
        self._core.send_frame(interface_number(self, interface), frame_bytes(packet))

    def sniff(self, filter: str = "", interface: str = "eth0") -> Sniffer:
        """Records the frames that pass one of the host's interfaces; see :meth:`Network.sniff`.

        Raises:
            NetworkError: the host has no such interface, nothing is connected to it, or the filter
                cannot be read.
        """
        return self._network.sniff(f"{self.name}-eth{interface_number(self, interface)}", filter)

    def serve(self, port: int, *, reflect_options: bool = False) -> None:
        """Accepts TCP connections at a port from now on.

        Call it only to set options: flows and requests open the port of their target themselves.

        Args:
            port: the TCP port, 1 to 65535.
            reflect_options: whether the SYN-ACK carries the IPv4 options of the SYN.

        Raises:
            NetworkError: the port is in use.
        """
        self._network._clock.check_open()
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
        """Starts a program on the host, which is called for arriving packets and timers.

        See :class:`HostProgram`.

        Args:
            program: the program to run.
            udp: the UDP ports that the program listens on.
            tcp: the TCP ports at which the program accepts connections; see also
                :meth:`HostProgram.listen`.
            frames: whether the program receives a copy of frames that arrive at ``eth0``: all
                frames, or those that match a filter in tcpdump's language, such as ``"ether proto
                0x1313"``.

        Returns:
            The program.

        Raises:
            NetworkError: the program is already running, a port is in use, or one of the program's
                methods looks like a misspelt callback.
        """
        self._network._clock.check_open()
        start_program(program, self, udp, tcp, frames)
        return program

    def interface(self, name: str = "eth0") -> Interface:
        """Returns an interface, such as ``eth0``, with which to read and set the queueing
        discipline.

        Raises:
            NetworkError: the host has no such interface, or no link is connected to it.
        """
        check_text("interface", name, "eth0")
        return self._network.interface(f"{self.name}-{name.removeprefix(f'{self.name}-')}")

    def tc(self, command: str) -> str:
        """Runs a ``tc`` command, such as ``host.tc("qdisc replace dev eth0 root fq maxrate
        20mbit")``.

        Returns:
            The output of commands such as ``tc -s qdisc show``; an empty string for other commands.

        Raises:
            NetworkError: the command is not understood, or does not fit the host's configuration.
        """
        return self._network.tc(self.name, command)

    def cmd(self, command: str) -> str:
        """Runs a command, such as ``host.cmd("ip route add 10.9.0.0/16 via 10.0.1.9")``.

        In the virtual world, the commands are those that topology files may contain: they change
        addresses, MTUs, routes, neighbours, queueing disciplines, TCP settings, and set interfaces
        up or down. In the Linux world, the shell runs any command, and this method waits until it
        exits; with ``&`` the command continues in the background until the network is closed.

        Returns:
            The output of the command, in the Linux world including its error output.

        Raises:
            NetworkError: in the virtual world: the command is not understood, or does not fit the
                host's configuration.
        """
        check_text("command", command, "ip route add 10.9.0.0/16 via 10.0.1.9")
        self._network._clock.check_open()
        self._spec, output = self._network._world.command(self._network._nodes.link_at, self._spec, command)
        return output

    def popen(self, command: str | list[str], **options: Any) -> Process:
        """Starts a program on a host of the Linux world, without waiting for it to exit.

        >>> server = net.host("h2").popen("sleep 10")  # doctest: +SKIP

        Args:
            command: a line for the shell, or the program and its arguments.
            options: ``stdin`` (nothing by default), ``stdout`` (a pipe), ``stderr`` (with
                ``stdout``), as for :class:`subprocess.Popen`; ``folder``: the working directory;
                ``environment``: the environment variables, by default those of this process.

        Returns:
            The running program, much like a :class:`subprocess.Popen`.

        Raises:
            NetworkError: the host is simulated, or the command is not valid.
        """
        self._network._clock.check_open()
        return self._network._world.popen(self.name, command, options)

    def __repr__(self) -> str:
        return f"<weir.Host {' '.join([self.name, *self.addresses[:1]])}>"
