"""What of a host all its traffic leans on: its name, its network, and who is at the other end."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weir import _core
from weir.errors import NetworkError
from weir.traffic import check_text

if TYPE_CHECKING:
    from weir.host import Host
    from weir.network import Network
    from weir.traffic import Servers


class End:
    """One end of traffic: what :class:`Host` is made of."""

    def __init__(self, network: Network, core: _core.Host, name: str) -> None:
        self._network = network
        self._core = core
        self.name = name

    def _target(self, target: str | Host) -> tuple[str, str]:
        """Its name and address."""
        name = target.name if isinstance(target, End) else target
        return name, self._network.address(name)

    def _others(self, address: str, server: Servers | None) -> list[str]:
        """The hosts that may receive what is sent to an address; not this one, for between a host and itself nothing takes time."""
        receivers = [host.name for host in self._network.receivers(address, server)]
        if self.name in receivers:
            raise NetworkError(f"{self.name} is both ends of the flow: expected another host")
        return receivers

    def _interface(self, name: str) -> int:
        check_text("interface", name, "eth0")
        number = name.removeprefix(f"{self.name}-").removeprefix("eth")
        if not number.isdecimal():
            raise NetworkError(f'there is no interface "{name}": expected eth0, eth1 and so on')
        return int(number)
