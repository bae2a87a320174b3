"""p4lang's programs on this computer: ``simple_switch``, and the compiler for it."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from weir.errors import NetworkError

if TYPE_CHECKING:
    from weir import _core


def simple_switch_path() -> str:
    """Finds the path of ``simple_switch``, from the variable SIMPLE_SWITCH or as the first one on
    the PATH.

    Raises:
        NetworkError: there is no such program.
    """
    return _find("simple_switch", "SIMPLE_SWITCH")


@cache
def help_text() -> str:
    """Returns the text that ``simple_switch --help`` prints."""
    process = subprocess.run([simple_switch_path(), "--help"], capture_output=True, text=True, timeout=20)
    return process.stdout + process.stderr


def compile_to_json(program: _core.Program) -> str:
    """Compiles a P4 program to BMv2's JSON with ``p4c-bm2-ss``, and returns the JSON.

    Raises:
        NetworkError: there is no compiler, or it refuses the program.
    """
    return _compile_file(program.path())


@cache
def _compile_file(path: str) -> str:
    if path.endswith(".json"):
        return Path(path).read_text(encoding="utf-8")
    compiler = _find("p4c-bm2-ss", "P4C")
    includes = os.environ.get("P4C_INCLUDE")
    with tempfile.TemporaryDirectory(prefix="weir-p4c-") as folder:
        json_file = Path(folder) / "program.json"
        words = [compiler, "--arch", "v1model", "-o", str(json_file), path]
        process = subprocess.run(
            words + (["-I", includes] if includes else []), capture_output=True, text=True, check=False
        )
        if process.returncode:
            raise NetworkError(f"{compiler} does not compile {path}: {process.stderr.strip()[-2000:]}")
        return json_file.read_text(encoding="utf-8")


def _find(program: str, variable: str) -> str:
    variable_value = os.environ.get(variable)
    places = [*os.environ.get("PATH", os.defpath).split(os.pathsep), "/usr/sbin", "/sbin"]
    for path in (
        [shutil.which(variable_value)]
        if variable_value
        else [shutil.which(program, path=place or ".") for place in places]
    ):
        if path is not None and not _is_stand_in(Path(path)):
            return path
    raise NetworkError(
        f'switches="simple_switch" needs p4lang\'s {program} on the PATH, or its path in the variable '
        f"{variable}; "
        "Weir's own stand-in does not count"
    )


def _is_stand_in(path: Path) -> bool:
    with path.open("rb") as file:
        return b"weir shims install" in file.read(4096)
