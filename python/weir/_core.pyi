"""The Rust core: the rooms of Weir, bound and nothing else. Use the package around it; these names may change."""

from typing import final

__all__ = [
    "ActionInfo",
    "Bench",
    "Diagnostic",
    "Entry",
    "LinkState",
    "Measured",
    "Network",
    "Program",
    "Step",
    "Straight",
    "Switch",
    "TableInfo",
    "Update",
    "__version__",
    "check",
    "compile",
    "ir",
    "ir_stages",
    "profiles",
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

@final
class Program:
    def tables(self) -> list[TableInfo]: ...
    def objects(self) -> list[tuple[str, str, int, int, str]]: ...
    def direct_objects(self) -> list[tuple[str, str, str]]: ...
    def profiles(self) -> list[tuple[str, int, bool, list[str]]]: ...
    def headers(self) -> list[tuple[str, list[tuple[str, int, bool]]]]: ...
    def warnings(self) -> list[Diagnostic]: ...

@final
class Entry:
    matches: list[MatchParts]
    action: str
    args: list[tuple[str, bytes]]
    priority: int | None
    is_const: bool

@final
class Update:
    @staticmethod
    def insert(
        table: str,
        matches: list[MatchParts],
        action: str,
        args: list[tuple[str, bytes]],
        priority: int | None,
    ) -> Update: ...
    @staticmethod
    def modify(
        table: str,
        matches: list[MatchParts],
        action: str,
        args: list[tuple[str, bytes]],
        priority: int | None,
    ) -> Update: ...
    @staticmethod
    def delete(table: str, matches: list[MatchParts], priority: int | None) -> Update: ...
    @staticmethod
    def set_default(table: str, action: str, args: list[tuple[str, bytes]]) -> Update: ...
    @staticmethod
    def set_multicast_group(group: int, replicas: list[tuple[int, int]]) -> Update: ...
    @staticmethod
    def set_clone_session(
        session: int, port: int | None, group: int | None, truncate: int | None
    ) -> Update: ...

@final
class LinkState:
    rate_bps: int | None
    delay_ns: int
    loss: float

@final
class Network:
    def __new__(cls, seed: int) -> Network: ...
    def add_switch(
        self, name: str, program: Program, pass_latency_ns: int, capacity: int, ports: list[int], seed: int
    ) -> None: ...
    def add_host(
        self,
        name: str,
        mac: str,
        ip: str,
        routes: list[tuple[str, str | None]],
        neighbours: list[tuple[str, str]],
        processing_ns: int,
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
    def link(self, number: int) -> LinkState: ...
    def set_link_rate(self, number: int, rate_bps: int | None) -> None: ...
    def set_link_delay(self, number: int, delay_ns: int) -> None: ...
    def set_link_loss(self, number: int, loss: float) -> None: ...
    def capture(self, link: int, end: int, path: str) -> None: ...
    def finish_captures(self) -> None: ...
    def now(self) -> int: ...
    def run_until(self, time_ns: int, events: int) -> bool: ...
    def start_ping(
        self, host: str, target: str, count: int, size: int, interval_ns: int, timeout_ns: int
    ) -> int: ...
    def run_ping(self, number: int, events: int) -> bool: ...
    def ping_rows(self, number: int, start: int) -> list[PingRow]: ...
    def stop_ping(self, number: int) -> None: ...
    def switch(self, name: str) -> Switch: ...

@final
class Step:
    time: int
    packet: int
    text: str
    place: tuple[str, int, int] | None
    emitted: str | None
    sent: tuple[int, bytes] | None
    begins: bool

@final
class Bench:
    def __new__(cls, program: Program, ports: list[int], seed: int) -> Bench: ...
    def control(self) -> Switch: ...
    def now(self) -> int: ...
    def receive(self, port: int, bytes: bytes) -> int: ...
    def settle(self) -> bool: ...
    def run_until(self, time_ns: int) -> None: ...
    def steps(self) -> list[Step]: ...

@final
class Measured:
    packets: int
    out: int
    dropped: int
    seconds: float
    varied: list[str]
    executor: str

@final
class Straight:
    def __new__(cls, program: Program, ports: list[int], seed: int) -> Straight: ...
    def control(self) -> Switch: ...
    def measure(
        self, template: bytes | None, size: int, flows: int, ports: list[int], seed: int, seconds: float
    ) -> Measured: ...

# Committed rate and burst, peak rate and burst; per second.
Rates = tuple[int, int, int, int]

@final
class Switch:
    def entries(self, table: str) -> list[Entry]: ...
    def entry_hits(self, table: str) -> list[tuple[int, int, int]]: ...
    def default_action(self, table: str) -> tuple[str, list[tuple[str, bytes]]]: ...
    def write(self, updates: list[Update]) -> tuple[list[int | None], tuple[int, str] | None]: ...
    def modify(self, table: str, handle: int, action: str, args: list[tuple[str, bytes]]) -> None: ...
    def delete(self, table: str, handle: int) -> None: ...
    def insert_indirect(
        self, table: str, matches: list[MatchParts], number: int, group: bool, priority: int | None
    ) -> int: ...
    def modify_indirect(self, table: str, handle: int, number: int, group: bool) -> None: ...
    def set_default_indirect(self, table: str, number: int, group: bool) -> None: ...
    def set_idle_timeout(self, table: str, handle: int, timeout_ns: int | None) -> None: ...
    def profile(
        self, profile: str
    ) -> tuple[list[tuple[int, str, list[tuple[str, bytes]]]], list[tuple[int, list[tuple[int, int]]]]]: ...
    def insert_member(self, profile: str, action: str, args: list[tuple[str, bytes]]) -> int: ...
    def modify_member(
        self, profile: str, member: int, action: str, args: list[tuple[str, bytes]]
    ) -> None: ...
    def delete_member(self, profile: str, member: int) -> None: ...
    def insert_group(self, profile: str) -> int: ...
    def modify_group(self, profile: str, group: int, members: list[tuple[int, int]]) -> None: ...
    def delete_group(self, profile: str, group: int) -> None: ...
    def set_crc(
        self,
        algorithm: str,
        polynomial: int,
        initial: int,
        final_xor: int,
        reflect_in: bool,
        reflect_out: bool,
    ) -> None: ...
    def clear(self, table: str) -> None: ...
    def reset_default(self, table: str) -> None: ...
    def counter(self, counter: str, index: int) -> tuple[int, int]: ...
    def set_counter(self, counter: str, index: int, packets: int, bytes: int) -> None: ...
    def direct_counter(self, table: str, handle: int) -> tuple[int, int]: ...
    def set_direct_counter(self, table: str, handle: int, packets: int, bytes: int) -> None: ...
    def register(self, register: str, index: int) -> bytes: ...
    def set_register(self, register: str, index: int, value: bytes) -> None: ...
    def meter(self, meter: str, index: int) -> Rates | None: ...
    def set_meter(self, meter: str, index: int, rates: Rates | None) -> None: ...
    def direct_meter(self, table: str, handle: int) -> Rates | None: ...
    def set_direct_meter(self, table: str, handle: int, rates: Rates | None) -> None: ...
    def multicast_group(self, group: int) -> list[tuple[int, int]] | None: ...
    def set_multicast_group(self, group: int, replicas: list[tuple[int, int]] | None) -> None: ...
    def clone_session(self, session: int) -> tuple[int | None, int | None, int | None] | None: ...
    def delete_clone_session(self, session: int) -> None: ...
    def set_queue_depth(self, depth: int, port: int | None, priority: int | None) -> None: ...
    def set_queue_rate(
        self, packets_per_second: int | None, port: int | None, priority: int | None
    ) -> None: ...

def check(
    path: str, text: str, include: list[str], defines: list[tuple[str, str]], colour: bool
) -> list[Diagnostic]: ...
def compile(
    path: str, text: str, include: list[str], defines: list[tuple[str, str]], colour: bool
) -> tuple[Program | None, list[Diagnostic]]: ...
def ir(
    path: str, text: str, include: list[str], defines: list[tuple[str, str]], after: str, colour: bool
) -> tuple[str | None, list[Diagnostic]]: ...
def ir_stages() -> list[tuple[str, str]]: ...
def profiles() -> list[tuple[str, int, int, str]]: ...
