"""Creates the world in which a network runs."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from weir.errors import NetworkError, shown
from weir.errors.linux import require_linux
from weir.network.virtual_world import VirtualWorld
from weir.owners.world import WORLDS, World, WorldName
from weir.text.suggest import nearest

if TYPE_CHECKING:
    from weir.network.computer import Computer
    from weir.p4runtime.server import ServerOptions
    from weir.topology import Topology

SWITCHES = ("weir", "simple_switch")
"""The kinds of switches of the Linux world."""

AS_ROOT = "WEIR_AS_ROOT"
"""The environment variable that makes ``as_root`` true by default if it is 1, for scripts and
labs."""

__all__ = ["AS_ROOT", "WORLDS", "WorldName", "make_world", "no_such_world"]


def make_world(
    name: str,
    topology: Topology,
    seed: int,
    simulated: Sequence[str],
    served: ServerOptions | None,
    switches: str = "weir",
    offloads: bool | None = None,
    computer: Computer | None = None,
    as_root: bool | None = None,
    threads: int = 1,
) -> World:
    """Creates the world with this name.

    Args:
        name: the world's name.
        topology: the topology to build.
        seed: the seed of random effects.
        simulated: the given options that are only for simulated nodes.
        served: the options of the P4Runtime servers; ``None`` for no servers.
        switches: the kind of switches in the Linux world.
        offloads: whether hosts of the Linux world have offloads; ``None`` for the default.
        computer: the computer that all nodes of a virtual world share.
        as_root: whether programs of the Linux world have the rights of root on this computer;
            ``None`` if ``WEIR_AS_ROOT`` decides.
        threads: the maximum number of threads that simulate a virtual world.

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
        if as_root:
            raise NetworkError('as_root=True needs world="linux": the virtual world runs no programs')
        return VirtualWorld(seed, None if computer is None else computer._settings(), threads)
    if name == "linux":
        require_linux('world="linux"')
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
        if as_root is None:
            as_root = _environment_says_as_root()
        return LinuxWorld(topology, seed, first_device, switches, offloads, as_root)
    raise no_such_world(name)


def _environment_says_as_root() -> bool:
    value = os.environ.get(AS_ROOT, "")
    if value not in ("", "0", "1"):
        raise NetworkError(f"the environment variable {AS_ROOT} is {shown(value)}: expected 1 or 0")
    return value == "1"


def no_such_world(name: object) -> NetworkError:
    """Creates the error for a world that does not exist."""
    suggestion = nearest(name, WORLDS) if isinstance(name, str) else None
    return NetworkError(
        f"world: there is no world {shown(name)} (there are: {', '.join(WORLDS)})", suggestion=suggestion
    )
