"""The lab's description of a switch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import weir

if TYPE_CHECKING:
    from weir.linux.process import Process


class MissingSwitch(Exception):
    """A switch is not installed or not in this kernel; the message says what is missing."""


@dataclass
class RunningSwitch:
    """A switch that runs.

    Attributes:
        processes: the processes that forward, whose processor time and memory are measured. None
            for a switch in the kernel.
        version: its own name and version.
        log: the output of the processes, if any.
    """

    processes: Sequence[Process] = ()
    version: str = ""
    log: Path | None = None


@dataclass(frozen=True, kw_only=True)
class SwitchKind:
    """A switch under test.

    Attributes:
        name: its name on the command line.
        title: its name in tables.
        place: the place where it forwards: ``userspace``, ``kernel``, or ``nowhere`` for the link
            without a switch.
        model: how it forwards: ``run to completion``, ``pipeline of threads``, …
        install: how to install it.
        start: a function that starts the switch in the node "switch" of a network, with a folder
            for its files. It raises Missing.
        offloads: whether the switch accepts large frames (GSO) and partial checksums.
        is_p4: whether a P4 program defines its behaviour.
    """

    name: str
    title: str
    place: str
    model: str
    install: str
    start: Callable[[weir.Network, Path], RunningSwitch] = field(repr=False)
    offloads: bool = True
    is_p4: bool = False
