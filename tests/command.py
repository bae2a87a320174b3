"""Runs the command ``weir`` in a process of its own."""

import functools
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import forked

NET = Path(__file__).parent / "net"


WEIR = Path(sys.executable).with_name("weir")


RUN = ["run", str(NET / "topology.json"), "--p4", str(NET / "router.p4")]


# Commands that start processes, or import many modules that other commands do not need.
_ALONE = {"ap", "experiment", "lab", "link", "switch", "telemetry"}


@functools.cache
def _server() -> forked.Server:
    return forked.Server(WEIR)


def _environment(variables: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in variables.items() if name != "PYTEST_CURRENT_TEST"}


def weir(*args: str | Path, stdin: str = "", cwd: Path | None = None) -> tuple[int, str, str]:
    """Calls the command; returns its exit code, standard output and standard error."""
    words = [str(arg) for arg in args]
    shares_imports = words and words[0] not in _ALONE and forked.takes(stdin)
    if shares_imports and _environment(os.environ) == _environment(_server().environment):
        ended = _server().run(words, stdin, cwd, timeout=60)
    else:
        ended = process(*words, stdin=stdin, cwd=cwd)
    assert "Traceback" not in ended[2], ended[2]
    return ended


def process(*args: str | Path, stdin: str = "", cwd: Path | None = None) -> tuple[int, str, str]:
    """Calls the command in a new process, as users do."""
    ended = subprocess.run(
        [WEIR, *map(str, args)], input=stdin, capture_output=True, text=True, cwd=cwd, timeout=60, check=False
    )
    return ended.returncode, ended.stdout, ended.stderr


def commands(*lines: str) -> list[str]:
    """Commands as ``-c`` options after ``weir run``."""
    return [*RUN, *(word for line in lines for word in ("-c", line))]
