"""Base class of programs on hosts."""

from __future__ import annotations

from typing import Unpack

from weir import units
from weir.errors import NetworkError
from weir.flows.tcp_options import TcpOptions, tcp_options
from weir.host import Host
from weir.host.program.callbacks import Callbacks
from weir.host.program.connection import Connection
from weir.host.program.running_program import RunningProgram
from weir.network import Network


class HostProgram(Callbacks):
    """A program on a host: override the callbacks it needs, and start it with :meth:`Host.run`.

    Virtual time is paused during a callback. A callback may send, open connections, set timers, and
    change links, tables and switches; it must not run the network. An exception ends the run and is
    raised from the method that ran the network; the remaining callbacks of that instant are called
    when the network runs again, before time passes. A program behaves the same on any computer. A
    callback costs about 10 µs of real time.

    On real hosts (``world="linux"``), a program uses the host's sockets, and is called while a
    method runs the network. Time continues during a callback.

    >>> class Echo(weir.HostProgram):                              # doctest: +SKIP
    ...     def on_datagram(self, datagram):
    ...         self.send_udp(datagram.source, datagram.source_port, datagram.payload)
    ...     def on_data(self, connection, data):
    ...         connection.send(data)
    >>> net.host("h2").run(Echo(), udp=7, tcp=7)                   # doctest: +SKIP
    """

    @property
    def host(self) -> Host:
        """The host on which the program runs.

        Raises:
            NetworkError: the program is not running.
        """
        host = self._run.host
        assert isinstance(host, Host), "Host.run starts programs"
        return host

    @property
    def network(self) -> Network:
        """The network in which the program runs."""
        network = self._run.network
        assert isinstance(network, Network), "hosts are in networks"
        return network

    @property
    def now_ns(self) -> int:
        """Virtual nanoseconds since the network's start."""
        return self._run.network.now_ns

    @property
    def now(self) -> float:
        """Virtual seconds since the network's start."""
        return self.now_ns / 1e9

    @property
    def connections(self) -> list[Connection]:
        """The program's TCP connections that have not ended, the oldest first."""
        return list(self._run.connections.values())

    def send_udp(self, target: str | Host, port: int, payload: bytes, source_port: int | None = None) -> None:
        """Sends a UDP datagram at once.

        Args:
            target: a host, its name, or an IP address.
            port: the destination port.
            payload: the bytes after the UDP header.
            source_port: one of the program's ports; the first by default.

        Raises:
            NetworkError: there is no such host or route, or the program does not listen on that
                port.
        """
        self._run.send_udp(target, port, payload, source_port)

    def connect(self, target: str | Host, port: int, **options: Unpack[TcpOptions]) -> Connection:
        """Opens a TCP connection. :meth:`on_connect` is called when the connection is established,
        :meth:`on_close` if that fails.

        Args:
            target: a host, its name, or an IP address.
            port: the port to connect to.
            options: ``congestion``, ``rate``, ``mss``, ``window``, ``ecn``, ``sack``, ``nodelay``,
                if they differ from the host's settings (``sysctl``); see :meth:`Host.iperf`.

        Raises:
            NetworkError: there is no such host or route, or a number is out of range.
            UnitError: a rate or size cannot be read.
        """
        return self._run.connect(target, port, tcp_options(**options))

    def listen(self, port: int, **options: Unpack[TcpOptions]) -> None:
        """Accepts connections at a TCP port from now on, with the options of :meth:`connect`.

        Raises:
            NetworkError: the port is in use, or a number is out of range.
        """
        self._run.listen(port, tcp_options(**options))

    def send(self, packet: object, interface: str = "eth0") -> None:
        """Sends a frame at once; see :meth:`Host.send`."""
        self.host.send(packet, interface)

    def after(self, delay: str, token: object = None) -> None:
        """Calls :meth:`on_timer` after a time, such as ``"1ms"``, unless the program has ended."""
        self._run.after(units.time_ns(delay, "delay"), token)

    def stop(self) -> None:
        """Ends the program: no callback is called any more, and the program's ports become free.
        The program's connections close like those of a process that has exited: data already sent
        still
        arrives, and a peer that continues to send receives a reset."""
        self._run.stop()

    @property
    def _run(self) -> RunningProgram:
        if not isinstance(self._running, RunningProgram):
            raise NetworkError("the program is not running: start it with Host.run")
        return self._running
