"""Commands at a host of a network that runs: what a command would change in its specification is changed in the host."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING

from weir.errors import NetworkError, TopologyError
from weir.topology import commands
from weir.topology.host import HostSpec

if TYPE_CHECKING:
    from weir.network import Network


def run(network: Network, before: HostSpec, command: str) -> HostSpec:
    """Does a command at a host, now; see :meth:`weir.Host.cmd`.

    Args:
        network: where it runs.
        before: the host as it is.
        command: the command.

    Returns:
        The host as it is now.

    Raises:
        NetworkError: the command is not understood, or cannot be done at a host that runs.
    """
    name, after = before.name, deepcopy(before)
    try:
        commands.apply(command, after)
    except TopologyError as error:
        raise NetworkError(error.message, suggestion=error.suggestion) from None
    _refuse_fixed(command, before, after)
    for route in before.routes:
        if route not in after.routes:
            network.core.change_route(name, route.network, route.gateway, route.interface, False)
    for route in after.routes:
        if route not in before.routes:
            network.core.change_route(name, route.network, route.gateway, route.interface, True)
    for address in {**before.arp, **after.arp}:
        old = before.arp.get(address), before.arp_interfaces.get(address, 0)
        new = after.arp.get(address), after.arp_interfaces.get(address, 0)
        if old[0] is not None and old != new:
            network.core.change_neighbour(name, old[1], address, None)
        if new[0] is not None and old != new:
            network.core.change_neighbour(name, new[1], address, new[0])
    for setting, value in after.sysctls[len(before.sysctls) :]:
        network.core.set_sysctl(name, setting, value)
    for line in after.tc[len(before.tc) :]:
        network.core.tc(name, line)
    for number, (old_one, new_one) in enumerate(zip(before.interfaces, after.interfaces, strict=True)):
        if old_one.up != new_one.up:
            network.link_at(name, number).up = new_one.up
    return after


def _refuse_fixed(command: str, before: HostSpec, after: HostSpec) -> None:
    for old, new in zip(before.interfaces, after.interfaces, strict=True):
        if (old.mac, old.addresses, old.mtu) != (new.mac, new.addresses, new.mtu):
            raise NetworkError(
                f'host command "{command}": addresses and MTUs are set before a network is built, in its topology'
            )
