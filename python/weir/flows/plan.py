"""The plan of a flow: its options, checked and converted to the form of the core."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypedDict

from weir import _core, units
from weir.errors import NetworkError
from weir.errors.checks import check_flag, check_port, check_whole
from weir.flows.tcp_options import tcp_options

if TYPE_CHECKING:
    from weir.owners.network import Servers

MIN_DATAGRAM = 16
"""The smallest payload of a measured datagram in bytes: a number and the time of sending."""

MAX_DATAGRAM = 65507
"""The largest payload of a UDP datagram over IPv4, in bytes."""


class FlowOptions(TypedDict, total=False):
    """Options of :meth:`Host.start_iperf` and similar methods, except target and rate."""

    duration: str | None
    size: str | None
    count: int | None
    length: str | None
    parallel: int
    reverse: bool
    interval: str | None
    port: int
    source_port: int | None
    server: Servers | None
    family: int | None
    tos: int
    linger: str
    packets: bool
    congestion: str | None
    mss: str | None
    window: str | None
    ecn: bool | None
    sack: bool | None
    ip_options: bytes
    trace: bool


class IperfOptions(FlowOptions, total=False):
    """The options of :class:`FlowOptions`, and the rate of the flow."""

    rate: str | None


@dataclass(frozen=True, kw_only=True)
class FlowPlan:
    """The checked options of a flow, which :meth:`Host.start_iperf` documents.

    Attributes:
        pattern: when datagrams leave, or when an application writes to a TCP connection; ``None``
            for all at once.
        pacing: TCP only: a rate for pacing.
    """

    udp: bool
    pattern: _core.Pattern | None = None
    pacing: str | None = None
    duration: str | None = None
    size: str | None = None
    count: int | None = None
    length: str | None = None
    parallel: int = 1
    reverse: bool = False
    interval: str | None = "1s"
    port: int = 5201
    source_port: int | None = None
    server: Servers | None = None
    family: int | None = None
    tos: int = 0
    linger: str = "2s"
    packets: bool = False
    congestion: str | None = None
    mss: str | None = None
    window: str | None = None
    ecn: bool | None = None
    sack: bool | None = None
    ip_options: bytes = b""
    trace: bool = False

    def check(self) -> None:
        """Refuses options that do not apply to the protocol, and numbers out of range.

        Raises:
            NetworkError: there is such an option or number.
        """
        check_flag("udp", self.udp)
        tcp_only = ("congestion", "mss", "window", "ecn", "sack", "ip_options", "trace")
        udp_only = ("count", "source_port", "linger", "packets", *(() if self.pattern else ("length",)))
        for name in tcp_only if self.udp else udp_only:
            if getattr(self, name) != getattr(FlowPlan, name):
                protocol = "UDP" if self.udp else "TCP: give udp=True for a flow of datagrams"
                raise NetworkError(f"{name} does not apply to {protocol}")
        for name in ("reverse", "packets", "trace"):
            check_flag(name, getattr(self, name))
        if not isinstance(self.ip_options, bytes):
            raise NetworkError(f"ip_options: a {type(self.ip_options).__name__} is not bytes")
        check_whole("parallel", self.parallel, 1)
        check_port("port", self.port)
        check_whole("tos", self.tos, 0, 255)
        if self.source_port is not None:
            check_port("source_port", self.source_port)
            check_port("source_port of the last flow", self.source_port + self.parallel - 1)

    @property
    def duration_ns(self) -> int | None:
        """How long the flow sends; ``None`` if it sends a number of bytes or datagrams.

        Raises:
            NetworkError: more than one of duration, size and count is given, or nothing would be
                sent.
        """
        limits = {"duration": self.duration, "size": self.size, "count": self.count}
        names = [name for name, value in limits.items() if value is not None]
        if len(names) > 1:
            raise NetworkError(f"{' and '.join(names)} are given: expected one of them")
        if self.size is not None or self.count is not None:
            return None
        duration = units.time_ns("10s" if self.duration is None else self.duration, "duration", "s")
        if duration == 0:
            raise NetworkError("duration: nothing would be sent: expected more than 0")
        return duration

    @property
    def bytes(self) -> int | None:
        """The number of bytes to send; ``None`` if the flow has no size."""
        if self.size is None:
            return None
        size = units.size_bytes(self.size, "size", "10MB")
        if size == 0:
            raise NetworkError("size: nothing would be sent: expected 1B or more")
        return size

    @property
    def length_bytes(self) -> int:
        """The bytes of payload of a datagram, or of one write to a TCP connection."""
        payload = units.size_bytes("1470B" if self.length is None else self.length, "length")
        minimum, maximum = (MIN_DATAGRAM, MAX_DATAGRAM) if self.udp else (1, 1 << 30)
        if not minimum <= payload <= maximum:
            raise NetworkError(
                f"length: {payload} bytes of payload are out of range: expected {minimum}B to {maximum}B"
            )
        return payload

    @property
    def datagrams(self) -> int | None:
        """The number of datagrams to send; ``None`` if neither their number nor the flow's size is
        given."""
        if self.count is not None:
            check_whole("count", self.count, 1)
            return self.count
        return None if self.bytes is None else -(-self.bytes // self.length_bytes)

    @property
    def interval_ns(self) -> int | None:
        """Length of the result's intervals in nanoseconds; ``None`` for no intervals."""
        return None if self.interval is None else units.time_ns(self.interval, "interval", "s")

    def settings(self, address: str) -> _core.FlowSettings:
        """Converts the settings that UDP and TCP share to the form that the core takes."""
        return {
            "to": (address, self.port),
            "duration_ns": self.duration_ns,
            "interval_ns": self.interval_ns,
            "reverse": self.reverse,
            "pattern": self.pattern,
            "length": self.length_bytes,
            "tos": self.tos,
        }

    def udp_settings(self, number: int) -> _core.UdpSettings:
        """Converts the settings for UDP to the form that the core takes, for the flow with this
        number, counted from 0."""
        return {
            "source_port": None if self.source_port is None else self.source_port + number,
            "datagrams": self.datagrams,
            "linger_ns": units.time_ns(self.linger, "linger", "s"),
            "keep_rows": self.packets,
        }

    def tcp_settings(self) -> _core.TcpSettings:
        """Converts the settings for TCP to the form that the core takes."""
        return {"bytes": self.bytes, "ip_options": self.ip_options, "trace": self.trace}

    def tcp_options(self) -> _core.TcpOptionsOf:
        """Converts the options of the flow's TCP connections to the form that the core takes."""
        return tcp_options(
            rate=self.pacing,
            congestion=self.congestion,
            mss=self.mss,
            window=self.window,
            ecn=self.ecn,
            sack=self.sack,
        )
