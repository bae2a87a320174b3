"""The Rust core as Python sees it: bindings and no logic.

Use the package ``weir``; names here may change.
"""

from collections.abc import Callable
from pathlib import Path

from weir._core_bench import (
    BenchSwitch as BenchSwitch,
    Difference as Difference,
    FailedLine as FailedLine,
    Measured as Measured,
    TableFigures as TableFigures,
    TestOutcome as TestOutcome,
    TestSwitch as TestSwitch,
)
from weir._core_control import (
    CloneSession as CloneSession,
    CommandInfo as CommandInfo,
    Commands as Commands,
    Crc as Crc,
    Digest as Digest,
    Entry as Entry,
    EntryAction as EntryAction,
    EntryKey as EntryKey,
    EntryTarget as EntryTarget,
    GroupMember as GroupMember,
    HitEntry as HitEntry,
    IdleEntry as IdleEntry,
    LogLine as LogLine,
    Member as Member,
    Queue as Queue,
    Rates as Rates,
    Replica as Replica,
    Step as Step,
    Switch as Switch,
    Target as Target,
    Value as Value,
)
from weir._core_network import (
    Host as Host,
    Interface as Interface,
    Link as Link,
    Mailbox as Mailbox,
    Network as Network,
    Sampler as Sampler,
    Sockets as Sockets,
    Traffic as Traffic,
    Watch as Watch,
)
from weir._core_p4runtime import (
    P4RuntimeClient as P4RuntimeClient,
    P4RuntimeProgram as P4RuntimeProgram,
    P4RuntimeServer as P4RuntimeServer,
)
from weir._core_program import (
    ActionInfo as ActionInfo,
    CallInfo as CallInfo,
    Declarations as Declarations,
    Diagnostic as Diagnostic,
    KeyInfo as KeyInfo,
    Label as Label,
    ObjectInfo as ObjectInfo,
    ParamInfo as ParamInfo,
    ProfileInfo as ProfileInfo,
    Program as Program,
    Range as Range,
    Suggestion as Suggestion,
    TableInfo as TableInfo,
    ValueSetInfo as ValueSetInfo,
)
from weir._core_qdisc import ClassSettings as ClassSettings, Qdisc as Qdisc
from weir._core_topology import (
    Endpoint as Endpoint,
    HostAddress as HostAddress,
    HostSpec,
    HostState as HostState,
    InterfaceState as InterfaceState,
    LinkState as LinkState,
    NeighbourState as NeighbourState,
    ProgramState as ProgramState,
    Route as Route,
    TopologyIndex as TopologyIndex,
    TopologyParts as TopologyParts,
)
from weir._core_traffic import (
    Account as Account,
    Drop as Drop,
    Exchange as Exchange,
    ExchangeSettings as ExchangeSettings,
    FlowSettings as FlowSettings,
    InFlight as InFlight,
    Loop as Loop,
    LossCounts as LossCounts,
    Misses as Misses,
    Pattern as Pattern,
    PingReply as PingReply,
    RepeatingDevice as RepeatingDevice,
    Repeats as Repeats,
    SocketEvent as SocketEvent,
    TcpFigures as TcpFigures,
    TcpOptionsOf as TcpOptionsOf,
    TcpReport as TcpReport,
    TcpSettings as TcpSettings,
    UdpReport as UdpReport,
    UdpSettings as UdpSettings,
    Waiting as Waiting,
)

__all__ = [
    "DEFAULT_RATE_BPS",
    "MAX_MTU",
    "MAX_PORT",
    "MAX_SAMPLES",
    "MIN_MTU",
    "NO_ROUTE",
    "Account",
    "ActionInfo",
    "BenchSwitch",
    "CallInfo",
    "CloneSession",
    "CommandInfo",
    "Commands",
    "Crc",
    "Declarations",
    "Diagnostic",
    "Difference",
    "Digest",
    "Drop",
    "Endpoint",
    "Entry",
    "EntryAction",
    "EntryTarget",
    "Exchange",
    "FailedLine",
    "GroupMember",
    "HitEntry",
    "Host",
    "HostAddress",
    "HostState",
    "IdleEntry",
    "InFlight",
    "Interface",
    "InterfaceState",
    "KeyInfo",
    "Label",
    "Link",
    "LogLine",
    "Loop",
    "LossCounts",
    "Mailbox",
    "Measured",
    "Member",
    "Misses",
    "NeighbourState",
    "Network",
    "ObjectInfo",
    "P4RuntimeClient",
    "P4RuntimeProgram",
    "P4RuntimeServer",
    "ParamInfo",
    "PingReply",
    "ProfileInfo",
    "Program",
    "ProgramState",
    "Qdisc",
    "Queue",
    "RepeatingDevice",
    "Repeats",
    "Replica",
    "Route",
    "Sampler",
    "SocketEvent",
    "Sockets",
    "Step",
    "Suggestion",
    "Switch",
    "TableFigures",
    "TableInfo",
    "Target",
    "TestOutcome",
    "TestSwitch",
    "TopologyIndex",
    "Traffic",
    "Value",
    "ValueSetInfo",
    "Waiting",
    "Watch",
    "__version__",
    "build_info",
    "check",
    "check_profile",
    "check_switch_port",
    "compile",
    "compile_stages",
    "format_rate",
    "format_share",
    "format_size",
    "format_time",
    "format_value",
    "grouped",
    "host_address",
    "host_address6",
    "host_command",
    "host_mac",
    "icmp_error",
    "interface_towards",
    "ip_address",
    "ipv4_address",
    "ipv6_address",
    "ir",
    "ir_stages",
    "mac_address",
    "nearest",
    "packets",
    "preprocess",
    "profiles",
    "queue_limit",
    "queue_rate",
    "rate_bps",
    "read_capture",
    "read_hex",
    "read_topology",
    "read_value",
    "run_link",
    "run_switch",
    "run_test",
    "runtime_commands",
    "share",
    "size_bytes",
    "table_figures",
    "table_names",
    "targets",
    "time_ns",
    "towards_gateway",
    "trace_kinds",
    "unsupported_commands",
]

