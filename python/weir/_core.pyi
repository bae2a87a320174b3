"""The Rust core: the rooms of Weir, bound and nothing else. Use the package around it; these names may change."""

import builtins
from typing import Any, TypedDict, final

__all__ = [
    "Account",
    "ActionInfo",
    "Bench",
    "Commands",
    "Diagnostic",
    "Entry",
    "Host",
    "Interface",
    "Link",
    "Mailbox",
    "Measured",
    "Network",
    "Program",
    "Qdisc",
    "Sampler",
    "Sockets",
    "Step",
    "Straight",
    "Switch",
    "TableFigures",
    "TableInfo",
    "Target",
    "Traffic",
    "Update",
    "Watch",
    "__version__",
    "check",
    "check_filter",
    "compile",
    "compile_stages",
    "ir",
    "ir_stages",
    "nearest",
    "profiles",
    "read_capture",
    "runtime_commands",
    "table_figures",
    "table_names",
    "tc_device",
    "trace_kinds",
    "unsupported_commands",
    "whole_number",
    "wide_number",
]

__version__: str

# A key's name, a match kind (exact, lpm, ternary, range, any) and its two parts: values in big-endian bytes, a prefix length as a
# number.
MatchParts = tuple[str, str, bytes, bytes | int]

# Sequence number, time of sending, kind (reply, lost, error, no_route), round-trip time, time to live, ICMP bytes; of an error the
# reporting address, ICMP type and code. Times in nanoseconds.
PingRow = tuple[int, int, str, int | None, int | None, int | None, tuple[str, int, int] | None]

# A file, first line and column, line and column of the end (exclusive), all counted from 1.
Range = tuple[str, int, int, int, int]

@final
class Diagnostic:
    severity: str
    id: str
    message: str
    file: str | None
    line: int
    column: int
    rendered: str
    labels: list[tuple[Range, str, bool]]
    notes: list[str]
    suggestions: list[tuple[Range, str, str]]

@final
class ActionInfo:
    name: str
    params: list[tuple[str, int]]
    default_only: bool
    table_only: bool

@final
class TableInfo:
    name: str
    keys: list[tuple[str, int, str]]
    actions: list[ActionInfo]
    size: int | None
    const_entries: bool
    const_default: bool
    needs_priority: bool
    support_timeout: bool
    direct_counter: tuple[str, str] | None
    direct_meter: tuple[str, str] | None
    profile: str | None

@final
class Program:
    def tables(self) -> list[TableInfo]: ...
    def objects(self) -> list[tuple[str, str, int, int, str]]: ...
    def register_fields(self, register: str) -> list[tuple[str, int]]: ...
    def value_sets(self) -> list[tuple[str, int, list[tuple[str, int, str]]]]: ...
    def profiles(self) -> list[tuple[str, int, bool, list[str]]]: ...
    def headers(self) -> list[tuple[str, list[tuple[str, int, bool]]]]: ...
    def warnings(self) -> list[Diagnostic]: ...
    def executor(self) -> str: ...
    def with_executor(self, name: str) -> Program: ...

# An action's arguments by name, in big-endian bytes.
Args = list[tuple[str, bytes]]

# An entry's handle, or its matches and its priority.
EntryKey = int | tuple[list[MatchParts], int | None]

# Committed rate and burst, peak rate and burst; per second.
Rates = tuple[int, int, int, int]

# A rate, and whether it is in bits and not in packets per second.
QueueRate = tuple[int, bool]

@final
class Target:
    @staticmethod
    def action(name: str, args: Args) -> Target: ...
    @staticmethod
    def member(number: int) -> Target: ...
    @staticmethod
    def group(number: int) -> Target: ...
    @staticmethod
    def one_of(actions: list[tuple[str, Args, int]]) -> Target: ...
    @property
    def kind(self) -> str: ...
    @property
    def number(self) -> int | None: ...
    @property
    def actions(self) -> list[tuple[str, Args, int]]: ...

@final
class Entry:
    handle: int
    matches: list[MatchParts]
    target: Target
    priority: int | None
    is_const: bool
    idle_timeout: int | None
    packets: int | None
    bytes: int | None
    last_hit: int | None

