"""Weir's switch, with each executor and kind of port."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import weir

from ..network import PORTS
from .kind import Kind, Missing, Running
from .starting import find, spawn

PROGRAM: Final = Path(__file__).parent.with_name("forward.p4")


def _start(port_kind: str, executor: str) -> Callable[[weir.Network, Path], Running]:
    def start(net: weir.Network, folder: Path) -> Running:
        command, name = _command()
        words = [*command, str(PROGRAM), "--executor", executor]
        for number, port in enumerate(PORTS, 1):
            words += ["-i", f"{number}@{port},kind={port_kind}"]
        root = str(Path(weir.__file__).parents[1])
        log = folder / "weir.log"
        process = spawn(net, words, log, PYTHONPATH=":".join([root, *filter(None, sys.path)]))
        return Running([process], f"{name} {weir.__version__}", log)

    return start


def _command() -> tuple[list[str], str]:
    """What starts the switch: weir-switchd if it is here, else the same within Python."""
    try:
        return [find("weir-switchd", "WEIR_SWITCHD")], "weir-switchd"
    except Missing:
        return [sys.executable, "-m", "weir", "switch"], "weir switch"


def _ours(name: str, title: str, port_kind: str, executor: str = "native") -> Kind:
    return Kind(
        name=name,
        title=title,
        place="userspace",
        model="run to completion",
        install="it comes with Weir",
        start=_start(port_kind, executor),
        is_p4=True,
    )


KINDS: Final[Sequence[Kind]] = (
    _ours("weir", "Weir", "socket"),
    _ours("weir-ring", "Weir, ring", "ring"),
    _ours("weir-direct", "Weir, direct", "direct"),
    _ours("weir-interp", "Weir, interpreter", "socket", "interp"),
)
