"""Part of the stubs of ``weir._core``; there is no such module at run time.

Traffic: its settings and reports, and where packets have gone.
"""

import builtins
from typing import TypedDict, final

# Sequence number, time of sending, kind (reply, lost, error, no_route), round-trip time, time to
# live, ICMP bytes; for an error, the reporting address, ICMP type and code. Times in nanoseconds.
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
    # The index of the server that received the first datagram (in reverse: that sends them) in the
    # list of servers; and the number of datagrams that each received, if there are several servers.
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
    # Datagrams sent, how many of these arrived, datagrams received, their bytes, datagrams
    # reordered, the sum of the delays, the jitter.
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

# Start, bytes of the request and of the response, arrival of the request, end, retransmissions,
# the failure, the index of the server that answered in the list of servers.
ExchangeRow = tuple[int, int, int, int | None, int | None, int, str | None, int | None]

# Time, connection, kind, and by kind: for accepted, the peer's address and port and the listener's
# port; for received, the bytes; for closed, how it ended.
SocketRow = tuple[int, int, str, tuple[str, int, int] | None, bytes | None, str | None]

# Drops as place, reason and packets; the beginnings of frames dropped at a place for a reason;
# lookups that found nothing as switch, table, their number, the table's entries, and its default
# action if it does anything; copies that switches made; switches that recirculated or resubmitted
# packets, how many are inside now, and how often they did; hosts, the neighbours that have not
# answered ARP or NDP yet, and how many packets wait for each.
LossRows = tuple[
    list[tuple[str, str, int]],
    list[tuple[str, str, bytes]],
    list[tuple[str, str, int, int, str | None]],
    list[tuple[str, int]],
    list[tuple[str, int, int]],
    list[tuple[str, str, int]],
]

# The devices, nanoseconds, the beginning of a packet, its arrivals at several devices; or of one
# device what it received, copied, transmitted, dropped, has inside and repeated, and whether it is
# hopeless.
LoopRow = tuple[list[str], int, bytes, int, tuple[list[int], bool] | None]

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
    def drops(self) -> list[tuple[str, str, int]]: ...
    @property
    def in_flight(self) -> tuple[int, int, int, int]: ...
    @property
    def violations(self) -> list[str]: ...