@final
class Update:
    @staticmethod
    def insert(
        table: str,
        matches: list[MatchParts],
        target: Target,
        priority: int | None,
        idle_timeout_ns: int | None = None,
    ) -> Update: ...
    @staticmethod
    def modify(table: str, entry: EntryKey, target: Target) -> Update: ...
    @staticmethod
    def delete(table: str, entry: EntryKey) -> Update: ...
    @staticmethod
    def clear(table: str) -> Update: ...
    @staticmethod
    def set_default(table: str, target: Target) -> Update: ...
    @staticmethod
    def reset_default(table: str) -> Update: ...
    @staticmethod
    def set_idle_timeout(table: str, entry: EntryKey, timeout_ns: int | None) -> Update: ...
    @staticmethod
    def insert_member(profile: str, member: int | None, action: str, args: Args) -> Update: ...
    @staticmethod
    def modify_member(profile: str, member: int, action: str, args: Args) -> Update: ...
    @staticmethod
    def delete_member(profile: str, member: int) -> Update: ...
    @staticmethod
    def insert_group(profile: str, group: int | None, members: list[tuple[int, int]]) -> Update: ...
    @staticmethod
    def modify_group(profile: str, group: int, members: list[tuple[int, int]]) -> Update: ...
    @staticmethod
    def delete_group(profile: str, group: int) -> Update: ...
    @staticmethod
    def set_crc(
        algorithm: str,
        polynomial: int,
        initial: int,
        final_xor: int,
        reflect_in: bool,
        reflect_out: bool,
    ) -> Update: ...
    @staticmethod
    def write_counter(counter: str, index: int, packets: int, bytes: int) -> Update: ...
    @staticmethod
    def write_direct_counter(table: str, entry: EntryKey, packets: int, bytes: int) -> Update: ...
    @staticmethod
    def reset_counter(counter: str) -> Update: ...
    @staticmethod
    def reset_direct_counter(table: str) -> Update: ...
    @staticmethod
    def write_register(register: str, index: int, value: bytes) -> Update: ...
    @staticmethod
    def reset_register(register: str) -> Update: ...
    @staticmethod
    def write_meter(meter: str, index: int, rates: Rates | None) -> Update: ...
    @staticmethod
    def write_direct_meter(table: str, entry: EntryKey, rates: Rates | None) -> Update: ...
    @staticmethod
    def write_meter_array(meter: str, rates: Rates | None) -> Update: ...
    @staticmethod
    def write_direct_meter_array(table: str, rates: Rates | None) -> Update: ...
    @staticmethod
    def set_value_set(set: str, members: list[list[MatchParts]]) -> Update: ...
    @staticmethod
    def set_multicast_group(group: int, replicas: list[tuple[int, int]] | None) -> Update: ...
    @staticmethod
    def set_clone_session(
        session: int, port: int | None, group: int | None, truncate: int | None
    ) -> Update: ...
    @staticmethod
    def delete_clone_session(session: int) -> Update: ...
    @staticmethod
    def set_queue_depth(depth: int, port: int | None, priority: int | None) -> Update: ...
    @staticmethod
    def set_queue_rate(rate: int | None, in_bits: bool, port: int | None, priority: int | None) -> Update: ...
    @staticmethod
    def reset() -> Update: ...

@final
class Network:
    def __new__(cls, seed: int) -> Network: ...
    def add_switch(
        self,
        name: str,
        program: Program,
        timing: tuple[int, int],
        ports: list[int],
        priorities: int,
        seed: int,
    ) -> None: ...
    def add_host(
        self,
        name: str,
        interfaces: list[tuple[str, list[str], int]],
        routes: list[tuple[str, str | None, int]],
        neighbours: list[tuple[int, str, str]],
        processing_ns: int,
        processing_jitter_ns: int,
    ) -> None: ...
    def connect(
        self,
        a: str,
        a_port: int,
        b: str,
        b_port: int,
        rate_bps: int | None,
        delay_ns: int,
        loss: float,
    ) -> int: ...
    def link(self, number: int) -> Link: ...
    def interface(self, node: str, port: int) -> Interface: ...
    def change_route(
        self, host: str, network: str, gateway: str | None, interface: int, add: bool
    ) -> bool: ...
    def change_interface(
        self, host: str, interface: int, mac: str, addresses: list[str], mtu: int
    ) -> None: ...
    def neighbours(self, host: str, interface: int) -> list[tuple[str, str | None, bool]]: ...
    def change_neighbour(self, host: str, interface: int, address: str, mac: str | None) -> bool: ...
    def set_sysctl(self, host: str, name: str, value: str) -> None: ...
    def tc(self, node: str, line: str) -> str: ...
    def host(self, name: str) -> Host: ...
    def finish_captures(self) -> None: ...
    def now(self) -> int: ...
    def hops(self) -> int: ...
    def events(self) -> int: ...
    def holds(self) -> list[tuple[str, int]]: ...
    def run(self, time_ns: int, traffic: Traffic | None, events: int) -> str: ...
    def audit(self) -> Account: ...
    def sample(self, ends: list[tuple[str, int]], every_ns: int) -> Sampler: ...
    def capture(self, ends: list[tuple[str, int]], filter: str, path: str) -> None: ...
    def finish_capture(self, path: str) -> None: ...
    def watch(
        self, ends: list[tuple[str, int]], filter: str, inbound: bool, outbound: bool, stops: bool
    ) -> Watch: ...
    def switch(self, name: str) -> Switch: ...

