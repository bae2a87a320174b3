"""Hosts of a network that runs."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Any,
    Concatenate,
    Literal,
    ParamSpec,
    TypeVar,
    Unpack,
    overload,
)

from weir import _core, hostcommand, units
from weir.errors import FileError, NetworkError, WeirError
from weir.flows import ExchangeFlow, Flow, PingFlow, Progress, ReplayFlow, Stream, TcpFlow, UdpFlow
from weir.hostprogram import HostProgram, Running, Sniffer
from weir.interface import Interface
from weir.measure import FlowResult, PingReply, UdpResult
from weir.traffic import (
    FlowOptions,
    FlowPlan,
    IperfOptions,
    check_options,
    check_port,
    check_whole,
    exchange_settings,
    frame_bytes,
    tcp_options,
)

if TYPE_CHECKING:
    from weir.network import Network

R = TypeVar("R")
P = ParamSpec("P")
Q = ParamSpec("Q")
T = TypeVar("T")


def waiting(start: Callable[Concatenate[Host, P], Flow[R]]) -> Callable[Concatenate[Host, P], R]:
    """The twin of a method that starts traffic: it lets the network's time pass until that has finished, and returns its result."""

    @twin_of(start)
    def wait(self: Host, /, *args: P.args, **kwargs: P.kwargs) -> R:
        return finish(start(self, *args, **kwargs))

    return wait


def finish(flow: Flow[R]) -> R:
    """Waits for traffic that nobody else can end."""
    try:
        return flow.wait()
    except BaseException:
        flow.stop()
        raise


def twin_of(start: Callable[..., object]) -> Callable[[Callable[Q, T]], Callable[Q, T]]:
    """Describes a method as what it is: one that takes what ``start`` takes and waits."""

    def describe(wait: Callable[Q, T]) -> Callable[Q, T]:
        functools.update_wrapper(wait, start)
        signature = inspect.signature(start).replace(return_annotation=inspect.Signature.empty)
        wait.__dict__["__signature__"] = signature
        wait.__name__ = start.__name__.removeprefix("start_")
        wait.__qualname__ = f"Host.{wait.__name__}"
        head, _, rest = (start.__doc__ or "").partition("\n")
        wait.__doc__ = (
            f"{head} Runs the network until that has finished; ``{start.__name__}`` only starts it.\n{rest}"
        )
        return wait

    return describe


