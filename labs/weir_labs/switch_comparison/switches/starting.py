"""Finds programs and starts them in the switch's namespace."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import weir

from .kind import MissingSwitch

if TYPE_CHECKING:
    from weir.linux.process import Process


def find(program: str, variable: str | None = None) -> str:
    """Finds the path of a program: the value of an environment variable, or the first match on the
    PATH.

    Weir's own stand-ins for BMv2's programs do not count.

    Raises:
        MissingSwitch: the program was not found.
    """
    if variable is not None and os.environ.get(variable):
        named_program = shutil.which(os.environ[variable])
        if named_program is None:
            raise MissingSwitch(f"{variable}={os.environ[variable]} is not a program")
        return named_program
    places = [*os.environ.get("PATH", os.defpath).split(os.pathsep), "/usr/sbin", "/sbin"]
    for place in places:
        path = shutil.which(program, path=place or ".")
        if path is not None and not _is_stand_in(Path(path)):
            return path
    raise MissingSwitch(f"there is no {program} on the PATH")


def _is_stand_in(path: Path) -> bool:
    with path.open("rb") as file:
        return b"weir shims install" in file.read(4096)


def spawn(net: weir.Network, words: Sequence[str], log: Path, **environment: str) -> Process:
    """Starts a program in the switch's namespace, with its output in a file."""
    with log.open("w", encoding="utf-8") as file:
        return net.host("switch").popen(
            list(words), stdout=file, stderr=subprocess.STDOUT, environment={**os.environ, **environment}
        )


def version(*words: str) -> str:
    """Runs a program that prints its version, and returns the first line."""
    process = subprocess.run(words, capture_output=True, text=True, timeout=20)
    return (process.stdout or process.stderr).strip().partition("\n")[0].strip()
