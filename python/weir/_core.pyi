"""The Rust core as Python sees it: bindings and no logic.

Use the package ``weir``; names here may change.
"""

from collections.abc import Callable
from pathlib import Path

from weir._core_bench import (
    BenchSwitch as BenchSwitch,
    FailureRow as FailureRow,
    Measured as Measured,
    TableFigures as TableFigures,
    TestOutcome as TestOutcome,
    TestSwitch as TestSwitch,
)
from weir._core_control import (
    ActionRow as ActionRow,
    CommandInfo as CommandInfo,
    Commands as Commands,
    DigestRow as DigestRow,
    Entry as Entry,
    EntryKey as EntryKey,
    GroupMemberRow as GroupMemberRow,
    IdleRow as IdleRow,
    LogRow as LogRow,
    Queue as Queue,
    Rates as Rates,
    ReplicaRow as ReplicaRow,
    SessionRow as SessionRow,
    Step as Step,
    Switch as Switch,
    Target as Target,
    TargetRow as TargetRow,
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
from weir._core_qdisc import Qdisc as Qdisc
from weir._core_topology import (
    AddressRow as AddressRow,
    EndRow as EndRow,
    HostRow as HostRow,
    HostSpec,
    LinkRow as LinkRow,
    ProgramRow as ProgramRow,
    SwitchRow as SwitchRow,
    TopologyIndex as TopologyIndex,
    TopologyRows as TopologyRows,
)
from weir._core_traffic import (
    Account as Account,
    ExchangeRow as ExchangeRow,
    ExchangeSettings as ExchangeSettings,
    FlowSettings as FlowSettings,
    Pattern as Pattern,
    PingRow as PingRow,
    SocketRow as SocketRow,
    TcpFigures as TcpFigures,
    TcpOptionsOf as TcpOptionsOf,
    TcpReport as TcpReport,
    TcpSettings as TcpSettings,
    UdpReport as UdpReport,
    UdpSettings as UdpSettings,
)

__all__ = [
    "DEFAULT_RATE_BPS",
    "MAX_MTU",
    "MAX_PORT",
    "MAX_SAMPLES",
    "MIN_MTU",
    "Account",
    "ActionInfo",
    "BenchSwitch",
    "CallInfo",
    "CommandInfo",
    "Commands",
    "Declarations",
    "Diagnostic",
    "Entry",
    "Host",
    "Interface",
    "KeyInfo",
    "Label",
    "Link",
    "Mailbox",
    "Measured",
    "Network",
    "ObjectInfo",
    "P4RuntimeClient",
    "P4RuntimeProgram",
    "P4RuntimeServer",
    "ParamInfo",
    "ProfileInfo",
    "Program",
    "Qdisc",
    "Queue",
    "Sampler",
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
    "ValueSetInfo",
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
    started: Callable[[Switch, dict[int, str]], object] | None = None,
    find: Callable[[str], str | Path] | None = None,
) -> int: ...
def nearest(name: str, known: list[str], *, dotted: bool, enough: float) -> str | None: ...
def profiles() -> list[tuple[str, int, int, str]]: ...
def check_profile(name: str) -> None: ...

MIN_MTU: int
DEFAULT_RATE_BPS: int
MAX_SAMPLES: int
MAX_MTU: int
MAX_PORT: int

def read_topology(file: str, text: str) -> TopologyRows: ...
def queue_rate(given: object) -> str | None: ...
def host_command(command: object, host: HostSpec) -> HostRow: ...
def interface_towards(host: HostSpec, address: str) -> int: ...
def towards_gateway(host: HostSpec, gateway: str) -> int: ...
def host_address(given: object) -> AddressRow: ...
def host_address6(given: object) -> AddressRow: ...
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
