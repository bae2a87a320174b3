"""Part of the stubs of ``weir._core``; there is no such module at run time.

Traffic, with its settings and reports, and the account of packets.
"""

import builtins
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypedDict, final

@final
@dataclass(frozen=True)
class PingReply:
    seq: int
    time_ns: int
    rtt_ns: int | None
    ttl: int | None
    bytes: int | None
    error: str | None = ...
    error_from: str | None = ...
    reply_from: str | None = ...

@final
@dataclass(frozen=True)
class Exchange:
    start_ns: int
    request: int
    response: int
    request_ns: int | None
    end_ns: int | None
    repeats: int
    failure: str | None
    server: str | None
    @property
    def time_ms(self) -> float | None: ...

@final
@dataclass(frozen=True)
class SocketEvent:
    time_ns: int
    connection: int
    kind: str
    peer: tuple[str, int, int] | None = ...
    data: bytes = ...
    reason: str = ...

@final
@dataclass(frozen=True)
class Drop:
    place: str
    reason: str
    packets: int

@final
@dataclass(frozen=True)
class Misses:
    switch: str
    table: str
    part: str
    misses: int
    entries: int
    default: str | None

@final
@dataclass(frozen=True)
class Repeats:
    switch: str
    inside: int
    times: int

@final
@dataclass(frozen=True)
class Waiting:
    host: str
    neighbour: str
    packets: int

@final
@dataclass(frozen=True)
class LossCounts:
    drops: Sequence[Drop]
    frames: Sequence[tuple[str, str, bytes]]
    misses: Sequence[Misses]
    copies: Sequence[tuple[str, int]]
    repeats: Sequence[Repeats]
    waiting: Sequence[Waiting]

@final
@dataclass(frozen=True)
class RepeatingDevice:
    received: int
    copies: int
    inside: int
    repeated: int
    is_hopeless: bool

@final
@dataclass(frozen=True)
class Loop:
    devices: tuple[str, ...]
    span_ns: int
    frame: bytes
    arrivals: int
    device: RepeatingDevice | None

@final
@dataclass(frozen=True)
class InFlight:
    hosts: int
    queues: int
    wires: int
    devices: int
    @property
    def total(self) -> int: ...

# A pattern's name (constant, poisson, on-off), bits per second, nanoseconds on and off, and whether
# these are random.
Pattern = tuple[str, int, int, int, bool]

class FlowSettings(TypedDict):
    to: tuple[str, int]
    duration_ns: int | None
    interval_ns: int | None
    reverse: bool
    pattern: Pattern | None
    length: int
    tos: int

class UdpSettings(TypedDict):
    source_port: int | None
    datagrams: int | None
    linger_ns: int
    keep_rows: bool

class TcpSettings(TypedDict):
    bytes: int | None
    ip_options: builtins.bytes
    trace: bool

class TcpOptionsOf(TypedDict):
    congestion: str | None
    mss: int | None
    window: int | None
    pacing_bps: int | None
    ecn: bool | None
    sack: bool | None
    nodelay: bool | None

class ExchangeSettings(TypedDict):
    to: tuple[str, int]
    think_ns: int | None
    mean_ns: float | None
    every_ns: int | None
    count: int
    request: list[int]
    request_exponential: bool
    response: list[int]
    response_exponential: bool
    keep_connection: bool
    tos: int

class UdpReport(TypedDict):
    source_port: int
    started: int
    last_sent: int | None
    sent: int
    sent_bytes: int
    refused: int
    errors: int
    received: int
    # The index, in the list of servers, of the server that received the first datagram or, in
    # reverse, sends; and the number of datagrams that each server received, if there are several.
    server: int | None
    by_server: list[int]
    received_bytes: int
    duplicates: int
    reordered: int
    arrivals: tuple[int, int] | None
    jitter: float
    failure: str | None
    # The minimum, mean and maximum one-way delay, and its standard deviation.
    delays: tuple[int, float, int, float] | None
    # Sent datagrams, the number of these that arrived, received datagrams and their bytes,
    # reordered datagrams, the sum of the delays, the jitter.
    intervals: list[tuple[int, int, int, int, int, int, float]]
    # The sequence number, sending time and arrival time of each arrival: columns of 64-bit
    # little-endian numbers, as in the types below.
    rows: list[bytes]

class TcpReport(TypedDict):
    source_port: int | None
    started: int
    connected: int | None
    # The index of the server that accepted the connection in the list of servers.
    server: int | None
    received: int
    arrivals: tuple[int, int] | None
    failure: str | None
    # closed, reset, refused, timed out or aborted.
    closed: str | None
    ip_options: builtins.bytes
    figures: TcpFigures | None
    # Bytes received, bytes acknowledged, retransmissions, time-outs, congestion window, smoothed
    # round-trip time.
    intervals: list[tuple[int, int, int, int, int, int]]
    # Times, and the bytes received until each.
    deliveries: list[bytes]
    # Times, kinds (indices into trace_kinds), sequence numbers, bytes, congestion windows, slow
    # start thresholds, bytes in flight, smoothed round-trip times.
    trace: list[bytes]

class TcpFigures(TypedDict):
    mss: int
    cwnd: int
    ssthresh: int
    srtt: int
    rttvar: int
    min_rtt: int
    rto: int
    in_flight: int
    pacing_rate: int | None
    written: int
    send_space: int
    acked: int
    received: int
    segments_out: int
    segments_in: int
    retransmits: int
    # None for figures that the kernel of a real host does not report.
    timeouts: int | None
    recoveries: int | None
    spurious: int | None
    ecn_reductions: int
    peer_window: int

@final
class Account:
    @property
    def created(self) -> int: ...
    @property
    def made_by_devices(self) -> int: ...
    @property
    def made_by_links(self) -> int: ...
    @property
    def delivered(self) -> int: ...
    @property
    def drops(self) -> tuple[Drop, ...]: ...
    @property
    def in_flight(self) -> InFlight: ...
    @property
    def violations(self) -> list[str]: ...
