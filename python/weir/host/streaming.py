"""Flows from a host to another: all that TCP carries, datagrams at a rate, and what comes at random times."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Unpack, overload

from weir import units
from weir.flows import Stream, TcpFlow, UdpFlow, turned
from weir.host.end import End
from weir.host.twins import finish, twin_of, waiting
from weir.keywords import keywords_are_told
from weir.measure import FlowResult, UdpResult
from weir.suggest import listing
from weir.traffic import FlowOptions, FlowPlan, IperfOptions, Servers, check_flag

if TYPE_CHECKING:
    from weir.host import Host


@keywords_are_told
class Streaming(End):
    """A host as it sends flows, or has them sent."""

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
        server: Servers | None = None,
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
            server: the host that is reached, where it is not the one with the target's address: if a data plane rewrites that. Several,
                such as ``("h2", "h3")``, where it chooses: each flow tells who served it, ``result.streams[0].server``.
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
        check_flag("random", random)
        times = units.time_ns(on, "on"), units.time_ns(off, "off")
        pattern = ("on-off", units.rate_bps(rate, "rate"), *times, random)
        return self._start_flow(target, FlowPlan(udp=udp, pattern=pattern, **options))

    on_off = waiting(start_on_off)

    def _start_flow(self, target: str | Host, plan: FlowPlan) -> TcpFlow | UdpFlow:
        self._network.check_open()
        plan.check()
        _, address = self._target(target)
        settings, options = plan.settings(address), plan.tcp_options()
        others = self._others(address, plan.server)
        source, sink = turned(self.name, listing(others), plan.reverse)
        streams = []
        for number in range(plan.parallel):
            if plan.udp:
                core = self._core.start_udp(others, settings, plan.udp_settings(number))
            else:
                core = self._core.start_tcp(others, settings, plan.tcp_settings(), options)
            streams.append(Stream(core, plan, self.name, others))
        kind = UdpFlow if plan.udp else TcpFlow
        return kind(self._network.clock, source, sink, streams)