@final
class Link:
    @property
    def rate_bps(self) -> int | None: ...
    def set_rate(self, rate_bps: int | None) -> None: ...
    @property
    def delay_ns(self) -> int: ...
    def set_delay(self, delay_ns: int) -> None: ...
    def set_jitter(self, jitter_of: tuple[str, list[int], float], overtake: bool) -> None: ...
    def set_loss(self, loss_of: tuple[str, list[float], list[int]]) -> None: ...
    def set_duplicate(self, share: float) -> None: ...
    def set_corrupt(self, share: float) -> None: ...
    def set_correlation(self, correlation: tuple[float, float, float, float, float]) -> None: ...
    def set_reorder(self, reorder: tuple[float, int] | None) -> None: ...
    def set_queue(self, queue: Qdisc) -> None: ...
    @property
    def queues(self) -> tuple[str, str]: ...
    @property
    def mtu(self) -> int | None: ...
    def set_mtu(self, mtu: int | None) -> None: ...
    @property
    def up(self) -> bool: ...
    def set_up(self, up: bool) -> None: ...
    def capture(self, end: int, path: str) -> None: ...

@final
class Interface:
    @property
    def queue(self) -> str: ...
    def set_queue(self, queue: Qdisc) -> None: ...

@final
class Qdisc:
    @staticmethod
    def fifo(packets: int | None, bytes: int | None) -> Qdisc: ...
    @staticmethod
    def tbf(
        rate_bps: int,
        burst: int,
        peak: tuple[int, int] | None,
        limit: int | None,
        latency_ns: int,
        queue: Qdisc | None,
    ) -> Qdisc: ...
    @staticmethod
    def codel(limit: int, control: tuple[int, int, bool, int | None]) -> Qdisc: ...
    @staticmethod
    def fq_codel(
        limit: int,
        control: tuple[int, int, bool, int | None],
        flows: int,
        quantum: int,
        memory_limit: int,
        drop_batch: int,
    ) -> Qdisc: ...
    @staticmethod
    def red(
        limit: int,
        avpkt: int,
        bounds: tuple[int | None, int | None, int | None],
        probability: float,
        bandwidth_bps: int,
        flags: tuple[bool, bool, bool, bool],
        queue: Qdisc | None,
    ) -> Qdisc: ...
    @staticmethod
    def fq(
        limit: int,
        flow_limit: int,
        quantum: int,
        initial_quantum: int,
        maxrate_bps: int | None,
        pacing: bool,
        horizon_ns: int,
        ce_threshold_ns: int | None,
    ) -> Qdisc: ...
    @staticmethod
    def htb(
        default: int | None,
        classes: list[tuple[int, int | None, int, int, int, int, int, int | None, Qdisc | None]],
        filters: list[tuple[str, int, int | None]],
    ) -> Qdisc: ...
    @staticmethod
    def netem(
        delay_ns: int,
        jitter_of: tuple[str, list[int], float],
        loss_of: tuple[str, list[float], list[int]],
        duplicate: float,
        corrupt: float,
        correlation: tuple[float, float, float, float, float],
        reorder: tuple[float, int] | None,
        rate_bps: int | None,
        framing: tuple[int, int, int],
        ecn: bool,
        slot: tuple[int, int, int | None, int | None] | None,
        seed: int | None,
        limit: int,
        queue: Qdisc | None,
    ) -> Qdisc: ...

