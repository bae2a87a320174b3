"""Programs on hosts, written in Python: called for each packet and timer, at its very time on the virtual clock."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Unpack

from weir import _core, units
from weir.connection import Connection
from weir.errors import NetworkError
from weir.keywords import keywords_are_told
from weir.suggest import listing, nearest
from weir.traffic import TcpOptions, check_port, frame_bytes, tcp_options

if TYPE_CHECKING:
    import polars

    from weir.host import Host
    from weir.network import Network


@dataclass(frozen=True)
class Datagram:
    """A UDP datagram that arrived.

    Attributes:
        time_ns: when, in nanoseconds of virtual time.
        source: the sender's IP address.
        source_port: the port it came from.
        target: the IP address it was sent to.
        port: the port it was sent to.
        payload: what follows the UDP header.
    """

    time_ns: int
    source: str
    source_port: int
    target: str
    port: int
    payload: bytes


@dataclass(frozen=True)
class IcmpError:
    """An ICMP error about a datagram that the program sent.

    Attributes:
        time_ns: when, in nanoseconds of virtual time.
        source: who reports it.
        icmp_type: its type; of ICMP, 3 is destination unreachable.
        code: its code; of ICMP's type 3, 3 is port unreachable.
        port: the program's port that the datagram was sent from.
        original: the beginning of what was sent, from its UDP header on.
    """

    time_ns: int
    source: str
    icmp_type: int
    code: int
    port: int
    original: bytes


@dataclass(frozen=True)
class Frame:
    """A frame that passed a link end. ``bytes(frame)`` are its bytes, so ``scapy.all.Ether(bytes(frame))`` dissects it.

    Attributes:
        time_ns: when, in nanoseconds of virtual time: when its first bit left, or its last bit arrived.
        end: the link end, such as ``h1`` or ``s1-p2``.
        outbound: whether the node there sent it; otherwise it received it.
        data: from its Ethernet header on.
    """

    time_ns: int
    end: str
    outbound: bool
    data: bytes

    @property
    def time_s(self) -> float:
        """The time in seconds."""
        return self.time_ns / 1e9

    def __bytes__(self) -> bytes:
        return self.data

    def __len__(self) -> int:
        return len(self.data)


@keywords_are_told
class HostProgram:
    """A program on a host: override what it is to react to, and give it to :meth:`Host.run`.

    What it is called for happens *now*: the network waits, at the very nanosecond, until the call returns. It may send, open connections,
    set timers, change links, tables and switches; it may not let time pass. An exception it raises ends the run and reaches whoever runs
    the network. A program is the same on any computer; it costs some 10 µs of real time a call.

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
            options: ``congestion``, ``rate``, ``mss``, ``window``, ``ecn``, ``sack``, where they are to differ from the host's
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


