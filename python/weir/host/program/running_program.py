"""A running program: its ports, connections and timers, and the calls of its callbacks."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING

from weir import _core
from weir._core import SocketEvent
from weir.errors import NetworkError, shown
from weir.errors.checks import check_port, check_ports, frame_bytes
from weir.flows.tcp_options import tcp_options
from weir.host.program.arrivals import Datagram, IcmpError
from weir.host.program.callbacks import Callbacks
from weir.host.program.connection import Connection
from weir.links.sniffer import Frame
from weir.text.suggest import nearest

if TYPE_CHECKING:
    from weir import _core_contracts as cores
    from weir.owners.network import Host, Network


def start_program(
    program: Callbacks,
    host: Host,
    udp: int | Iterable[int],
    tcp: int | Iterable[int],
    frames: bool | str,
) -> None:
    """Starts a program on a host; see :meth:`weir.Host.run`.

    Raises:
        NetworkError: the object is not a program, is already running, needs a port that is in use,
            or has a method that looks like a misspelt callback.
    """
    if not isinstance(program, Callbacks):
        raise NetworkError(
            f"{shown(program)} is not a program: expected an object of a subclass of weir.HostProgram"
        )
    if program._running is not None:
        raise NetworkError("the program is already running: create another one, or stop it")
    _check_callbacks(program)
    udp_ports, tcp_ports = check_ports("udp", udp), check_ports("tcp", tcp)
    if not isinstance(frames, (bool, str)):
        raise NetworkError(f"frames: {shown(frames)} is neither True nor False nor a filter")
    running = RunningProgram(host, program)
    try:
        running.open(udp_ports, tcp_ports, frames)
        running.start()
    except BaseException:
        running.stop()
        raise


def _check_callbacks(program: Callbacks) -> None:
    """Refuses a method with a name similar to a callback's, because it would never be called."""
    callbacks = [name for name in vars(Callbacks) if name.startswith("on_")]
    for name in dir(type(program)):
        if (
            name.startswith("on_")
            and name not in callbacks
            and (suggestion := nearest(name, callbacks, enough=0.8))
        ):
            kind = type(program).__name__
            raise NetworkError(f'{kind} has a method "{name}", which is never called', suggestion=suggestion)