@final
class Host:
    def start_ping(
        self, target: str, count: int, size: int, interval_ns: int, timeout_ns: int, flood: bool
    ) -> Traffic: ...
    def start_udp(self, to: list[str], flow: FlowSettings, udp: UdpSettings) -> Traffic: ...
    def start_tcp(
        self, to: list[str], flow: FlowSettings, tcp: TcpSettings, options: TcpOptionsOf
    ) -> Traffic: ...
    def start_exchanges(
        self, to: list[str], exchanges: ExchangeSettings, options: TcpOptionsOf
    ) -> Traffic: ...
    def start_udp_exchanges(
        self, to: list[str], exchanges: ExchangeSettings, timeout_ns: int, tries: int
    ) -> Traffic: ...
    def start_replay(self, interface: int, frames: list[tuple[int, bytes]]) -> Traffic: ...
    def serve(self, port: int, reflect_options: bool) -> None: ...
    def send_frame(self, interface: int, frame: bytes) -> None: ...
    def listen(self, port: int) -> Mailbox: ...
    def sockets(self) -> Sockets: ...

# A pattern's name (constant, poisson, on-off), bits per second, nanoseconds on and off, and whether these are random.
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
    # The place of the host that got the first, or sends, among those that were named; and how many each got, if there are several.
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
    # Sent, how many of those arrived, received, bytes, reordered, the sum of the delays, the jitter.
    intervals: list[tuple[int, int, int, int, int, int, float]]
    # Each arrival's number, time of sending and of arrival: columns of 64-bit little-endian numbers, as the following.
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
    # Times, kinds (by their place in trace_kinds), positions, bytes, congestion window, slow start threshold, bytes in flight, smoothed
    # round trips.
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

# When it began, bytes of request and response, when the request was there, when all was over, how often it was sent again, how it failed,
# the place of the host that it came to.
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

def trace_kinds() -> list[str]: ...

# Time, connection, kind, and by kind: of accepted the peer's address and port and the listener's port, of received the bytes, of closed how
# it ended.
SocketRow = tuple[int, int, str, tuple[str, int, int] | None, bytes | None, str | None]

@final
class Sockets:
    def take(self) -> list[SocketRow]: ...
    def listen(self, port: int, options: TcpOptionsOf) -> None: ...
    def connect(self, address: str, port: int, options: TcpOptionsOf) -> tuple[int, int]: ...
    def write(self, connection: int, bytes: builtins.bytes) -> int: ...
    def close(self, connection: int) -> None: ...
    def abort(self, connection: int) -> None: ...
    def pause(self, connection: int, paused: bool) -> None: ...
    def pace(self, connection: int, rate_bps: int | None) -> None: ...
    def info(self, connection: int) -> TcpFigures: ...
    def release(self) -> None: ...

@final
class Sampler:
    def columns(self, end: int) -> list[bytes]: ...
    def waiting(self, end: int) -> list[bytes]: ...
    def stop(self) -> None: ...

@final
class Watch:
    def take(self) -> list[tuple[int, int, bool, bytes]]: ...
    def close(self) -> None: ...

@final
class Mailbox:
    def take(self) -> list[tuple[int, str, str, int, str, bytes, int]]: ...
    def send(self, address: str, port: int, payload: bytes) -> None: ...
    def close(self) -> None: ...

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

@final
class Step:
    @property
    def time(self) -> int: ...
    @property
    def packet(self) -> int: ...
    @property
    def copy(self) -> int: ...
    @property
    def kind(self) -> str: ...
    @property
    def place(self) -> tuple[str, int, int] | None: ...
    @property
    def what(self) -> dict[str, Any]: ...

@final
class Bench:
    def __new__(cls, program: Program, ports: list[int], seed: int, within: bool) -> Bench: ...
    def control(self) -> Switch: ...
    def now(self) -> int: ...
    def receive(self, port: int, bytes: bytes) -> int: ...
    def settle(self, passes: int) -> bool: ...
    def want_choices(self, options: list[int]) -> None: ...
    def run_until(self, time_ns: int) -> None: ...
    def steps(self) -> tuple[list[Step], int]: ...

@final
class Measured:
    packets: int
    out: int
    dropped: int
    seconds: float
    ns_undisturbed: float
    varied: list[str]
    executor: str

@final
class TableFigures:
    what: str
    entries: int
    load_seconds: float
    ns_per_lookup: float
    ns_per_batched_lookup: float
    us_per_update: float
    bytes_per_entry: float

