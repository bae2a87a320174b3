"""The other end of a host's traffic: its address, and the hosts that may receive."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weir.errors import NetworkError
from weir.errors.checks import check_text
from weir.text.digits import whole_number

if TYPE_CHECKING:
    from weir.owners.network import Host, Servers


def peer_address(host: Host, target: str | Host, family: int | None = None) -> str:
    """Finds the IP address of a target, which is a host, its name, or an address.

    Args:
        host: the host that sends.
        target: the host or address that it sends to.
        family: 4 or 6; ``None`` for any, as :meth:`weir.Network.address` says.

    Raises:
        NetworkError: there is no such host, or one of the hosts has no address of the family.
    """
    address = host._network.address(target, family)
    if family is not None:
        host._network._nodes.own_address(host, family)
    return address


def receivers(host: Host, address: str, server: Servers | None) -> list[str]:
    """Returns the names of the hosts that may receive what ``host`` sends to an address.

    Raises:
        NetworkError: there is no receiver, or it is ``host`` itself, which would receive its
            packets without any delay.
    """
    names = [receiver.name for receiver in host._network._nodes.receivers(address, server)]
    if host.name in names:
        raise NetworkError(f"{host.name} is both ends of the flow: expected another host")
    return names


def interface_number(host: Host, name: str) -> int:
    """Reads the number of a host's interface from its name: 1 for ``eth1`` or ``h1-eth1``.

    Raises:
        NetworkError: the host has no interface of that name.
    """
    check_text("interface", name, "eth0")
    number = whole_number(name.removeprefix(f"{host.name}-").removeprefix("eth"))
    if number is None:
        raise NetworkError(f'there is no interface "{name}": expected eth0, eth1 and so on')
    return number
