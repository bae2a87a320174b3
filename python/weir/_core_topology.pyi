"""Part of the stubs of ``weir._core``; there is no such module at run time.

Topologies: files and single values.
"""

from collections.abc import Sequence
from typing import Protocol, TypedDict, final

# What the core reads of a host and of a link's end: dataclasses of weir.topology have it.

class AddressSpec(Protocol):
    @property
    def address(self) -> str: ...
    @property
    def prefix(self) -> int: ...

class InterfaceSpec(Protocol):
    @property
    def mac(self) -> str: ...
    @property
    def addresses(self) -> Sequence[AddressSpec]: ...
    @property
    def mtu(self) -> int: ...
    @property
    def up(self) -> bool: ...

class RouteSpec(Protocol):
    @property
    def network(self) -> str: ...
    @property
    def gateway(self) -> str | None: ...
    @property
    def interface(self) -> int: ...

class HostSpec(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def interfaces(self) -> Sequence[InterfaceSpec]: ...
    @property
    def routes(self) -> Sequence[RouteSpec]: ...
    @property
    def arp(self) -> dict[str, str]: ...
    @property
    def arp_interfaces(self) -> dict[str, int]: ...
    @property
    def notes(self) -> list[str]: ...
    @property
    def tc(self) -> list[str]: ...
    @property
    def sysctls(self) -> list[tuple[str, str]]: ...

class EndSpec(Protocol):
    @property
    def node(self) -> str: ...
    @property
    def port(self) -> int | None: ...
    @property
    def interface(self) -> int: ...

# An address and the length of its network's prefix.
AddressRow = tuple[str, int]

# An end of a link: a switch, none, and the port; or a host, the name of its interface, and the
# interface's number.
EndRow = tuple[str, int | None, int]

# Name, interfaces, routes, neighbours, notes, `tc` commands, settings.
HostRow = tuple[
    str,
    list[tuple[str, list[AddressRow], int, bool]],
    list[tuple[str, str | None, int]],
    list[tuple[str, str, int]],
    list[str],
    list[str],
    list[tuple[str, str]],
]

# File, class, UDP ports, TCP ports, filter of frames.
ProgramRow = tuple[str, str, list[int], list[int], str | None]

# Nanoseconds of processing and of its jitter, programs.
HostExtras = tuple[int, int, list[ProgramRow]]

class SwitchRow(TypedDict):
    name: str
    entries: str | None
    p4: str | None
    profile: str | None
    cpu_port: int | None
    commands: str | None
    queue_rate: str | None
    queue_depth: int | None
    priorities: int

class LinkRow(TypedDict):
    a: EndRow
    b: EndRow
    delay_ns: int
    rate_bps: int | None
    jitter_ns: int | None
    overtake: bool
    loss: float
    duplicate: float
    corrupt: float
    reorder: tuple[float, int] | None
    queue: str | None
    mtu: int | None
    up: bool
    tc: list[tuple[str, str]]

class TopologyRows(TypedDict):
    hosts: list[tuple[HostRow, HostExtras]]
    switches: list[SwitchRow]
    links: list[LinkRow]
    notes: list[str]

@final
class TopologyIndex:
    def __new__(cls) -> TopologyIndex: ...
    def counts(self) -> tuple[int, int, int]: ...
    def check_name(self, given: object) -> None: ...
    def add_host(self, host: HostSpec, check: bool) -> None: ...
    def add_switch(self, name: str) -> None: ...
    def add_link(self, a: EndSpec, b: EndSpec, check: bool) -> int: ...
    def next_mac(self) -> str: ...
    def read_end(self, given: object) -> EndRow: ...
    def ports(self, switch: str) -> list[int]: ...
    def free_port(self, switch: str) -> int: ...
    def find_link(self, a: object, b: object) -> int: ...
    def link_at(self, end: EndSpec) -> int | None: ...
    def ends(self, link: int) -> tuple[EndRow, EndRow] | None: ...