def table_names() -> list[str]: ...
def table_figures(name: str) -> TableFigures | None: ...

@final
class Straight:
    def __new__(cls, program: Program, ports: list[int], seed: int) -> Straight: ...
    def control(self) -> Switch: ...
    def measure(
        self, template: bytes | None, size: int, flows: int, ports: list[int], seed: int, seconds: float
    ) -> Measured: ...

@final
class Commands:
    def __new__(cls, switch: Switch, name: str, program: str) -> Commands: ...
    def run(self, line: str | list[str]) -> list[str]: ...
    def run_lines(self, file: str, text: str) -> list[str]: ...
    def choices(self, words: list[str]) -> list[str]: ...
    def stf_line(self, word: str, rest: str) -> None: ...
    def stf_handle(self, name: str) -> int | None: ...

@final
class Switch:
    def load(self, file: str, text: str) -> int: ...
    def load_values(self, document: object) -> int: ...
    def write(self, updates: list[Update]) -> tuple[list[int | None], tuple[int, str] | None]: ...
    def entries(self, table: str) -> list[Entry]: ...
    def entry(self, table: str, entry: EntryKey) -> Entry: ...
    def default_action(self, table: str) -> Target: ...
    def table_state(self, table: str) -> tuple[int, int, int, int]: ...
    def profile(
        self, profile: str
    ) -> tuple[list[tuple[int, str, Args, int]], list[tuple[int, list[tuple[int, int]], int]]]: ...
    def counter(self, counter: str, index: int) -> tuple[int, int]: ...
    def counters(self, counter: str) -> list[tuple[int, int]]: ...
    def direct_counter(self, table: str, entry: EntryKey) -> tuple[int, int]: ...
    def register(self, register: str, index: int) -> bytes: ...
    def registers(self, register: str) -> list[bytes]: ...
    def meter(self, meter: str, index: int) -> Rates | None: ...
    def meters(self, meter: str) -> list[Rates | None]: ...
    def direct_meter(self, table: str, entry: EntryKey) -> Rates | None: ...
    def crc(self, algorithm: str) -> tuple[int, int, int, bool, bool]: ...
    def value_set(self, set: str) -> list[list[MatchParts]]: ...
    def now(self) -> int: ...
    def ports(self) -> list[int]: ...
    def multicast_groups(self) -> list[tuple[int, list[tuple[int, int]]]]: ...
    def clone_sessions(self) -> list[tuple[int, int | None, int | None, int | None]]: ...
    def trace(self, packets: int) -> None: ...
    def take_steps(self) -> tuple[list[Step], int, int]: ...
    def take_digests(self) -> list[tuple[int, int, int, list[tuple[str, int, bytes]]]]: ...
    def take_log(self) -> list[tuple[int, int, str]]: ...
    def take_idle_notices(self) -> list[tuple[int, str, Entry]]: ...
    def queues(self, port: int) -> list[tuple[int, int, QueueRate | None, QueueRate | None]]: ...

def check(
    path: str, text: str, include: list[str], defines: list[tuple[str, str]], colour: bool
) -> list[Diagnostic]: ...
def compile(
    path: str,
    text: str,
    include: list[str],
    defines: list[tuple[str, str]],
    executor: str | None,
    colour: bool,
) -> tuple[Program | None, list[Diagnostic]]: ...
def ir(
    path: str, text: str, include: list[str], defines: list[tuple[str, str]], after: str, colour: bool
) -> tuple[str | None, list[Diagnostic]]: ...
def ir_stages() -> list[tuple[str, str]]: ...
def compile_stages(
    path: str, text: str, include: list[str], defines: list[tuple[str, str]], executor: str | None
) -> list[tuple[str, float]] | None: ...
def read_capture(path: str, most: int) -> list[tuple[int, bytes, int]]: ...
def check_filter(text: str) -> None: ...
def runtime_commands() -> list[tuple[str, str, str, str, str, str, int, int | None]]: ...
def unsupported_commands() -> list[tuple[str, str]]: ...
def wide_number(text: str, what: str) -> bytes: ...
def whole_number(text: str, what: str, least: int, most: int) -> int: ...
def nearest(name: str, known: list[str], *, dotted: bool, enough: float) -> str | None: ...
def profiles() -> list[tuple[str, int, int, str]]: ...
def tc_device(line: str) -> str | None: ...
