"""Part of the stubs of ``weir._core``; there is no such module at run time.

Topologies: files and single values.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import IPv4Network, IPv6Network
from typing import Protocol, TypedDict, final

@final
@dataclass(frozen=True)
class HostAddress:
    address: str
    prefix: int
    @property
    def network(self) -> IPv4Network | IPv6Network: ...

@final
@dataclass(frozen=True)
class Route:
    network: str
    gateway: str | None
    interface: int = ...

@final
@dataclass(frozen=True)
class Endpoint:
    node: str
    port: int | None = ...
    interface: int = ...
    @property
    def number(self) -> int: ...
    @property
    def interface_name(self) -> str: ...

@final
@dataclass(frozen=True)
class InterfaceState:
    mac: str
    addresses: tuple[HostAddress, ...]
    mtu: int
    up: bool

@final
@dataclass(frozen=True)
class NeighbourState:
    address: str
    mac: str
    interface: int

@final
@dataclass(frozen=True)
class ProgramState:
    file: str
    name: str
    udp: tuple[int, ...]
    tcp: tuple[int, ...]
    frames: str | None

@final
@dataclass(frozen=True)
class HostState:
    name: str
    interfaces: tuple[InterfaceState, ...]
    routes: tuple[Route, ...]
    neighbours: tuple[NeighbourState, ...]
    notes: tuple[str, ...]
    processing_ns: int
    processing_jitter_ns: int
    tc: tuple[str, ...]
    sysctls: tuple[tuple[str, str], ...]
    programs: tuple[ProgramState, ...]

# The attributes of a host that the core reads; weir.topology defines the dataclasses.

class InterfaceSpec(Protocol):
    @property
    def mac(self) -> str: ...
    @property
    def addresses(self) -> Sequence[HostAddress]: ...
    @property
    def mtu(self) -> int: ...
    @property
    def up(self) -> bool: ...

class HostSpec(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def interfaces(self) -> Sequence[InterfaceSpec]: ...
    @property
    def routes(self) -> Sequence[Route]: ...
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

class SwitchState(TypedDict):
    name: str
    entries: str | None
    p4: str | None
    profile: str | None
    cpu_port: int | None
    commands: str | None
    queue_rate: str | None
    queue_depth: int | None
    priorities: int

class LinkState(TypedDict):
    a: Endpoint
    b: Endpoint
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

class TopologyParts(TypedDict):
    hosts: list[HostState]
    switches: list[SwitchState]
    links: list[LinkState]
    notes: list[str]
    computer: str | None

@final
class TopologyIndex:
    def __new__(cls) -> TopologyIndex: ...
    def counts(self) -> tuple[int, int, int]: ...
    def check_name(self, given: object) -> None: ...
    def add_host(self, host: HostSpec, check: bool) -> None: ...
    def add_switch(self, name: str) -> None: ...
    def add_link(self, a: Endpoint, b: Endpoint, check: bool) -> int: ...
    def next_mac(self) -> str: ...
    def read_end(self, given: object) -> Endpoint: ...
    def ports(self, switch: str) -> list[int]: ...
    def free_port(self, switch: str) -> int: ...
    def find_link(self, a: object, b: object) -> int: ...
    def link_at(self, end: Endpoint) -> int | None: ...
    def ends(self, link: int) -> tuple[Endpoint, Endpoint] | None: ...
