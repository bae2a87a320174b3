"""How traffic is described: what its options mean, and what of them does not hold together."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, SupportsBytes, TypeAlias, TypedDict

from weir import _core, units
from weir.errors import NetworkError
from weir.suggest import listing, nearest

if TYPE_CHECKING:
    from weir.host import Host

Servers: TypeAlias = "str | Host | Sequence[str | Host]"
"""Who receives: a host or its name, or several of which a data plane chooses."""

CONGESTION = ("reno", "cubic", "bbr")
"""The congestion controls of TCP."""

_DATAGRAM = (16, 65507)


class FlowOptions(TypedDict, total=False):
    """What :meth:`Host.start_iperf` and its like take beside target and rate, as type checkers know it."""

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
    """The same with the rate."""

    rate: str | None


@dataclass(frozen=True, kw_only=True)
class FlowPlan:
    """What a flow is to be, as :meth:`Host.start_iperf` is told; that says what the options mean.

    Attributes:
        pattern: when datagrams leave, or an application offers something to TCP; None for all at once.
        pacing: of TCP, a rate to pace at.
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
        """Refuses what does not belong to UDP or TCP, and numbers out of their range.

        Raises:
            NetworkError: it is so.
        """
        check_flag("udp", self.udp)
        of_tcp = ("congestion", "mss", "window", "ecn", "sack", "ip_options", "trace")
        of_udp = ("count", "source_port", "linger", "packets", *(() if self.pattern else ("length",)))
        for name in of_tcp if self.udp else of_udp:
            if getattr(self, name) != getattr(FlowPlan, name):
                other = "UDP" if self.udp else "TCP: give udp=True for a flow of datagrams"
                raise NetworkError(f"{name} is no matter of {other}")
        for name in ("reverse", "packets", "trace"):
            check_flag(name, getattr(self, name))
        if not isinstance(self.ip_options, bytes):
            raise NetworkError(f"ip_options: a {type(self.ip_options).__name__} is not bytes")
        check_whole("parallel", self.parallel, 1)
        check_port("port", self.port)
        if self.source_port is not None:
            check_port("source_port", self.source_port)
            check_port("source_port of the last flow", self.source_port + self.parallel - 1)

    @property
    def duration_ns(self) -> int | None:
        """For how long it sends; None if it sends so many bytes or datagrams.

        Raises:
            NetworkError: several of these are given, or nothing is to be sent.
        """
        given = {"duration": self.duration, "size": self.size, "count": self.count}
        names = [name for name, value in given.items() if value is not None]
        if len(names) > 1:
            raise NetworkError(f"{' and '.join(names)} are given: expected one of them")
        if self.size is not None or self.count is not None:
            return None
        duration = units.time_ns("10s" if self.duration is None else self.duration, "duration", "s")
        if duration == 0:
            raise NetworkError("duration: nothing is to be sent: expected more than 0")
        return duration

    @property
    def bytes(self) -> int | None:
        """How many bytes it sends, if that was said."""
        if self.size is None:
            return None
        size = units.size_bytes(self.size, "size", "10MB")
        if size == 0:
            raise NetworkError("size: nothing is to be sent: expected 1B or more")
        return size

    @property
    def length_bytes(self) -> int:
        """Bytes of a datagram, or of what is offered at a time."""
        payload = units.size_bytes("1470B" if self.length is None else self.length, "length")
        least, most = _DATAGRAM if self.udp else (1, 1 << 30)
        if not least <= payload <= most:
            raise NetworkError(
                f"length: {payload} bytes of payload are out of range: expected {least}B to {most}B"
            )
        return payload

    @property
    def datagrams(self) -> int | None:
        """How many datagrams it sends, if that or how many bytes was said."""
        if self.count is not None:
            check_whole("count", self.count, 1)
            return self.count
        return None if self.bytes is None else -(-self.bytes // self.length_bytes)

    @property
    def interval_ns(self) -> int | None:
        """The length of its intervals."""
        return None if self.interval is None else units.time_ns(self.interval, "interval", "s")

    def settings(self, address: str) -> _core.FlowSettings:
        """What the core takes of UDP and TCP alike."""
        return {
            "to": (address, self.port),
            "duration_ns": self.duration_ns,
            "interval_ns": self.interval_ns,
            "reverse": self.reverse,
            "pattern": self.pattern,
            "length": self.length_bytes,
        }

    def udp_settings(self, number: int) -> _core.UdpSettings:
        """What it takes of UDP, for one of several flows."""
        return {
            "source_port": None if self.source_port is None else self.source_port + number,
            "datagrams": self.datagrams,
            "linger_ns": units.time_ns(self.linger, "linger", "s"),
            "keep_rows": self.packets,
        }

    def tcp_settings(self) -> _core.TcpSettings:
        """What it takes of TCP."""
        return {"bytes": self.bytes, "ip_options": self.ip_options, "trace": self.trace}

    def tcp_options(self) -> _core.TcpOptionsOf:
        """How its connections are to be otherwise than the host has them."""
        return tcp_options(
            rate=self.pacing,
            congestion=self.congestion,
            mss=self.mss,
            window=self.window,
            ecn=self.ecn,
            sack=self.sack,
        )


class TcpOptions(TypedDict, total=False):
    """How a connection is to be otherwise than the host has it, as type checkers know it.

    Attributes:
        rate: pace at this rate, in bits of IP packets.
        congestion: ``"reno"``, ``"cubic"`` or ``"bbr"``.
        mss: the largest payload of a segment with its options, such as ``"1460B"``.
        window: the most to have in flight and to take from the program, such as ``"64kB"``; 4 MiB by default.
        ecn: whether to use explicit congestion notification.
        sack: whether to use selective acknowledgements.
        nodelay: whether what is sent leaves at once, without Nagle's rule (``TCP_NODELAY``): with it less than a full segment waits for
            the acknowledgement of the last such one (RFC 9293, section 3.7.4; Minshall's variant, as Linux has it).
    """

    rate: str | None
    congestion: str | None
    mss: str | None
    window: str | None
    ecn: bool | None
    sack: bool | None
    nodelay: bool | None


def tcp_options(
    *,
    rate: str | None = None,
    congestion: str | None = None,
    mss: str | None = None,
    window: str | None = None,
    ecn: bool | None = None,
    sack: bool | None = None,
    nodelay: bool | None = None,
) -> _core.TcpOptionsOf:
    """Reads :class:`TcpOptions`.

    Raises:
        NetworkError: there is no such congestion control, or a number is out of its range.
        UnitError: a size or rate cannot be read.
    """
    if congestion is not None and congestion not in CONGESTION:
        raise NetworkError(
            f'there is no congestion control "{congestion}" (there are: {listing(CONGESTION)})',
            suggestion=nearest(str(congestion), CONGESTION),
        )
    for name, flag in (("ecn", ecn), ("sack", sack), ("nodelay", nodelay)):
        if flag is not None:
            check_flag(name, flag)
    segment = None if mss is None else units.size_bytes(mss, "mss", "1460B")
    if segment is not None and not 64 <= segment <= 65495:
        raise NetworkError(f"mss: {segment} bytes are out of range: expected 64B to 65495B")
    most = None if window is None else units.size_bytes(window, "window", "64kB")
    if most is not None and not 1 <= most <= 1 << 30:
        raise NetworkError(f"window: {most} bytes are out of range: expected 1B to 1GiB")
    return {
        "congestion": congestion,
        "mss": segment,
        "window": most,
        "pacing_bps": None if rate is None else units.rate_bps(rate, "rate"),
        "ecn": ecn,
        "sack": sack,
        "nodelay": nodelay,
    }


def exchange_settings(
    address: str,
    port: int,
    count: int,
    *,
    think: str | None = None,
    every: str | None = None,
    random: bool = True,
    request: str | Sequence[str],
    response: str | Sequence[str],
    keep: bool = False,
    udp: bool = False,
    what: tuple[str, str] = ("request", "response"),
) -> _core.ExchangeSettings:
    """What the core takes of requests and of short flows: one after the other with time to ``think``, or one ``every`` so often.

    Raises:
        NetworkError: a number is out of its range.
        UnitError: a time or size cannot be read.
    """
    check_whole("count", count, 1)
    check_port("port", port)
    check_flag("random", random)
    gap = None if every is None else units.time_ns(every, "every")
    poisson = gap is not None and random

    def sizes(given: object, name: str, least: int) -> list[int]:
        several = given if isinstance(given, (list, tuple)) else [given]
        if not several:
            raise NetworkError(f"{name}: there is no size to draw from")
        read = [units.size_bytes(one, name, "10kB") for one in several]
        for size in read:
            if not (_DATAGRAM[0] if udp else least) <= size <= (_DATAGRAM[1] if udp else size):
                most = f"{_DATAGRAM[0]}B to {_DATAGRAM[1]}B" if udp else f"{least}B or more"
                raise NetworkError(f"{name}: {size} bytes are out of range: expected {most}")
        return read

    if gap == 0 and random:
        raise NetworkError("every: 0s is no mean of random times: expected more, or random=False")
    requests, responses = sizes(request, what[0], 1), sizes(response, what[1], 0)
    if keep and not all(responses):
        raise NetworkError(
            f"{what[1]}: without one, each {what[0]} has a connection of its own: give keep=False"
        )
    return {
        "to": (address, port),
        "think_ns": units.time_ns("0s" if think is None else think, "think", "s") if gap is None else None,
        "mean_ns": float(gap) if gap is not None and random else None,
        "every_ns": None if random else gap,
        "count": count,
        "request": requests,
        "request_exponential": poisson and len(requests) == 1,
        "response": responses,
        "response_exponential": poisson and responses != [0] and len(responses) == 1,
        "keep_connection": keep,
    }


def check_flag(what: str, value: object) -> None:
    """Refuses what is neither True nor False.

    Raises:
        NetworkError: it is so.
    """
    if not isinstance(value, bool):
        raise NetworkError(f"{what}: {value!r} is neither True nor False")


def check_whole(what: str, value: object, least: int, most: int = (1 << 63) - 1) -> None:
    """Refuses what is no whole number, or one outside ``least`` to ``most``.

    Raises:
        NetworkError: it is so.
    """
    if isinstance(value, bool) or not isinstance(value, int):
        raise NetworkError(f"{what}: {value!r} is no whole number")
    if not least <= value <= most:
        expected = f"{least} or more" if value < least and most >= 1 << 62 else f"{least} to {most}"
        raise NetworkError(f"{what}: {value} is out of range: expected {expected}")


def check_port(what: str, value: object) -> None:
    """Refuses what is no UDP or TCP port.

    Raises:
        NetworkError: it is so.
    """
    check_whole(what, value, 1, 65535)


def check_ports(what: str, value: Any) -> list[int]:
    """Ports of which there may be one or several.

    Raises:
        NetworkError: it is neither.
    """
    several = isinstance(value, Iterable) and not isinstance(value, (str, bytes))
    ports: list[int] = list(value) if several else [value]
    for port in ports:
        check_port(what, port)
    return ports


def check_text(what: str, value: object, example: str) -> None:
    """Refuses what is no text.

    Raises:
        NetworkError: it is so.
    """
    if not isinstance(value, str):
        raise NetworkError(f'{what}: expected a text such as "{example}", found {value!r}')


def frame_bytes(packet: object, what: str = "") -> bytes:
    """A frame's bytes, or others: of bytes, or of an object that ``bytes()`` makes them of, such as a packet of Scapy.

    Raises:
        NetworkError: it is neither.
    """
    if isinstance(packet, (bytes, bytearray, memoryview)):
        return bytes(packet)
    if isinstance(packet, SupportsBytes):
        return bytes(packet)
    kind = type(packet).__name__
    if what:
        raise NetworkError(
            f"{what}: a {kind} is not bytes", suggestion=f"{packet!r}.encode()" if kind == "str" else None
        )
    raise NetworkError(
        f"a {kind} is no packet: expected bytes, or what bytes() makes them of, such as a packet of Scapy"
    )
