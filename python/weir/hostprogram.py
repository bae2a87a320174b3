"""Programs on hosts, written in Python: called for each packet and timer, at its very time on the virtual clock."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from weir import _core, units
from weir.errors import NetworkError

if TYPE_CHECKING:
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


class HostProgram:
    """A program on a host: override what it is to react to, and give it to :meth:`Host.run`.

    What it is called for happens *now*: the network waits, at the very nanosecond, until the call returns. It may send, set timers,
    change links, tables and switches; it may not let time pass. An exception it raises ends the run and reaches whoever runs the
    network. A program is the same on any computer; it costs some 10 µs of real time a call.

    >>> class Echo(weir.HostProgram):                              # doctest: +SKIP
    ...     def on_datagram(self, datagram):
    ...         self.send_udp(datagram.source, datagram.source_port, datagram.payload)
    >>> net.host("h2").run(Echo(), udp=7)                          # doctest: +SKIP
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

    def send(self, packet: object, interface: str = "eth0") -> None:
        """Sends a frame, now; see :meth:`Host.send`."""
        self._run.host.send(packet, interface)

    def after(self, delay: str, token: object = None) -> None:
        """Has :meth:`on_timer` called after a time, such as ``"1ms"``, unless it has stopped by then."""
        self._run.after(units.time_ns(delay, "delay"), token)

    def stop(self) -> None:
        """Ends it: it is called no more, and its ports are free."""
        self._run.stop()

    @property
    def _run(self) -> Running:
        if self._running is None:
            raise NetworkError("the program runs on no host: start it with Host.run")
        return self._running


class Running:
    """A program that runs."""

    def __init__(
        self,
        network: Network,
        host: Host,
        program: HostProgram,
        mailboxes: Sequence[tuple[int, _core.Mailbox]],
        watch: _core.Watch | None,
    ) -> None:
        self.network = network
        self.host = host
        self._program = program
        self._mailboxes = dict(mailboxes)
        self._watch = watch
        self._stopped = False

    def start(self) -> None:
        """Starts it."""
        self._program._running = self
        self.network.clock.add_post(self._deliver)
        self._program.start()

    def stop(self) -> None:
        """Ends it."""
        if not self._stopped:
            self._stopped = True
            self.network.clock.remove_post(self._deliver)
            for mailbox in self._mailboxes.values():
                mailbox.close()
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
        own = next(iter(self._mailboxes)) if source_port is None else source_port
        if own not in self._mailboxes:
            raise NetworkError(f"the program does not listen on UDP port {own}")
        address = self.network.address(target if isinstance(target, str) else target.name)
        self._mailboxes[own].send(address, port, payload)

    def _deliver(self) -> None:
        for port, mailbox in self._mailboxes.items():
            for time, kind, source, number, target, data, code in mailbox.take():
                if self._stopped:
                    return
                if kind == "udp":
                    self._program.on_datagram(Datagram(time, source, number, target, port, data))
                else:
                    self._program.on_error(IcmpError(time, source, number, code, port, data))
        if self._watch is not None and not self._stopped:
            for time, _, outbound, data in self._watch.take():
                if not outbound and not self._stopped:
                    self._program.on_frame(Frame(time, self.host.name, outbound, data))


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

    def stop(self) -> list[Frame]:
        """Ends it; what was seen."""
        frames = self.frames
        if self._open:
            self._open = False
            self._core.close()
        return frames

    def __len__(self) -> int:
        return len(self.frames)
