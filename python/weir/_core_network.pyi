"""Part of the stubs of ``weir._core``; there is no such module at run time.

Simulated networks, hosts and links, with the methods of ``_core_contracts``.
"""

from typing import Any, final

from weir import _core_contracts as cores
from weir._core_control import Switch
from weir._core_p4runtime import P4RuntimeServer
from weir._core_topology import HostSpec

@final
class Network(cores.Network):
    def __new__(cls, seed: int, threads: int = 1) -> Network: ...
    def share_computer(self, settings: dict[str, Any]) -> None: ...
    def add_controller(self, name: str, switch: str, port: int) -> int: ...
    def serve_p4runtime(
        self,
        addresses: list[str],
        switches: list[tuple[str, int, tuple[str, int] | None]],
        tls: tuple[bytes, bytes, bytes | None] | None,
        plaintext: bool,
        folders: list[str],
        limits: tuple[int, int],
        executor: str | None,
        texts: tuple[str, str] | None,
    ) -> P4RuntimeServer: ...
    def change_route(
        self, host: str, network: str, gateway: str | None, interface: int, add: bool
    ) -> bool: ...
    def change_interface(
        self, host: str, interface: int, mac: str, addresses: list[str], mtu: int
    ) -> None: ...
    def ip_show(self, command: str, host: HostSpec) -> str | None: ...
    def change_neighbour(self, host: str, interface: int, address: str, mac: str | None) -> bool: ...
    def switch(self, name: str) -> Switch: ...

@final
class Link(cores.Link): ...

@final
class Interface(cores.Interface): ...

@final
class Host(cores.Host): ...

@final
class Sockets(cores.Sockets): ...

@final
class Sampler(cores.Sampler): ...

@final
class Watch(cores.Watch): ...

@final
class Mailbox(cores.Mailbox): ...

@final
class Traffic(
    cores.PingTraffic, cores.UdpTraffic, cores.TcpTraffic, cores.ExchangeTraffic, cores.ReplayTraffic
): ...
