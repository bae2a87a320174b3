"""Creates the world in which a network runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from weir.errors import NetworkError, shown
from weir.network.virtual_world import VirtualWorld
from weir.owners.world import WORLDS, World, WorldName
from weir.text.suggest import nearest

if TYPE_CHECKING:
    from weir.network.computer import Computer
    from weir.p4runtime.server import ServerOptions
    from weir.topology import Topology

SWITCHES = ("weir", "simple_switch")
"""The kinds of switches of the Linux world."""

__all__ = ["WORLDS", "WorldName", "make_world", "no_such_world"]


def make_world(
    name: str,
    topology: Topology,
    seed: int,
    simulated: Sequence[str],
    served: ServerOptions | None,
    switches: str = "weir",
    offloads: bool | None = None,
    computer: Computer | None = None,
) -> World:
    """Creates the world with this name.

    Args:
        name: the world's name.
        topology: the topology to build.
        seed: the seed of random effects.
        simulated: the given options that are only for simulated nodes.
        served: the options of the P4Runtime servers; None for no servers.
        switches: the kind of switches in the Linux world.
        offloads: whether hosts of the Linux world have offloads; None for the default.
        computer: the computer that all nodes of a virtual world share.

    Raises:
        NetworkError: there is no world with this name, or the computer or the topology does not
            support it.
    """
    if switches not in SWITCHES:
        raise NetworkError(
            f"switches: there are no switches {shown(switches)} (there are: {', '.join(SWITCHES)})",
            suggestion=nearest(switches, SWITCHES) if isinstance(switches, str) else None,
        )
    if name == "virtual":
        if switches != "weir":
            raise NetworkError(
                f'switches={shown(switches)} needs world="linux": the virtual world has only Weir\'s own'
            )
        if offloads:
            raise NetworkError(
                'offloads=True needs world="linux": hosts of the virtual world always send frames that are valid on a wire'
            )
        return VirtualWorld(seed, None if computer is None else computer._settings())
    if name == "linux":
        for option in simulated:
            raise NetworkError(
                f"{option}: hosts and switches of the Linux world have this computer's speed: leave it out"
            )
        from weir.linux.p4runtime_server import check_options
        from weir.linux.world import LinuxWorld

        if served is not None:
            check_options(served)
            if switches != "weir":
                raise NetworkError(f"p4runtime: switches={shown(switches)} do not support it: leave it out")
        if switches == "simple_switch" and offloads:
            raise NetworkError(
                "offloads=True: simple_switch completes no checksums and cuts no large frames: leave it out"
            )
        first_device = None if served is None else served.first_device_id
        return LinuxWorld(topology, seed, first_device, switches, offloads)
    raise no_such_world(name)


def no_such_world(name: object) -> NetworkError:
    """The error for a world that does not exist."""
    suggestion = nearest(name, WORLDS) if isinstance(name, str) else None
    return NetworkError(
        f"world: there is no world {shown(name)} (there are: {', '.join(WORLDS)})", suggestion=suggestion
    )
