"""All switches under test, by name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from weir.lab import one_of

from . import bmv2, kernel, loops, openvswitch, others, ours
from .kind import SwitchKind

_NOTHING, _T4P4S, _COMMAND = others.KINDS
_BRIDGE, _REDIRECT = kernel.KINDS
_COPY, *_LOOPS = loops.KINDS

_KINDS: Final = (_NOTHING, *ours.KINDS, _BRIDGE, *openvswitch.KINDS, *bmv2.KINDS, _T4P4S, _COPY, _REDIRECT,
                 _COMMAND, *_LOOPS)  # fmt: skip

SWITCHES: Final[Mapping[str, SwitchKind]] = {kind.name: kind for kind in _KINDS}
"""All switches in the order of tables: none, Weir's, the kernel's, other programs, bare forwarding
loops."""

COMPARED: Final = tuple(
    kind.name for kind in _KINDS if kind not in (_COMMAND, *_LOOPS) and kind.name != "weir-ring"
)
"""The switches that are compared by default."""


def find_switch(name: str) -> SwitchKind:
    """Finds a switch by its name.

    Raises:
        WeirError: there is no such switch.
    """
    return SWITCHES[one_of("switch", name, *SWITCHES)]
