"""Hosts of a network that runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, SupportsBytes

from weir import _core, units
from weir.errors import FileError, NetworkError
from weir.flows import PingFlow, Progress, ReplayFlow, Stream, UdpFlow
from weir.hostprogram import HostProgram, Running, Sniffer
from weir.interface import Interface
from weir.measure import PingReply, PingResult, UdpResult

if TYPE_CHECKING:
    from weir.network import Network


class Host:
    """A host of a network. Got from :meth:`Network.host`.

    Attributes:
        name: such as ``h1``.
        ip: its IPv4 address.
        mac: its Ethernet address.
    """

    def __init__(self, network: Network, core: _core.Host, name: str) -> None:
        spec = network.topology.hosts[name]
        self._network = network
        self._core = core
        self.name = name
        self.ip = spec.ip.address
        self.mac = spec.mac

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
        progress: Progress | None = None,
    ) -> UdpResult:
        """Sends a flow to another host as iperf does, and runs the network until it has finished.

        Args:
            target: a host, its name, or an IPv4 address.
            udp: datagrams at a fixed rate. There is no TCP yet: give ``udp=True``.
            rate: bits of payload per second, of each flow; ``"1Mbit"`` by default.
            duration: for how long to send; ``"10s"`` unless ``size`` or ``count`` is given.
            size: how much payload to send with each flow instead, such as ``"10MB"``; rounded up to whole datagrams.
            count: how many datagrams to send with each flow instead.
            length: payload of a datagram, ``"16B"`` or more; ``"1470B"`` by default, as iperf has it.
            parallel: how many flows to send at once.
            reverse: send from the target to this host.
            interval: the length of the result's intervals; None for none.
            port: the UDP port to send to.
            source_port: the UDP port of the first flow, the next one of the second, and so on; any free ones by default.
            server: the host that receives, where it is not the one with the target's address: if a data plane rewrites that.
            linger: how long to wait, from the last sign of a flow on, for datagrams that are missing.
            packets: whether to keep each datagram's delay: ``result.streams[0].delays``.
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
        )
        start = self._network.now_ns
        span = None if duration is None else units.time_ns(duration, "duration", "s")

        def look() -> None:
            if progress is not None and span is not None:
                progress(min(self._network.now_ns - start, span), span)

        return flow.wait(look)

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
    ) -> UdpFlow:
        """The same without waiting: the flow is sent as the network's time passes, beside any other traffic."""
        if not udp:
            raise NetworkError("the virtual hosts have no TCP yet: give udp=True for a flow of datagrams")
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
        receiver = self._network.receiver(address, server)
        sender, destination = self, address
        if reverse:
            sender, receiver, destination = receiver, self, self.ip
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

    def tc(self, command: str) -> None:
        """Does a ``tc`` command, now: ``host.tc("qdisc replace dev eth0 root fq maxrate 20mbit")``.

        Raises:
            NetworkError: the command is not understood, or does not fit what earlier ones made.
        """
        self._network.tc(self.name, command)

    def __repr__(self) -> str:
        return f"<weir.Host {self.name} {self.ip}>"


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


class _Amount:
    """How much a flow of datagrams sends."""

    def __init__(self, duration: str | None, size: str | None, count: int | None, length: str | None) -> None:
        given = {"duration": duration, "size": size, "count": count}
        if sum(value is not None for value in given.values()) > 1:
            names = " and ".join(name for name, value in given.items() if value is not None)
            raise NetworkError(f"{names} are given: expected one of duration, size and count")
        self._duration, self._size, self._count, self._length = duration, size, count, length

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
