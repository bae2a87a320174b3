"""All switches under test, by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from weir.lab import one_of

from . import bmv2, kernel, openvswitch, others, ours
from .kind import Kind

_KINDS: Final = (*others.KINDS[:1], *ours.KINDS, *kernel.KINDS[:1], *openvswitch.KINDS, *bmv2.KINDS, *others.KINDS[2:3],
                 *others.KINDS[1:2], *kernel.KINDS[1:], *others.KINDS[3:])  # fmt: skip

SWITCHES: Final[Mapping[str, Kind]] = {kind.name: kind for kind in _KINDS}
"""In the order of tables: no switch, ours, the kernel's, other programs, bare forwarding."""


def kind_named(name: str) -> Kind:
    """A switch by its name.

    Raises:
        WeirError: there is no such switch.
    """
    return SWITCHES[one_of("switch", name, *SWITCHES)]
