"""Weir's own switches, one for each executor and kind of port."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import weir

from ..network import PORTS
from .kind import MissingSwitch, RunningSwitch, SwitchKind
from .starting import find, spawn, version

PROGRAM: Final = Path(__file__).parent.with_name("forward.p4")


WAYS: Final[Mapping[str, tuple[str, str]]] = {
    "weir": ("socket", "native"),
    "weir-ring": ("ring", "native"),
    "weir-direct": ("direct", "native"),
    "weir-interp": ("socket", "interp"),
}
"""The kind of ports and the executor of each of Weir's switches, by name."""


def start(net: weir.Network, folder: Path, name: str, options: Sequence[str] = ()) -> RunningSwitch:
    """Starts a Weir switch.

    Args:
        net: the switch's network.
        folder: the folder for the switch's log.
        name: one of :data:`WAYS`.
        options: additional options of ``weir switch``.
    """
    port_kind, executor = WAYS[name]
    command, release = _command()
    words = [*command, str(PROGRAM), "--executor", executor, *options]
    for number, port in enumerate(PORTS, 1):
        words += ["-i", f"{number}@{port},kind={port_kind}"]
    root = str(Path(weir.__file__).parents[1])
    log = folder / "weir.log"
    process = spawn(net, words, log, PYTHONPATH=":".join([root, *filter(None, sys.path)]))
    return RunningSwitch([process], release, log)


def _command() -> tuple[list[str], str]:
    """Returns the command and the version of weir-switchd or, if it is missing, of ``weir
    switch``."""
    try:
        program_path = find("weir-switchd", "WEIR_SWITCHD")
    except MissingSwitch:
        return [sys.executable, "-m", "weir", "switch"], f"weir switch {weir.__version__}"
    return [program_path], version(program_path, "--version")


def _weir_switch(name: str, title: str) -> SwitchKind:
    return SwitchKind(
        name=name,
        title=title,
        place="userspace",
        model="run to completion",
        install="part of Weir",
        start=lambda net, folder: start(net, folder, name),
        is_p4=True,
    )


KINDS: Final[Sequence[SwitchKind]] = (
    _weir_switch("weir", "Weir"),
    _weir_switch("weir-ring", "Weir (ring)"),
    _weir_switch("weir-direct", "Weir (direct)"),
    _weir_switch("weir-interp", "Weir (interpreter)"),
)
