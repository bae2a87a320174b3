"""p4lang's BMv2: ``simple_switch`` and ``simple_switch_grpc``."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Final

import weir
from weir.errors import NetworkError

from ..network import PORTS
from .kind import RunningSwitch, SwitchKind
from .ours import PROGRAM
from .starting import find, spawn, version

_INSTALL: Final = "p4lang's packages p4lang-bmv2 and p4lang-p4c, or programs of your own build in the variables {variable} and P4C"


def _start(program: str, variable: str) -> Callable[[weir.Network, Path], RunningSwitch]:
    def start(net: weir.Network, folder: Path) -> RunningSwitch:
        switch, compiler = find(program, variable), find("p4c-bm2-ss", "P4C")
        json_file = folder / "forward.json"
        json_file.write_text(_compiled_program(compiler), encoding="utf-8")
        words = [switch, "--log-level", "off"]
        if "--notifications-addr" in _help(switch):
            # Two switches on one computer must not use the same address.
            words += ["--notifications-addr", f"ipc://{folder}/bmv2.ipc"]
        for number, port in enumerate(PORTS, 1):
            words += ["-i", f"{number}@{port}"]
        log = folder / f"{program}.log"
        process = spawn(net, [*words, str(json_file)], log)
        return RunningSwitch([process], version(switch, "--version"), log)

    return start


@cache
def _compiled_program(compiler: str) -> str:
    """Compiles the lab's program for BMv2; returns the JSON."""
    with tempfile.TemporaryDirectory() as name:
        json_file = Path(name) / "forward.json"
        words = [compiler, "-o", str(json_file), str(PROGRAM)]
        process = subprocess.run(words, capture_output=True, text=True, timeout=60)
        if process.returncode:
            raise NetworkError(f"{compiler} does not compile {PROGRAM.name}: {process.stderr.strip()}")
        return json_file.read_text(encoding="utf-8")


@cache
def _help(switch: str) -> str:
    process = subprocess.run([switch, "--help"], capture_output=True, text=True, timeout=20)
    return process.stdout + process.stderr


def _bmv2(name: str, variable: str) -> SwitchKind:
    return SwitchKind(
        name=name,
        title=name,
        place="userspace",
        model="pipeline of threads",
        install=_INSTALL.format(variable=variable),
        start=_start(name, variable),
        offloads=False,
        is_p4=True,
    )


KINDS: Final[Sequence[SwitchKind]] = (
    _bmv2("simple_switch", "SIMPLE_SWITCH"),
    _bmv2("simple_switch_grpc", "SIMPLE_SWITCH_GRPC"),
)
