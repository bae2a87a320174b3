"""The classes that describe the switches of the lab."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import weir

if TYPE_CHECKING:
    from weir.linux.process import Process


class MissingSwitch(Exception):
    """An error about a switch that is not installed. The message says what is missing."""


@dataclass
class RunningSwitch:
    """A switch that has been started.

    Attributes:
        processes: the processes that forward, whose processor time and memory are measured.
            ``None`` for a switch in the kernel.
        version: the switch's own name and version.
        log: the file with the output of the processes, if any.
    """

    processes: Sequence[Process] = ()
    version: str = ""
    log: Path | None = None


@dataclass(frozen=True, kw_only=True)
class SwitchKind:
    """The description of a switch under test.

    Attributes:
        name: the switch's name on the command line.
        title: the switch's name in tables.
        place: the place where it forwards: ``userspace``, ``kernel``, or ``nowhere`` for the link
            without a switch.
        model: the switch's model of execution, such as ``run to completion`` or ``pipeline of
            threads``.
        install: the text that explains how to install the switch.
        start: a function that starts the switch in the node "switch" of a network, with a folder
            for its files. The function raises :class:`MissingSwitch`.
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
