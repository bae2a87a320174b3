"""Hosts of a network that runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, SupportsBytes, TypedDict, Unpack, overload

from weir import _core, hostcommand, units
from weir.errors import FileError, NetworkError
from weir.flows import (
    ExchangeFlow,
    PingFlow,
    Progress,
    ReplayFlow,
    Stream,
    TcpFlow,
    UdpFlow,
)
from weir.hostprogram import HostProgram, Running, Sniffer
from weir.interface import Interface
from weir.measure import Fct, FlowResult, PingReply, PingResult, UdpResult
from weir.suggest import listing, nearest

if TYPE_CHECKING:
    from weir.network import Network


class IperfOptions(TypedDict, total=False):
    """What :meth:`Host.start_iperf` takes beside its target, as type checkers know it."""

    rate: str | None
    duration: str | None
    size: str | None
    count: int | None
    length: str | None
    parallel: int
    reverse: bool
    interval: str | None
    port: int
    source_port: int | None
    server: str | Host | None
    linger: str
    packets: bool
    congestion: str | None
    mss: str | None
    window: str | None
    ecn: bool | None
    sack: bool | None
    ip_options: bytes
    trace: bool


class IperfWait(IperfOptions, total=False):
    """What :meth:`Host.iperf` takes beside its target, as type checkers know it."""

    progress: Progress | None


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

    def ping(
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
    ) -> PingResult:
        """Sends ICMP echo requests, and runs the network until the last has its reply or its time-out.

        Args:
            target: a host, its name, or an IPv4 address.
            count: requests to send, 1 or more.
            size: data bytes in each.
            interval: virtual time between two requests.
            timeout: virtual time that each waits for its reply.
            flood: send the next request as soon as one is answered, and after 10 ms at the latest, whatever ``interval`` says.
            progress: called now and then with the requests settled so far and ``count``.
            on_reply: called for each request as soon as it is settled, in the order of their numbers.

        Raises:
            NetworkError: there is no such host, or a number is out of range.
            UnitError: a time cannot be read.
        """
        flow = self.start_ping(
            target, count, size=size, interval=interval, timeout=timeout, flood=flood, on_reply=on_reply
        )

        def look() -> None:
            settled = flow.look()
            if progress is not None:
                progress(settled, count)

        try:
            return flow.wait(look)
        finally:
            flow.stop()

    def start_ping(
        self,
        target: str | Host,
        count: int = 3,
        *,
        size: int = 56,
        interval: str = "1s",
        timeout: str = "10s",
        flood: bool = False,
        on_reply: Callable[[PingReply], None] | None = None,
    ) -> PingFlow:
        """The same without waiting: requests are sent as the network's time passes, beside any other traffic."""
        self._network.check_open()
        check_whole("count", count, 1)
        check_whole("size", size, 0)
        name = target.name if isinstance(target, Host) else target
        address = self._network.address(name)
        interval_ns = 10_000_000 if flood else units.time_ns(interval, "interval", "s")
        timeout_ns = units.time_ns(timeout, "timeout", "s")
        core = self._core.start_ping(address, count, size, interval_ns, timeout_ns, flood)
        return PingFlow(self._network.clock, core, self.name, name, address, size, on_reply)

    @overload
    def iperf(self, target: str | Host, *, udp: Literal[True], **options: Unpack[IperfWait]) -> UdpResult: ...

    @overload
    def iperf(
        self, target: str | Host, *, udp: Literal[False] = False, **options: Unpack[IperfWait]
    ) -> FlowResult: ...

    @overload
    def iperf(
        self, target: str | Host, *, udp: bool, **options: Unpack[IperfWait]
    ) -> FlowResult | UdpResult: ...

    def iperf(
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
        progress: Progress | None = None,
    ) -> FlowResult | UdpResult:
        """Sends a flow to another host as iperf does, and runs the network until it has finished.

        Without ``udp`` a connection of TCP sends as much as it can; the sender opens and closes it. What has not left when its time is
        over is not sent any more; what is on its way then still arrives and counts.

        Args:
            target: a host, its name, or an IPv4 address.
            udp: send datagrams at a fixed rate instead.
            rate: of UDP, bits of payload per second of each flow, ``"1Mbit"`` by default; of TCP, a rate to pace at (bits of IP packets).
            duration: for how long to send; ``"10s"`` unless ``size`` or ``count`` is given.
            size: how much payload to send with each flow instead, such as ``"10MB"``; of UDP rounded up to whole datagrams.
            count: of UDP, how many datagrams to send with each flow instead.
            length: of UDP, payload of a datagram, ``"16B"`` or more; ``"1470B"`` by default, as iperf has it.
            parallel: how many flows to send at once.
            reverse: send from the target to this host.
            interval: the length of the result's intervals; None for none.
            port: the port to send to.
            source_port: of UDP, the port of the first flow, the next one of the second, and so on; any free ones by default.
            server: the host that receives, where it is not the one with the target's address: if a data plane rewrites that.
            linger: of UDP, how long to wait, from the last sign of a flow on, for datagrams that are missing.
            packets: of UDP, whether to keep each datagram's delay: ``result.streams[0].delays``.
            congestion: of TCP, ``"reno"``, ``"cubic"`` or ``"bbr"``; as the host has it by default (``"cubic"`` unless told otherwise).
            mss: of TCP, the largest payload of a segment with its options, such as ``"1460B"``; by default what the MTU allows.
            window: of TCP, the most to have in flight, such as ``"64kB"``; 4 MiB by default.
            ecn: of TCP, whether to use explicit congestion notification.
            sack: of TCP, whether to use selective acknowledgements.
            ip_options: of TCP, the IPv4 options of the SYN.
            trace: of TCP, whether to keep a row for each segment and acknowledgement: ``result.streams[0].trace``.
            progress: called now and then with the nanoseconds passed and those that sending takes.

        Raises:
            NetworkError: there is no such host, a number is out of range, or a port is taken.
            UnitError: a rate, time or size cannot be read.
        """
        flow = self.start_iperf(
            target,
            udp=udp,
            rate=rate,
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
        start = self._network.now_ns
        span = None if duration is None else units.time_ns(duration, "duration", "s")

        def look() -> None:
            if progress is not None and span is not None:
                progress(min(self._network.now_ns - start, span), span)

        try:
            return flow.wait(look)
        except BaseException:
            flow.stop()
            raise

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
        """The same without waiting: the flow is sent as the network's time passes, beside any other traffic."""
        of_tcp = {
            "congestion": congestion,
            "mss": mss,
            "window": window,
            "ecn": ecn,
            "sack": sack,
            "ip_options": ip_options or None,
            "trace": trace or None,
        }
        of_udp = {"count": count, "length": length, "source_port": source_port, "packets": packets or None}
        for what, value in (of_tcp if udp else of_udp).items():
            if value is not None:
                other = "UDP" if udp else "TCP: give udp=True for a flow of datagrams"
                raise NetworkError(f"{what} is no matter of {other}")
        if not udp:
            return self._start_tcp(
                target,
                _tcp_options(rate, congestion, mss, window, ecn, sack),
                _Amount(duration, size, None, None),
                parallel=parallel,
                reverse=reverse,
                interval=interval,
                port=port,
                server=server,
                ip_options=ip_options,
                trace=trace,
            )
        bits = units.rate_bps("1Mbit" if rate is None else rate, "rate")
        return self._start_udp(
            target,
            ("constant", bits, 1, 0, False),
            _Amount(duration, size, count, length),
            parallel=parallel,
            reverse=reverse,
            interval=interval,
            port=port,
            source_port=source_port,
            server=server,
            linger=linger,
            packets=packets,
        )

    def start_poisson(
        self,
        target: str | Host,
        rate: str,
        *,
        duration: str | None = None,
        size: str | None = None,
        count: int | None = None,
        length: str | None = None,
        parallel: int = 1,
        interval: str | None = "1s",
        port: int = 5201,
        source_port: int | None = None,
        server: str | Host | None = None,
        linger: str = "2s",
        packets: bool = False,
    ) -> UdpFlow:
        """Starts a flow of datagrams that leave as a Poisson process: the times between two are exponentially distributed.

        Args:
            target: a host, its name, or an IPv4 address.
            rate: the mean, in bits of payload per second.
            duration, size, count, length, parallel, interval, port, source_port, server, linger, packets: as of :meth:`iperf`.

        Raises:
            NetworkError, UnitError: as of :meth:`iperf`.
        """
        return self._start_udp(
            target,
            ("poisson", units.rate_bps(rate, "rate"), 1, 0, False),
            _Amount(duration, size, count, length),
            parallel=parallel,
            reverse=False,
            interval=interval,
            port=port,
            source_port=source_port,
            server=server,
            linger=linger,
            packets=packets,
        )

    def start_on_off(
        self,
        target: str | Host,
        rate: str,
        *,
        on: str,
        off: str,
        random: bool = True,
        duration: str | None = None,
        size: str | None = None,
        count: int | None = None,
        length: str | None = None,
        parallel: int = 1,
        interval: str | None = "1s",
        port: int = 5201,
        source_port: int | None = None,
        server: str | Host | None = None,
        linger: str = "2s",
        packets: bool = False,
    ) -> UdpFlow:
        """Starts a flow of datagrams in bursts with silence between them.

        Args:
            target: a host, its name, or an IPv4 address.
            rate: bits of payload per second within a burst.
            on: the length of a burst, such as ``"500ms"``.
            off: the silence between two.
            random: whether ``on`` and ``off`` are the means of exponentially distributed times; otherwise they are as they stand.
            duration, size, count, length, parallel, interval, port, source_port, server, linger, packets: as of :meth:`iperf`.

        Raises:
            NetworkError, UnitError: as of :meth:`iperf`.
        """
        times = units.time_ns(on, "on"), units.time_ns(off, "off")
        return self._start_udp(
            target,
            ("on-off", units.rate_bps(rate, "rate"), *times, random),
            _Amount(duration, size, count, length),
            parallel=parallel,
            reverse=False,
            interval=interval,
            port=port,
            source_port=source_port,
            server=server,
            linger=linger,
            packets=packets,
        )

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

    def requests(
        self,
        target: str | Host,
        count: int = 10,
        *,
        request: str = "100B",
        response: str = "10kB",
        think: str = "0s",
        keep: bool = True,
        congestion: str | None = None,
        port: int = 80,
        server: str | Host | None = None,
    ) -> Fct:
        """Asks a host over TCP, one request after the other, and runs the network until the last has its response.

        Args:
            target: a host, its name, or an IPv4 address.
            count: how many requests.
            request: bytes of each, such as ``"100B"``.
            response: bytes that the target answers each with.
            think: the time between a response and the next request.
            keep: whether one connection serves all; otherwise each request has one of its own.
            congestion: as of :meth:`iperf`; it is the target's that matters for responses (``sysctl``).
            port: the target's TCP port.
            server: as of :meth:`iperf`.

        Raises:
            NetworkError: there is no such host, a number is out of range, the port is taken.
            UnitError: a time or size cannot be read.
        """
        return self.start_requests(
            target,
            count,
            request=request,
            response=response,
            think=think,
            keep=keep,
            congestion=congestion,
            port=port,
            server=server,
        ).wait()

    def start_requests(
        self,
        target: str | Host,
        count: int = 10,
        *,
        request: str = "100B",
        response: str = "10kB",
        think: str = "0s",
        keep: bool = True,
        congestion: str | None = None,
        port: int = 80,
        server: str | Host | None = None,
    ) -> ExchangeFlow:
        """The same without waiting."""
        check_whole("count", count, 1)
        exchanges: _core.ExchangeSettings = {
            "think_ns": units.time_ns(think, "think", "s"),
            "mean_ns": None,
            "times_ns": [],
            "count": count,
            "request": [units.size_bytes(request, "request", "100B")],
            "request_exponential": False,
            "response": [units.size_bytes(response, "response", "10kB")],
            "response_exponential": False,
            "keep_connection": keep,
        }
        return self._start_exchanges(target, exchanges, congestion, port, server)

    def transfers(
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
    ) -> Fct:
        """Sends many short flows of TCP, a connection each, and runs the network until the last has finished.

        Args:
            target: a host, its name, or an IPv4 address.
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
        return self.start_transfers(
            target,
            count,
            every=every,
            size=size,
            random=random,
            congestion=congestion,
            port=port,
            server=server,
        ).wait()

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
        """The same without waiting."""
        check_whole("count", count, 1)
        gap = units.time_ns(every, "every")
        sizes = [units.size_bytes(one, "size", "10kB") for one in ([size] if isinstance(size, str) else size)]
        exchanges: _core.ExchangeSettings = {
            "think_ns": None,
            "mean_ns": float(gap) if random else None,
            "times_ns": [] if random else [gap * number for number in range(count)],
            "count": count,
            "request": sizes,
            "request_exponential": random and len(sizes) == 1,
            "response": [0],
            "response_exponential": False,
            "keep_connection": False,
        }
        return self._start_exchanges(target, exchanges, congestion, port, server)

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

    def replay(self, path: str | Path, *, speed: float = 1.0, interface: str = "eth0") -> int:
        """Sends the frames of a capture, pcap or pcapng, with the times between them; runs the network until the last is sent.

        Args:
            path: the capture.
            speed: how much faster than captured: 2 halves the times.
            interface: the interface they leave by.

        Returns:
            How many frames were sent.

        Raises:
            FileError: the capture cannot be read, or a frame was not captured whole.
            NetworkError: the host has no such interface, or the speed is not above 0.
        """
        return self.start_replay(path, speed=speed, interface=interface).wait()

    def start_replay(self, path: str | Path, *, speed: float = 1.0, interface: str = "eth0") -> ReplayFlow:
        """The same without waiting."""
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

    def sniff(self, filter: str = "", interface: str = "eth0") -> Sniffer:
        """Keeps the frames that pass one of its interfaces from now on; see :meth:`Network.sniff`.

        Raises:
            NetworkError: the host has no such interface, nothing is connected to it, or the filter cannot be read.
        """
        return self._network.sniff(f"{self.name}-eth{self._interface(interface)}", filter)

    def run(
        self, program: HostProgram, *, udp: int | Iterable[int] = (), frames: bool | str = False
    ) -> HostProgram:
        """Starts a program on the host: it is called for what arrives as the network's time passes; see :class:`HostProgram`.

        Args:
            program: what to run.
            udp: the UDP ports it listens on.
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
        ports = [udp] if isinstance(udp, int) else list(udp)
        for port in ports:
            check_port("udp", port)
        wanted = frames if isinstance(frames, str) else ""
        watch = self._network.watch_frames(self.name, wanted) if frames is not False else None
        mailboxes: list[tuple[int, _core.Mailbox]] = []
        try:
            for port in ports:
                mailboxes.append((port, self._core.listen(port)))
        except NetworkError:
            for _, mailbox in mailboxes:
                mailbox.close()
            if watch is not None:
                watch.close()
            raise
        Running(self._network, self, program, mailboxes, watch).start()
        return program

    def _start_tcp(
        self,
        target: str | Host,
        options: _core.TcpSettings,
        amount: _Amount,
        *,
        parallel: int,
        reverse: bool,
        interval: str | None,
        port: int,
        server: str | Host | None,
        ip_options: bytes,
        trace: bool,
    ) -> TcpFlow:
        self._network.check_open()
        check_whole("parallel", parallel, 1)
        check_port("port", port)
        duration_ns, size = amount.of_tcp()
        interval_ns = None if interval is None else units.time_ns(interval, "interval", "s")
        address = self._network.address(target.name if isinstance(target, Host) else target)
        sender, receiver = self, self._other(address, server)
        if reverse:
            sender, receiver, address = receiver, self, self._alike(address)
        settings: _core.TcpSettings = {**options, "address": address, "port": port}
        connections = []
        for _ in range(parallel):
            core = sender._core.start_tcp(
                receiver.name, settings, duration_ns, size, interval_ns, ip_options, trace
            )
            connections.append(Stream(core, port, duration_ns, interval_ns))
        return TcpFlow(self._network.clock, sender.name, receiver.name, connections)

    def _start_exchanges(
        self,
        target: str | Host,
        exchanges: _core.ExchangeSettings,
        congestion: str | None,
        port: int,
        server: str | Host | None,
    ) -> ExchangeFlow:
        self._network.check_open()
        check_port("port", port)
        address = self._network.address(target.name if isinstance(target, Host) else target)
        receiver = self._other(address, server)
        options = _tcp_options(None, congestion, None, None, None, None)
        settings: _core.TcpSettings = {**options, "address": address, "port": port}
        core = self._core.start_exchanges(receiver.name, settings, exchanges)
        return ExchangeFlow(self._network.clock, core, self.name, receiver.name)

    def _start_udp(
        self,
        target: str | Host,
        pattern: tuple[str, int, int, int, bool],
        amount: _Amount,
        *,
        parallel: int,
        reverse: bool,
        interval: str | None,
        port: int,
        source_port: int | None,
        server: str | Host | None,
        linger: str,
        packets: bool,
    ) -> UdpFlow:
        self._network.check_open()
        check_whole("parallel", parallel, 1)
        check_port("port", port)
        if source_port is not None:
            check_port("source_port", source_port)
            check_port("source_port of the last flow", source_port + parallel - 1)
        duration_ns, datagrams, payload = amount.read()
        interval_ns = None if interval is None else units.time_ns(interval, "interval", "s")
        name = target.name if isinstance(target, Host) else target
        address = self._network.address(name)
        receiver = self._other(address, server)
        sender, destination = self, address
        if reverse:
            sender, receiver, destination = receiver, self, self._alike(address)
        name_of, rate, on_ns, off_ns, random = pattern
        streams = []
        for number in range(parallel):
            settings: _core.UdpSettings = {
                "address": destination,
                "port": port,
                "source_port": None if source_port is None else source_port + number,
                "payload_bytes": payload,
                "pattern": name_of,
                "bits_per_second": rate,
                "on_ns": on_ns,
                "off_ns": off_ns,
                "random": random,
                "duration_ns": duration_ns,
                "datagrams": datagrams,
                "interval_ns": interval_ns,
                "linger_ns": units.time_ns(linger, "linger", "s"),
                "keep_rows": packets,
            }
            core = sender._core.start_udp(receiver.name, settings)
            streams.append(Stream(core, port, duration_ns, interval_ns))
        return UdpFlow(self._network.clock, sender.name, receiver.name, streams)

    def _other(self, address: str, server: str | Host | None) -> Host:
        """The host that receives what is sent to an address; not this one, for between a host and itself nothing takes time."""
        receiver = self._network.receiver(address, server)
        if receiver is self:
            raise NetworkError(f"{self.name} is both ends of the flow: expected another host")
        return receiver

    def _alike(self, address: str) -> str:
        """An address of this host of the same version of IP."""
        alike = (own for own in self.addresses if (":" in own) == (":" in address))
        return next(alike, self.ip)

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


def check_whole(what: str, value: object, least: int) -> None:
    """Refuses what is no whole number, or one below ``least``.

    Raises:
        NetworkError: it is so.
    """
    if isinstance(value, bool) or not isinstance(value, int):
        raise NetworkError(f"{what}: {value!r} is no whole number")
    if not least <= value < 1 << 63:
        raise NetworkError(f"{what}: {value} is out of range: expected {least} or more")


def check_port(what: str, value: object) -> None:
    """Refuses what is no UDP or TCP port.

    Raises:
        NetworkError: it is so.
    """
    check_whole(what, value, 1)
    if isinstance(value, int) and value > 65535:
        raise NetworkError(f"{what}: {value} is out of range: expected 1 to 65535")


def frame_bytes(packet: object) -> bytes:
    """A frame's bytes: of bytes, or of an object that ``bytes()`` makes them of, such as a packet of Scapy.

    Raises:
        NetworkError: it is neither.
    """
    if isinstance(packet, (bytes, bytearray, memoryview)):
        return bytes(packet)
    if isinstance(packet, SupportsBytes):
        return bytes(packet)
    raise NetworkError(
        f"a {type(packet).__name__} is no packet: expected bytes, or what bytes() makes them of, such as a packet of Scapy"
    )


def _tcp_options(
    rate: str | None,
    congestion: str | None,
    mss: str | None,
    window: str | None,
    ecn: bool | None,
    sack: bool | None,
) -> _core.TcpSettings:
    """What a flow of TCP has otherwise than its host; where it goes is still to be said."""
    known = ("reno", "cubic", "bbr")
    if congestion is not None and congestion not in known:
        raise NetworkError(
            f'there is no congestion control "{congestion}" (there are: {listing(known)})',
            suggestion=nearest(str(congestion), known),
        )
    segment = None if mss is None else units.size_bytes(mss, "mss", "1460B")
    if segment is not None and not 64 <= segment <= 65495:
        raise NetworkError(f"mss: {segment} bytes are out of range: expected 64B to 65495B")
    most = None if window is None else units.size_bytes(window, "window", "64kB")
    if most is not None and not 1 <= most <= 1 << 30:
        raise NetworkError(f"window: {most} bytes are out of range: expected 1B to 1GiB")
    return {
        "address": "",
        "port": 0,
        "congestion": congestion,
        "mss": segment,
        "window": most,
        "pacing_bps": None if rate is None else units.rate_bps(rate, "rate"),
        "ecn": ecn,
        "sack": sack,
    }


class _Amount:
    """How much a flow of datagrams sends."""

    def __init__(self, duration: str | None, size: str | None, count: int | None, length: str | None) -> None:
        given = {"duration": duration, "size": size, "count": count}
        if sum(value is not None for value in given.values()) > 1:
            names = " and ".join(name for name, value in given.items() if value is not None)
            raise NetworkError(f"{names} are given: expected one of duration, size and count")
        self._duration, self._size, self._count, self._length = duration, size, count, length

    def of_tcp(self) -> tuple[int | None, int | None]:
        """Nanoseconds, bytes; one of the two."""
        if self._size is not None:
            size = units.size_bytes(self._size, "size", "10MB")
            if size == 0:
                raise NetworkError("size: nothing is to be sent: expected 1B or more")
            return None, size
        return self.read()[0], None

    def read(self) -> tuple[int | None, int | None, int]:
        """Nanoseconds, datagrams (one of the two), payload bytes of a datagram."""
        payload = units.size_bytes("1470B" if self._length is None else self._length, "length")
        if not 16 <= payload <= 65507:
            raise NetworkError(f"length: {payload} bytes of payload are out of range: expected 16B to 65507B")
        if self._size is not None:
            size = units.size_bytes(self._size, "size", "10MB")
            if size == 0:
                raise NetworkError("size: nothing is to be sent: expected 1B or more")
            return None, -(-size // payload), payload
        if self._count is not None:
            check_whole("count", self._count, 1)
            return None, self._count, payload
        duration = units.time_ns("10s" if self._duration is None else self._duration, "duration", "s")
        if duration == 0:
            raise NetworkError("duration: nothing is to be sent: expected more than 0")
        return duration, None, payload
