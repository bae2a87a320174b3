"""Part of the stubs of ``weir._core``; there is no such module at run time. Traffic: its settings and reports."""

import builtins
from typing import TypedDict, final

# Sequence number, time of sending, kind (reply, lost, error, no_route), round-trip time, time to
# live, ICMP bytes; of an error the reporting address, ICMP type and code. Times in nanoseconds.
PingRow = tuple[int, int, str, int | None, int | None, int | None, tuple[str, int, int] | None]

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

class UdpReport(TypedDict):
    source_port: int
    started: int
    last_sent: int | None
    sent: int
    sent_bytes: int
    refused: int
    errors: int
    received: int
    # The place of the host that got the first, or sends, among those that were named; and how many
    # each got, if there are several.
    server: int | None
    by_server: list[int]
    received_bytes: int
    duplicates: int
    reordered: int
    arrivals: tuple[int, int] | None
    jitter: float
    failure: str | None
    # The least, mean and greatest one-way delay, and the standard deviation.
    delays: tuple[int, float, int, float] | None
    # Sent, how many of those arrived, received, bytes, reordered, the sum of the delays, the
    # jitter.
    intervals: list[tuple[int, int, int, int, int, int, float]]
    # Each arrival's number, time of sending and of arrival: columns of 64-bit little-endian
    # numbers, as the following.
    rows: list[bytes]

class TcpReport(TypedDict):
    source_port: int | None
    started: int
    connected: int | None
    # The place of the host that accepted the connection, among those that were named.
    server: int | None
    received: int
    arrivals: tuple[int, int] | None
    failure: str | None
    # closed, reset, refused, timed out or aborted.
    closed: str | None
    ip_options: builtins.bytes
    figures: TcpFigures | None
    # Received, acknowledged, sent again, time-outs, congestion window, smoothed round trip.
    intervals: list[tuple[int, int, int, int, int, int]]
    # Times, and bytes received until then.
    deliveries: list[bytes]
    # Times, kinds (by their place in trace_kinds), positions, bytes, congestion window, slow start
    # threshold, bytes in flight, smoothed round trips.
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
    room: int
    acked: int
    received: int
    segments_out: int
    segments_in: int
    retransmits: int
    timeouts: int
    recoveries: int
    spurious: int
    ecn_reductions: int
    peer_window: int

# When it began, bytes of request and response, when the request was there, when all was over, how
# often it was sent again, how it failed, the place of the host that it came to.
ExchangeRow = tuple[int, int, int, int | None, int | None, int, str | None, int | None]

@final
class Traffic:
    @property
    def finished(self) -> bool: ...
    def stop(self) -> None: ...
    def pings(self, start: int) -> list[PingRow]: ...
    def udp(self) -> UdpReport: ...
    def tcp(self) -> TcpReport: ...
    def exchanges(self) -> tuple[list[ExchangeRow], str | None]: ...
    def replayed(self) -> int: ...
    def pace(self, rate_bps: int | None) -> None: ...