class Running:
    """A program that runs."""

    def __init__(self, network: Network, host: Host, core: _core.Host, program: HostProgram) -> None:
        self.network = network
        self.host = host
        self.connections: dict[int, Connection] = {}
        self._core = core
        self._program = program
        self._mailboxes: dict[int, _core.Mailbox] = {}
        self._sockets: _core.Sockets | None = None
        self._watch: _core.Watch | None = None
        self._stopped = False

    def open(self, udp: Iterable[int], tcp: Iterable[int], frames: bool | str) -> None:
        """Opens ports, and begins to watch frames.

        Raises:
            NetworkError: a port is taken, or the filter cannot be read.
        """
        self.network.clock.add_post(self._deliver)
        if frames is not False:
            self._watch = self.network.watch_frames(self.host.name, frames if isinstance(frames, str) else "")
        for port in udp:
            self._mailboxes[port] = self._core.listen(port)
        for port in tcp:
            self.listen(port, tcp_options())

    def start(self) -> None:
        """Starts it."""
        self._program._running = self
        self._program.start()

    def stop(self) -> None:
        """Ends it."""
        if not self._stopped:
            self._stopped = True
            self.network.clock.remove_post(self._deliver)
            for mailbox in self._mailboxes.values():
                mailbox.close()
            if self._sockets is not None:
                self._sockets.release()
            for connection in self.connections.values():
                connection._state = "closed"
            self.connections.clear()
            if self._watch is not None:
                self._watch.close()
            self._program._running = None

    def after(self, delay_ns: int, token: object) -> None:
        """Sets a timer."""

        def due() -> None:
            if not self._stopped:
                self._program.on_timer(token)

        self.network.clock.at(self.network.now_ns + delay_ns, due)

    def send_udp(self, target: str | Host, port: int, payload: bytes, source_port: int | None) -> None:
        """Sends a datagram."""
        if not self._mailboxes:
            raise NetworkError(
                "the program has no UDP port to send from: start it with Host.run(…, udp=PORT)"
            )
        if source_port is not None:
            check_port("source_port", source_port)
        own = next(iter(self._mailboxes)) if source_port is None else source_port
        if own not in self._mailboxes:
            raise NetworkError(f"the program does not listen on UDP port {own}")
        check_port("port", port)
        self._mailboxes[own].send(self._address(target), port, frame_bytes(payload, "payload"))

    def connect(self, target: str | Host, port: int, options: _core.TcpOptionsOf) -> Connection:
        """Opens a connection."""
        check_port("port", port)
        address = self._address(target)
        number, own = self.sockets.connect(address, port, options)
        connection = Connection(self, number, (address, port), own, "connecting")
        self.connections[number] = connection
        return connection

    def listen(self, port: int, options: _core.TcpOptionsOf) -> None:
        """Takes connections at a port."""
        check_port("port", port)
        self.sockets.listen(port, options)

    @property
    def sockets(self) -> _core.Sockets:
        """The program's connections, in the core."""
        if self._sockets is None:
            self._sockets = self._core.sockets()
        return self._sockets

    def _address(self, target: str | Host) -> str:
        return self.network.address(target)

    def _deliver(self) -> None:
        for port, mailbox in self._mailboxes.items():
            for time, kind, source, number, target, data, code in mailbox.take():
                if self._stopped:
                    return
                if kind == "udp":
                    self._program.on_datagram(Datagram(time, source, number, target, port, data))
                else:
                    self._program.on_error(IcmpError(time, source, number, code, port, data))
        # What the program does may make more happen at once, such as the end of a connection that it resets.
        while not self._stopped and self._sockets is not None and (letters := self._sockets.take()):
            for _, connection, kind, peer, received, reason in letters:
                if not self._stopped:
                    self._tell(connection, kind, peer, received or b"", reason or "")
        if self._watch is not None and not self._stopped:
            for time, _, outbound, data in self._watch.take():
                if not outbound and not self._stopped:
                    self._program.on_frame(Frame(time, self.host.name, outbound, data))

    def _tell(
        self, number: int, kind: str, peer: tuple[str, int, int] | None, data: bytes, reason: str
    ) -> None:
        program = self._program
        if kind == "accepted" and peer is not None:
            address, port, own = peer
            self.connections[number] = Connection(self, number, (address, port), own, "open")
            return program.on_accept(self.connections[number])
        connection = self.connections[number]
        match kind:
            case "connected":
                connection._state = "open"
                program.on_connect(connection)
            case "received":
                program.on_data(connection, data)
            case "writable":
                program.on_writable(connection)
            case "ended":
                program.on_end(connection)
            case "closed":
                connection._state = "closed"
                del self.connections[number]
                program.on_close(connection, reason)


class Sniffer:
    """Frames seen at link ends, kept as they pass. Got from :meth:`Network.sniff` and :meth:`Host.sniff`."""

    def __init__(self, core: _core.Watch, ends: Sequence[str]) -> None:
        self._core = core
        self._ends = ends
        self._frames: list[Frame] = []
        self._open = True

    @property
    def frames(self) -> list[Frame]:
        """What has been seen so far, in order."""
        if self._open:
            self._frames += [
                Frame(time, self._ends[end], out, data) for time, end, out, data in self._core.take()
            ]
        return self._frames

    def to_frame(self) -> polars.DataFrame:
        """A row a frame seen so far: ``time_s``, ``end``, ``outbound``, ``bytes`` (its length), ``data``."""
        import polars

        frames = self.frames
        return polars.DataFrame(
            {
                "time_s": [frame.time_s for frame in frames],
                "end": [frame.end for frame in frames],
                "outbound": [frame.outbound for frame in frames],
                "bytes": [len(frame) for frame in frames],
                "data": [frame.data for frame in frames],
            },
            schema={
                "time_s": polars.Float64,
                "end": polars.String,
                "outbound": polars.Boolean,
                "bytes": polars.Int64,
                "data": polars.Binary,
            },
        )

    def __repr__(self) -> str:
        return f"<weir.Sniffer of {listing(self._ends)}: {len(self)} frames>"

    def stop(self) -> list[Frame]:
        """Ends it; what was seen."""
        frames = self.frames
        if self._open:
            self._open = False
            self._core.close()
        return frames

    def __len__(self) -> int:
        return len(self.frames)
