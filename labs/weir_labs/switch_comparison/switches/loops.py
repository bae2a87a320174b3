"""Switches that are bare loops of system calls (``copy_loop.c``), with different batches and
threads."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import weir

from ..network import PORTS
from .compiled import write_program
from .kind import RunningSwitch, SwitchKind
from .starting import spawn

_LOOP: Final = Path(__file__).with_name("copy_loop.c")

_BATCH_FRAMES: Final = 64
"""The number of frames that a loop with batches forwards at once."""


def _start(frames: int, threads: int) -> Callable[[weir.Network, Path], RunningSwitch]:
    def start(net: weir.Network, folder: Path) -> RunningSwitch:
        words = [str(write_program(_LOOP, folder)), *PORTS, f"{frames}", f"{threads}"]
        log = folder / "copy.log"
        return RunningSwitch([spawn(net, words, log)], "", log)

    return start


def _loop(name: str, title: str, frames: int, threads: int) -> SwitchKind:
    return SwitchKind(
        name=name,
        title=title,
        place="userspace",
        model="run to completion" if threads == 1 else "pipeline of threads",
        install="part of Weir, as C code: apt install gcc libc6-dev",
        start=_start(frames, threads),
    )


KINDS: Final[Sequence[SwitchKind]] = (
    _loop("copy", "bare loop", _BATCH_FRAMES, 1),
    _loop("copy-single", "bare loop (frame by frame)", 1, 1),
    _loop("copy-threads", "bare loop (two threads)", _BATCH_FRAMES, 2),
    _loop("copy-single-threads", "bare loop (frame by frame, two threads)", 1, 2),
)
