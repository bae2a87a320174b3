"""The link without a switch, and programs that the user chooses."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import weir

from ..network import PORTS
from .kind import MissingSwitch, RunningSwitch, SwitchKind
from .starting import spawn


def _start_nothing(net: weir.Network, folder: Path) -> RunningSwitch:
    return RunningSwitch()


def _starter(variable: str, example: str) -> Callable[[weir.Network, Path], RunningSwitch]:
    def start(net: weir.Network, folder: Path) -> RunningSwitch:
        line = os.environ.get(variable, "")
        if not line:
            raise MissingSwitch(f"the variable {variable} with its command is not set")
        left, right = PORTS
        try:
            words = shlex.split(line.format(left=left, right=right))
        except (ValueError, KeyError, IndexError) as error:
            raise MissingSwitch(f"{variable}={line}: {error}: expected a command such as {example}") from None
        log = folder / "command.log"
        return RunningSwitch([spawn(net, words, log)], words[0], log)

    return start


_T4P4S: Final = (
    "forward -l 0 --no-huge --vdev=net_af_packet0,iface={left} --vdev=net_af_packet1,iface={right} -- -p 0x3"
)

KINDS: Final[Sequence[SwitchKind]] = (
    SwitchKind(
        name="none",
        title="no switch",
        place="nowhere",
        model="–",
        install="nothing to install",
        start=_start_nothing,
    ),
    SwitchKind(
        name="t4p4s",
        title="T4P4S",
        place="userspace",
        model="run to completion",
        install=f"build forward.p4 with T4P4S, and name the command that runs it: T4P4S='{_T4P4S}'",
        start=_starter("T4P4S", _T4P4S),
        offloads=False,
        is_p4=True,
    ),
    SwitchKind(
        name="command",
        title="your own",
        place="userspace",
        model="–",
        install="name a command that forwards between two interfaces: SWITCH='my-switch {left} {right}'",
        start=_starter("SWITCH", "my-switch {left} {right}"),
        offloads=False,
    ),
)
