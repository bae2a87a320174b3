"""The Rust core: the rooms of Weir, bound and nothing else. Use the package around it; these names may change."""

from typing import final

__all__ = [
    "ActionInfo",
    "Diagnostic",
    "Entry",
    "LinkState",
    "Network",
    "Program",
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
    def table_entries(self, switch: str, table: str) -> list[Entry]: ...
    def table_default(self, switch: str, table: str) -> tuple[str, list[tuple[str, bytes]]]: ...
    def write(self, switch: str, updates: list[Update]) -> tuple[int, str] | None: ...

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
