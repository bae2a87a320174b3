"""Commands that change a host of a running network."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING

from weir.errors import NetworkError, TopologyError
from weir.topology import commands
from weir.topology.host_spec import HostSpec

if TYPE_CHECKING:
    from collections.abc import Callable

    from weir import _core
    from weir.links.link import Link


def run_command(
    core: _core.Network, link_at: Callable[[str, int], Link], before: HostSpec, command: str
) -> tuple[HostSpec, str]:
    """Runs a command on a host; see :meth:`weir.Host.cmd`.

    Args:
        core: the host's network.
        link_at: a function that returns the link at an interface of a node.
        before: the host's specification before the command.
        command: the command.

    Returns:
        The host's new specification, and the output of the command.

    Raises:
        NetworkError: the command is not understood, or cannot change a running host.
    """
    name, after = before.name, deepcopy(before)
    output = core.ip_show(command, before)
    if output is not None:
        return before, output
    try:
        commands.apply(command, after)
    except TopologyError as error:
        raise NetworkError(error.message, suggestion=error.suggestion) from None
    for number, (old, new) in enumerate(zip(before.interfaces, after.interfaces, strict=True)):
        if (old.mac, old.addresses, old.mtu) != (new.mac, new.addresses, new.mtu):
            addresses = [str(address) for address in new.addresses]
            core.change_interface(name, number, new.mac, addresses, new.mtu)
    for route in before.routes:
        if route not in after.routes:
            core.change_route(name, route.network, route.gateway, route.interface, False)
    for route in after.routes:
        if route not in before.routes:
            core.change_route(name, route.network, route.gateway, route.interface, True)
    for address in {**before.arp, **after.arp}:
        was = before.arp.get(address), before.arp_interfaces.get(address, 0)
        is_now = after.arp.get(address), after.arp_interfaces.get(address, 0)
        if was[0] is not None and was != is_now:
            core.change_neighbour(name, was[1], address, None)
        if is_now[0] is not None and was != is_now:
            core.change_neighbour(name, is_now[1], address, is_now[0])
    for setting, value in after.sysctls[len(before.sysctls) :]:
        core.set_sysctl(name, setting, value)
    output = "".join(core.tc(name, line) for line in after.tc[len(before.tc) :])
    for number, (old, new) in enumerate(zip(before.interfaces, after.interfaces, strict=True)):
        if old.up != new.up:
            link_at(name, number).up = new.up
    return after, output