class Host:
    """A host of a network. Got from :meth:`Network.host`.

    Attributes:
        name: such as ``h1``.
    """

    def __init__(self, network: Network, core: _core.Host, name: str) -> None:
        self._spec = network.topology.hosts[name]
        self._network = network
        self._core = core
        self.name = name

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

    def start_ping(
        self,
        target: str | Host,
        count: int = 3,
        *,
        size: int = 56,
        interval: str = "1s",
        timeout: str = "10s",
        flood: bool = False,
        progress: Progress | None = None,
        on_reply: Callable[[PingReply], None] | None = None,
    ) -> PingFlow:
        """Sends ICMP echo requests.

        Args:
            target: a host, its name, or an IP address.
            count: requests to send, 1 or more.
            size: data bytes in each.
            interval: virtual time between two requests.
            timeout: virtual time that each waits for its reply.
            flood: send the next request as soon as one is answered, and after 10 ms at the latest, whatever ``interval`` says.
            progress: called now and then, while it is waited for, with the requests settled so far and ``count``.
            on_reply: called for each request as soon as it is settled, in the order of their numbers.

        Raises:
            NetworkError: there is no such host, or a number is out of range.
            UnitError: a time cannot be read.
        """
        self._network.check_open()
        check_whole("count", count, 1)
        check_whole("size", size, 0)
        name, address = self._target(target)
        interval_ns = 10_000_000 if flood else units.time_ns(interval, "interval", "s")
        timeout_ns = units.time_ns(timeout, "timeout", "s")
        core = self._core.start_ping(address, count, size, interval_ns, timeout_ns, flood)
        ends = self.name, name, address
        return PingFlow(self._network.clock, core, ends, size, count, progress, on_reply)

    ping = waiting(start_ping)

    @overload
    def start_iperf(
        self, target: str | Host, *, udp: Literal[True], **options: Unpack[IperfOptions]
    ) -> UdpFlow: ...

    @overload
    def start_iperf(
        self, target: str | Host, *, udp: Literal[False] = False, **options: Unpack[IperfOptions]
    ) -> TcpFlow: ...

    @overload
    def start_iperf(
        self, target: str | Host, *, udp: bool, **options: Unpack[IperfOptions]
    ) -> TcpFlow | UdpFlow: ...

    def start_iperf(
        self,
        target: str | Host,
        *,
        udp: bool = False,
        rate: str | None = None,
        duration: str | None = None,
        size: str | None = None,
        count: int | None = None,
        length: str | None = None,
        parallel: int = 1,
        reverse: bool = False,
        interval: str | None = "1s",
        port: int = 5201,
        source_port: int | None = None,
        server: str | Host | None = None,
        linger: str = "2s",
        packets: bool = False,
        congestion: str | None = None,
        mss: str | None = None,
        window: str | None = None,
        ecn: bool | None = None,
        sack: bool | None = None,
        ip_options: bytes = b"",
        trace: bool = False,
    ) -> TcpFlow | UdpFlow:
        """Sends a flow to another host, or has it send one, as iperf does.

        Without ``udp`` a connection of TCP sends as much as it can; the sender closes it. What has not left when its time is over is not
        sent any more; what is on its way then still arrives and counts.

        Args:
            target: a host, its name, or an IP address.
            udp: send datagrams at a fixed rate instead.
            rate: of UDP, bits of payload per second of each flow, ``"1Mbit"`` by default; of TCP, a rate to pace at (bits of IP packets).
            duration: for how long to send; ``"10s"`` unless ``size`` or ``count`` is given.
            size: how much payload to send with each flow instead, such as ``"10MB"``; of UDP rounded up to whole datagrams.
            count: of UDP, how many datagrams to send with each flow instead.
            length: of UDP, payload of a datagram, ``"16B"`` or more; ``"1470B"`` by default, as iperf has it.
            parallel: how many flows to send at once.
            reverse: this host calls and the target sends: it answers the connection, or a first datagram, that this host sends.
            interval: the length of the result's intervals; None for none.
            port: the target's port.
            source_port: of UDP, this host's port for the first flow, the next one for the second, and so on; any free ones by default.
            server: the host that is reached, where it is not the one with the target's address: if a data plane rewrites that.
            linger: of UDP, how long to wait, from the last sign of a flow on, for datagrams that are missing.
            packets: of UDP, whether to keep each datagram's delay: ``result.streams[0].delays``.
            congestion: of TCP, ``"reno"``, ``"cubic"`` or ``"bbr"``; by default as the sending host has it, which is ``"cubic"`` unless
                it was told otherwise.
            mss: of TCP, the largest payload of a segment with its options, such as ``"1460B"``; by default what the MTU allows.
            window: of TCP, the most to have in flight, such as ``"64kB"``; 4 MiB by default.
            ecn: of TCP, whether to use explicit congestion notification.
            sack: of TCP, whether to use selective acknowledgements.
            ip_options: of TCP, the IPv4 options of the SYN.
            trace: of TCP, whether to keep a row for each segment and acknowledgement: ``result.streams[0].trace``; and ``delays``.

        Raises:
            NetworkError: there is no such host, a number is out of range, or a port is taken.
            UnitError: a rate, time or size cannot be read.
        """
        bits = units.rate_bps("1Mbit" if rate is None else rate, "rate") if udp else 0
        plan = FlowPlan(
            udp=udp,
            pattern=("constant", bits, 1, 0, False) if udp else None,
            pacing=None if udp else rate,
            duration=duration,
            size=size,
            count=count,
            length=length,
            parallel=parallel,
            reverse=reverse,
            interval=interval,
            port=port,
            source_port=source_port,
            server=server,
            linger=linger,
            packets=packets,
            congestion=congestion,
            mss=mss,
            window=window,
            ecn=ecn,
            sack=sack,
            ip_options=ip_options,
            trace=trace,
        )
        return self._start_flow(target, plan)

    @overload
    def iperf(
        self, target: str | Host, *, udp: Literal[True], **options: Unpack[IperfOptions]
    ) -> UdpResult: ...

    @overload
    def iperf(
        self, target: str | Host, *, udp: Literal[False] = False, **options: Unpack[IperfOptions]
    ) -> FlowResult: ...

    @overload
    def iperf(
        self, target: str | Host, *, udp: bool, **options: Unpack[IperfOptions]
    ) -> FlowResult | UdpResult: ...

    @twin_of(start_iperf)
    def iperf(self, target: str | Host, **options: Any) -> FlowResult | UdpResult:
        """See :meth:`start_iperf`."""
        result: FlowResult | UdpResult = finish(self.start_iperf(target, **options))
        return result

    def start_poisson(
        self, target: str | Host, rate: str, *, udp: bool = True, **options: Unpack[FlowOptions]
    ) -> UdpFlow | TcpFlow:
        """Sends datagrams as a Poisson process: the times between two are exponentially distributed.

        Args:
            target: a host, its name, or an IP address.
            rate: the mean, in bits of payload per second.
            udp: False to have an application offer ``length`` bytes at such times to a connection of TCP.
            options: as of :meth:`iperf`, but for the rate.

        Raises:
            NetworkError, UnitError: as of :meth:`iperf`.
        """
        check_options(options, FlowOptions)
        pattern = ("poisson", units.rate_bps(rate, "rate"), 1, 0, False)
        return self._start_flow(target, FlowPlan(udp=udp, pattern=pattern, **options))

    poisson = waiting(start_poisson)

    def start_on_off(
        self,
        target: str | Host,
        rate: str,
        *,
        on: str,
        off: str,
        random: bool = True,
        udp: bool = True,
        **options: Unpack[FlowOptions],
    ) -> UdpFlow | TcpFlow:
        """Sends datagrams in bursts with silence between them.

        Args:
            target: a host, its name, or an IP address.
            rate: bits of payload per second within a burst.
            on: the length of a burst, such as ``"500ms"``.
            off: the silence between two.
            random: whether ``on`` and ``off`` are the means of exponentially distributed times; otherwise they are as they stand.
            udp: False to have an application offer its bytes so to a connection of TCP, ``length`` at a time; what there is no room for
                waits.
            options: as of :meth:`iperf`, but for the rate.

        Raises:
            NetworkError, UnitError: as of :meth:`iperf`.
        """
        check_options(options, FlowOptions)
        times = units.time_ns(on, "on"), units.time_ns(off, "off")
        pattern = ("on-off", units.rate_bps(rate, "rate"), *times, random)
        return self._start_flow(target, FlowPlan(udp=udp, pattern=pattern, **options))

    on_off = waiting(start_on_off)

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
        self._core.serve(port, reflect_options)

    def start_requests(
        self,
        target: str | Host,
        count: int = 10,
        *,
        request: str | Sequence[str] = "100B",
        response: str | Sequence[str] | None = None,
        think: str | None = None,
        every: str | None = None,
        random: bool = True,
        keep: bool | None = None,
        udp: bool = False,
        timeout: str = "1s",
        tries: int = 1,
        congestion: str | None = None,
        port: int | None = None,
        server: str | Host | None = None,
    ) -> ExchangeFlow:
        """Asks a host over TCP, one request after the other, or over UDP.

        Args:
            target: a host, its name, or an IP address.
            count: how many requests.
            request: bytes of each, such as ``"100B"``, or sizes of which each gets one at random.
            response: bytes that the target answers each with, ``"10kB"`` by default, of UDP ``"1kB"``; or sizes.
            think: the time between a response and the next request; none by default.
            every: instead, the time from one's beginning to the next one's, whether or not that has its response: with ``random`` the mean
                of a Poisson process, and sizes are means of exponential distributions.
            random: of ``every``.
            keep: of TCP, whether one connection serves all, as by default, or each request has one of its own, as it must with ``every``.
            udp: whether request and response are a datagram each.
            timeout: of UDP, how long to wait for a response.
            tries: of UDP, how often to send a request before it counts as failed.
            congestion: of TCP, as of :meth:`iperf`; it is the target's that matters for responses (``sysctl``).
            port: the target's port; 80 by default, of UDP 53.
            server: as of :meth:`iperf`.

        Raises:
            NetworkError: there is no such host, a number is out of range, the port is taken.
            UnitError: a time or size cannot be read.
        """
        if think is not None and every is not None:
            raise NetworkError("think and every are given: expected one of them")
        for name, value in {"keep": keep, "congestion": congestion}.items():
            if udp and value is not None:
                raise NetworkError(f"{name} is no matter of UDP")
        if not udp and (timeout, tries) != ("1s", 1):
            raise NetworkError(
                "timeout and tries are no matter of TCP: give udp=True for requests in datagrams"
            )
        _, address = self._target(target)
        exchanges = exchange_settings(
            address,
            (53 if udp else 80) if port is None else port,
            count,
            think=think,
            every=every,
            random=random,
            request=request,
            response=("1kB" if udp else "10kB") if response is None else response,
            keep=not udp and (every is None if keep is None else keep),
        )
        if not udp:
            return self._start_exchanges(address, exchanges, congestion, server)
        check_whole("tries", tries, 1)
        self._network.check_open()
        other = self._other(address, server)
        core = self._core.start_udp_exchanges(
            other.name, exchanges, units.time_ns(timeout, "timeout", "s"), tries
        )
        return ExchangeFlow(self._network.clock, core, self.name, other.name)

    requests = waiting(start_requests)

    def start_transfers(
        self,
        target: str | Host,
        count: int = 100,
        *,
        every: str = "10ms",
        size: str | Sequence[str] = "10kB",
        random: bool = True,
        congestion: str | None = None,
        port: int = 5201,
        server: str | Host | None = None,
    ) -> ExchangeFlow:
        """Sends many short flows of TCP, a connection each.

        Args:
            target: a host, its name, or an IP address.
            count: how many flows.
            every: the time from one's beginning to the next one's; with ``random`` the mean of a Poisson process.
            size: how much each sends, or sizes of which each gets one at random; one size with ``random`` is the mean of an exponential
                distribution.
            random: whether times and sizes are drawn at random.
            congestion: as of :meth:`iperf`.
            port: the target's TCP port.
            server: as of :meth:`iperf`.

        Raises:
            NetworkError: there is no such host, a number is out of range, the port is taken.
            UnitError: a time or size cannot be read.
        """
        _, address = self._target(target)
        exchanges = exchange_settings(
            address,
            port,
            count,
            every=every,
            random=random,
            request=size,
            response="0B",
            what=("size", "response"),
        )
        return self._start_exchanges(address, exchanges, congestion, server)

    transfers = waiting(start_transfers)

    def send(self, packet: object, interface: str = "eth0") -> None:
        """Sends a frame as it is, now: it is on its way when time next passes.

        Args:
            packet: the frame from its Ethernet header on: bytes, or an object that ``bytes()`` makes them of, such as a packet of Scapy.
            interface: the interface it leaves by.

        Raises:
            NetworkError: that is no packet, or the host has no such interface.
        """
        self._network.check_open()
        self._core.send_frame(self._interface(interface), frame_bytes(packet))

    def start_replay(self, path: str | Path, *, speed: float = 1.0, interface: str = "eth0") -> ReplayFlow:
        """Sends the frames of a capture, pcap or pcapng, with the times between them.

        Its result is how many frames were sent.

        Args:
            path: the capture.
            speed: how much faster than captured: 2 halves the times.
            interface: the interface they leave by.

        Raises:
            FileError: the capture cannot be read, or a frame was not captured whole.
            NetworkError: the host has no such interface, or the speed is not above 0.
        """
        self._network.check_open()
        if isinstance(speed, bool) or not isinstance(speed, (int, float)) or not 0 < speed < float("inf"):
            raise NetworkError(f"speed: {speed!r} is out of range: expected a number above 0")
        rows = _core.read_capture(str(path), 1 << 62)
        for number, (_, data, length) in enumerate(rows):
            if len(data) < length:
                raise FileError(
                    f"packet {number} was captured with {len(data)} of its {length} bytes", file=path
                )
        first = min((time for time, _, _ in rows), default=0)
        frames = [(round((time - first) / speed), data) for time, data, _ in rows]
        core = self._core.start_replay(self._interface(interface), frames)
        return ReplayFlow(self._network.clock, core)

    replay = waiting(start_replay)

    def sniff(self, filter: str = "", interface: str = "eth0") -> Sniffer:
        """Keeps the frames that pass one of its interfaces from now on; see :meth:`Network.sniff`.

        Raises:
            NetworkError: the host has no such interface, nothing is connected to it, or the filter cannot be read.
        """
        return self._network.sniff(f"{self.name}-eth{self._interface(interface)}", filter)

    def run(
        self,
        program: HostProgram,
        *,
        udp: int | Iterable[int] = (),
        tcp: int | Iterable[int] = (),
        frames: bool | str = False,
    ) -> HostProgram:
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
            NetworkError: it runs already, or a port is taken.
        """
        self._network.check_open()
        if not isinstance(program, HostProgram):
            raise NetworkError(
                f"{program!r} is no program: expected an object of a class made from weir.HostProgram"
            )
        if program._running is not None:
            raise NetworkError("the program runs already: make another, or stop it")
        wanted = {
            kind: [ports] if isinstance(ports, int) else list(ports)
            for kind, ports in (("udp", udp), ("tcp", tcp))
        }
        for kind, ports in wanted.items():
            for port in ports:
                check_port(kind, port)
        running = Running(self._network, self, self._core, program)
        try:
            running.open(wanted["udp"], wanted["tcp"], frames)
        except WeirError:
            running.stop()
            raise
        running.start()
        return program

    def _start_flow(self, target: str | Host, plan: FlowPlan) -> TcpFlow | UdpFlow:
        self._network.check_open()
        plan.check()
        _, address = self._target(target)
        settings, options = plan.settings(address), plan.tcp_options()
        other = self._other(address, plan.server)
        source, sink = (other, self) if plan.reverse else (self, other)
        streams = []
        for number in range(plan.parallel):
            if plan.udp:
                core = self._core.start_udp(other.name, settings, plan.udp_settings(number))
            else:
                core = self._core.start_tcp(other.name, settings, plan.tcp_settings(), options)
            streams.append(Stream(core, plan, source.name, sink.name))
        kind = UdpFlow if plan.udp else TcpFlow
        return kind(self._network.clock, source.name, sink.name, streams)

    def _start_exchanges(
        self,
        address: str,
        exchanges: _core.ExchangeSettings,
        congestion: str | None,
        server: str | Host | None,
    ) -> ExchangeFlow:
        self._network.check_open()
        other = self._other(address, server)
        core = self._core.start_exchanges(other.name, exchanges, tcp_options(congestion=congestion))
        return ExchangeFlow(self._network.clock, core, self.name, other.name)

    def _target(self, target: str | Host) -> tuple[str, str]:
        """Its name and address."""
        name = target.name if isinstance(target, Host) else target
        return name, self._network.address(name)

    def _other(self, address: str, server: str | Host | None) -> Host:
        """The host that receives what is sent to an address; not this one, for between a host and itself nothing takes time."""
        receiver = self._network.receiver(address, server)
        if receiver is self:
            raise NetworkError(f"{self.name} is both ends of the flow: expected another host")
        return receiver

    def _interface(self, name: str) -> int:
        number = name.removeprefix(f"{self.name}-").removeprefix("eth")
        if not number.isdecimal():
            raise NetworkError(f'there is no interface "{name}": expected eth0, eth1 and so on')
        return int(number)

    def interface(self, name: str = "eth0") -> Interface:
        """One of its interfaces, such as ``eth0``: to look at its queueing discipline, and to set it.

        Raises:
            NetworkError: it has no such interface, or no link at it.
        """
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
        self._spec, shown = hostcommand.run(self._network, self._spec, command)
        return shown

    def __repr__(self) -> str:
        return f"<weir.Host {' '.join([self.name, *self.addresses[:1]])}>"