class RunningProgram:
    """A program that runs on a host."""

    def __init__(self, host: Host, program: Callbacks) -> None:
        self.host = host
        self.connections: dict[int, Connection] = {}
        self._program = program
        self._mailboxes: dict[int, cores.Mailbox] = {}
        self._sockets: cores.Sockets | None = None
        self._watch: cores.Watch | None = None
        self._stopped = False
        # The calls of callbacks that must still be made, in order.
        self._calls: deque[Callable[[], object]] = deque()

    @property
    def network(self) -> Network:
        """The network to which the program's host belongs."""
        return self.host._network

    def open(self, udp: Iterable[int], tcp: Iterable[int], frames: bool | str) -> None:
        """Opens ports, and begins to watch frames.

        Raises:
            NetworkError: a port is in use, or the filter cannot be read.
        """
        self.network._clock.add_delivery(self._deliver)
        if frames is not False:
            filter = frames if isinstance(frames, str) else ""
            place = self.network._nodes.place(self.host.name)
            self._watch = self.network._core.watch([place], filter, True, False, True)
        for port in udp:
            self._mailboxes[port] = self.host._core.listen(port)
        for port in tcp:
            self.listen(port, tcp_options())

    def start(self) -> None:
        """Starts the program by calling its ``start``."""
        self._program._running = self
        self._program.start()

    def stop(self) -> None:
        """Stops the program: closes its ports and connections, and makes no more calls."""
        if not self._stopped:
            self._stopped = True
            self.network._clock.remove_delivery(self._deliver)
            for mailbox in self._mailboxes.values():
                mailbox.close()
            if self._sockets is not None:
                self._sockets.release()
            for connection in self.connections.values():
                connection._state = "closed"
            self.connections.clear()
            self._calls.clear()
            if self._watch is not None:
                self._watch.close()
            self._program._running = None

    def after(self, delay_ns: int, token: object) -> None:
        """Calls the program's ``on_timer`` with ``token`` after ``delay_ns`` nanoseconds."""

        def on_due() -> None:
            if not self._stopped:
                self._program.on_timer(token)

        self.network._clock.at(self.network.now_ns + delay_ns, on_due)

    def send_udp(self, target: str | Host, port: int, payload: bytes, source_port: int | None) -> None:
        """Sends a UDP datagram from one of the program's ports, by default the first one."""
        if not self._mailboxes:
            raise NetworkError(
                "the program has no UDP port to send from: start it with Host.run(…, udp=PORT)"
            )
        if source_port is not None:
            check_port("source_port", source_port)
        used_port = next(iter(self._mailboxes)) if source_port is None else source_port
        if used_port not in self._mailboxes:
            raise NetworkError(f"the program does not listen on UDP port {used_port}")
        check_port("port", port)
        self._mailboxes[used_port].send(self.network.address(target), port, frame_bytes(payload, "payload"))

    def connect(self, target: str | Host, port: int, options: _core.TcpOptionsOf) -> Connection:
        """Opens a TCP connection to a port of a target."""
        check_port("port", port)
        address = self.network.address(target)
        number, local_port = self.sockets.connect(address, port, options)
        connection = Connection(
            self.host.name, self.sockets, number, (address, port), local_port, "connecting"
        )
        self.connections[number] = connection
        return connection

    def listen(self, port: int, options: _core.TcpOptionsOf) -> None:
        """Accepts TCP connections at a port from now on."""
        check_port("port", port)
        self.sockets.listen(port, options)

    @property
    def sockets(self) -> cores.Sockets:
        """The sockets of the program in the core."""
        if self._sockets is None:
            self._sockets = self.host._core.sockets()
        return self._sockets

    def _deliver(self) -> None:
        """Calls the program's callbacks for all arrivals.

        If a callback raises an error, the remaining calls wait for the next delivery.
        """
        self._call()
        if self.network._clock.is_real:
            # Arrivals from now on wait for the next delivery; otherwise this loop might never end.
            for collect in (self._collect_datagrams, self._collect_events, self._collect_frames):
                if not self._stopped:
                    collect()
                    self._call()
            return
        while not self._stopped and self._collect():
            self._call()
            if self._sockets is None and self._watch is None:
                return

    def _call(self) -> None:
        while self._calls:
            self._calls.popleft()()

    def _collect(self) -> bool:
        """Collects arrivals: first datagrams, then events of connections, then frames.

        Returns ``True`` if there were any.
        """
        self._collect_datagrams()
        # Only one kind of arrival is collected at a time. A callback may cause more events at once,
        # such as the end of a connection that it resets.
        if not self._calls:
            self._collect_events()
        if not self._calls:
            self._collect_frames()
        return bool(self._calls)

    def _collect_datagrams(self) -> None:
        program, calls = self._program, self._calls
        for port, mailbox in self._mailboxes.items():
            for time, kind, source, number, target, data, code in mailbox.take():
                if kind == "udp":
                    datagram = Datagram(time, source, number, target, port, data)
                    calls.append(partial(program.on_datagram, datagram))
                else:
                    error = IcmpError(time, source, number, code, port, data)
                    calls.append(partial(program.on_error, error))

    def _collect_events(self) -> None:
        if self._sockets is not None:
            for event in self._sockets.take():
                self._calls.append(partial(self._call_for_connection, event))

    def _collect_frames(self) -> None:
        if self._watch is not None:
            for time, _, outbound, data in self._watch.take():
                if not outbound:
                    frame = Frame(time, self.host.name, outbound, data)
                    self._calls.append(partial(self._program.on_frame, frame))

    def _call_for_connection(self, event: SocketEvent) -> None:
        program, number = self._program, event.connection
        if event.kind == "accepted" and event.peer is not None:
            address, port, local_port = event.peer
            self.connections[number] = Connection(
                self.host.name, self.sockets, number, (address, port), local_port, "open"
            )
            return program.on_accept(self.connections[number])
        connection = self.connections[number]
        match event.kind:
            case "connected":
                connection._state = "open"
                program.on_connect(connection)
            case "received":
                program.on_data(connection, event.data)
            case "writable":
                program.on_writable(connection)
            case "ended":
                program.on_end(connection)
            case "closed":
                connection._state = "closed"
                del self.connections[number]
                program.on_close(connection, event.reason)