__version__: str

def build_info() -> tuple[str, str, list[str] | None]: ...
def trace_kinds() -> list[str]: ...
def icmp_error(source: str, icmp_type: int, code: int) -> str: ...
def table_names() -> list[str]: ...
def table_figures(name: str) -> TableFigures | None: ...
def check(
    path: str,
    text: str,
    include: list[str],
    defines: list[tuple[str, str]],
    target: str | None,
    colour: bool,
) -> list[Diagnostic]: ...
def targets() -> list[str]: ...
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
def preprocess(
    path: str, text: str, include: list[str], defines: list[tuple[str, str]], colour: bool
) -> tuple[str, list[str], list[Diagnostic]]: ...
def ir_stages() -> list[tuple[str, str]]: ...
def compile_stages(
    path: str, text: str, include: list[str], defines: list[tuple[str, str]], executor: str | None
) -> list[tuple[str, float]] | None: ...
def read_capture(path: str, most: int) -> list[tuple[int, bytes]]: ...
def read_value(given: object, width: int) -> bytes: ...
def format_value(number: bytes, width: int, name: str) -> str: ...
def runtime_commands() -> list[CommandInfo]: ...
def unsupported_commands() -> list[tuple[str, str]]: ...
def run_test(
    program: Program, program_file: str, file: str, text: str, source: Callable[[str, int], str]
) -> TestOutcome: ...
def read_hex(text: str, what: str) -> bytes: ...
def grouped(digits: str) -> str: ...
def run_link(command_line: list[str]) -> int: ...
def run_switch(
    command_line: list[str],
    started: Callable[[Switch], object] | None = None,
    find: Callable[[str], str | Path] | None = None,
) -> int: ...
def nearest(name: str, known: list[str], *, dotted: bool, enough: float) -> str | None: ...
def profiles() -> list[tuple[str, int, int, str]]: ...
def check_profile(name: str) -> None: ...

MIN_MTU: int
DEFAULT_RATE_BPS: int
MAX_SAMPLES: int
NO_ROUTE: str
MAX_MTU: int
MAX_PORT: int

def read_topology(file: str, text: str) -> TopologyParts: ...
def queue_rate(given: object) -> str | None: ...
def host_command(command: object, host: HostSpec) -> HostState: ...
def interface_towards(host: HostSpec, address: str) -> int: ...
def towards_gateway(host: HostSpec, gateway: str) -> int: ...
def host_address(given: object) -> HostAddress: ...
def host_address6(given: object) -> HostAddress: ...
def ipv4_address(given: object) -> str: ...
def ipv6_address(given: object) -> str: ...
def ip_address(given: object) -> str: ...
def mac_address(given: object) -> str: ...
def host_mac(given: object) -> str: ...
def check_switch_port(given: object) -> int: ...
def time_ns(value: object, what: str = "time", usual: str = "ms") -> int: ...
def rate_bps(value: object, what: str = "rate") -> int: ...
def size_bytes(value: object, what: str = "size", example: str = "1500B") -> int: ...
def share(value: object, what: str = "share") -> float: ...
def packets(value: object, what: str = "packets") -> int: ...
def queue_limit(value: object, what: str = "queue") -> tuple[int | None, int | None]: ...
def format_time(nanoseconds: int) -> str: ...
def format_rate(bits_per_second: int | None) -> str: ...
def format_size(size: int) -> str: ...
def format_share(part: float) -> str: ...
