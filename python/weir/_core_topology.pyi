"""Part of the stubs of ``weir._core``; there is no such module at run time.

Topologies: files and single values.
"""

from typing import TypedDict, final

from weir.topology import Endpoint, HostSpec

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
    def add_link(self, a: Endpoint, b: Endpoint, check: bool) -> int: ...
    def next_mac(self) -> str: ...
    def read_end(self, given: object) -> EndRow: ...
    def ports(self, switch: str) -> list[int]: ...
    def free_port(self, switch: str) -> int: ...
    def find_link(self, a: object, b: object) -> int: ...
    def link_at(self, end: Endpoint) -> int | None: ...
    def ends(self, link: int) -> tuple[EndRow, EndRow] | None: ...
