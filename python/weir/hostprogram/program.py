"""What a program on a host can react to, and what it can do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Unpack

from weir import units
from weir.connection import Connection
from weir.errors import NetworkError
from weir.hostprogram.arrivals import Datagram, Frame, IcmpError
from weir.keywords import keywords_are_told
from weir.suggest import nearest
from weir.traffic import TcpOptions, tcp_options

if TYPE_CHECKING:
    from weir.host import Host
    from weir.hostprogram.running import Running
    from weir.network import Network


@keywords_are_told
class HostProgram:
    """A program on a host: override what it is to react to, and give it to :meth:`Host.run`.

    What it is called for happens *now*: the network waits, at the very nanosecond, until the call returns. It may send, open connections,
    set timers, change links, tables and switches; it may not let time pass. An exception it raises ends the run and reaches whoever runs
    the network; what else came at that time is told when the network runs again, before time passes.
    A program is the same on any computer; it costs some 10 µs of real time a call.

    >>> class Echo(weir.HostProgram):                              # doctest: +SKIP
    ...     def on_datagram(self, datagram):
    ...         self.send_udp(datagram.source, datagram.source_port, datagram.payload)
    ...     def on_data(self, connection, data):
    ...         connection.send(data)
    >>> net.host("h2").run(Echo(), udp=7, tcp=7)                   # doctest: +SKIP
    """

    _running: Running | None = None

    @property
    def host(self) -> Host:
        """The host it runs on.

        Raises:
            NetworkError: it runs nowhere.
        """
        return self._run.host

    @property
    def network(self) -> Network:
        """The network it runs in."""
        return self._run.network

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
        """Its connections of TCP that are not over, the oldest first."""
        return list(self._run.connections.values())

    def start(self) -> None:
        """Called once, when it starts."""

    def on_datagram(self, datagram: Datagram) -> None:
        """Called for each UDP datagram to one of its ports."""

    def on_error(self, error: IcmpError) -> None:
        """Called for each ICMP error about a datagram it sent."""

    def on_frame(self, frame: Frame) -> None:
        """Called for each frame that arrives at the host's interface, if it asked for frames."""

    def on_timer(self, token: object) -> None:
        """Called when a timer is due; ``token`` is what was given to :meth:`after`."""

    def on_accept(self, connection: Connection) -> None:
        """Called for each connection that somebody opened to one of its TCP ports."""

    def on_connect(self, connection: Connection) -> None:
        """Called when a connection that it opened stands."""

    def on_data(self, connection: Connection, data: bytes) -> None:
        """Called for bytes that came over a connection, in their order. How they are cut means nothing: TCP is a stream."""

    def on_writable(self, connection: Connection) -> None:
        """Called when a connection has room again after :meth:`Connection.send` could not take all."""

    def on_end(self, connection: Connection) -> None:
        """Called when the peer sends no more. By default the connection closes at this end too."""
        connection.close()

    def on_close(self, connection: Connection, reason: str) -> None:
        """Called when a connection is over.

        Args:
            connection: nothing can be done with it any more.
            reason: ``closed`` (both ends closed, and all arrived), ``reset`` (by the peer), ``refused`` (nobody listens there),
                ``timed out`` (no answer), ``aborted`` (by this program).
        """

    def send_udp(self, target: str | Host, port: int, payload: bytes, source_port: int | None = None) -> None:
        """Sends a UDP datagram, now.

        Args:
            target: a host, its name, or an IP address.
            port: the port to send it to.
            payload: what follows the UDP header.
            source_port: one of the program's ports; the first by default.

        Raises:
            NetworkError: there is no such host or route, or the program does not listen on that port.
        """
        self._run.send_udp(target, port, payload, source_port)

    def connect(self, target: str | Host, port: int, **options: Unpack[TcpOptions]) -> Connection:
        """Opens a connection of TCP, now. :meth:`on_connect` is called when it stands, :meth:`on_close` if it cannot.

        Args:
            target: a host, its name, or an IP address.
            port: the port to connect to.
            options: ``congestion``, ``rate``, ``mss``, ``window``, ``ecn``, ``sack``, ``nodelay``, where they are to differ from the host's
                (``sysctl``): as of :meth:`Host.iperf`.

        Raises:
            NetworkError: there is no such host or route, or a number is out of range.
            UnitError: a rate or size cannot be read.
        """
        return self._run.connect(target, port, tcp_options(**options))

    def listen(self, port: int, **options: Unpack[TcpOptions]) -> None:
        """Takes connections at a TCP port from now on; the options are those of :meth:`connect`.

        Raises:
            NetworkError: the port is taken, or a number is out of range.
        """
        self._run.listen(port, tcp_options(**options))

    def send(self, packet: object, interface: str = "eth0") -> None:
        """Sends a frame, now; see :meth:`Host.send`."""
        self._run.host.send(packet, interface)

    def after(self, delay: str, token: object = None) -> None:
        """Has :meth:`on_timer` called after a time, such as ``"1ms"``, unless it has stopped by then."""
        self._run.after(units.time_ns(delay, "delay"), token)

    def stop(self) -> None:
        """Ends it: it is called no more, and its ports are free. Its connections close as those of a process that has ended: what was
        sent still arrives, and who still sends gets a reset.
        """
        self._run.stop()

    @property
    def _run(self) -> Running:
        if self._running is None:
            raise NetworkError("the program runs on no host: start it with Host.run")
        return self._running


def check_callbacks(program: HostProgram) -> None:
    """Refuses a method that nothing would ever call, for its name is nearly that of one that is called.

    Raises:
        NetworkError: there is one.
    """
    known = [name for name in vars(HostProgram) if name.startswith("on_")]
    for name in dir(type(program)):
        if name.startswith("on_") and name not in known and (near := nearest(name, known, enough=0.8)):
            kind = type(program).__name__
            raise NetworkError(f'{kind} has a method "{name}", which nothing calls', suggestion=near)
