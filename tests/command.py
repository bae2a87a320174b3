"""Runs the command ``weir`` in a process of its own."""

import subprocess
import sys
from pathlib import Path

NET = Path(__file__).parent / "net"


WEIR = Path(sys.executable).with_name("weir")


RUN = ["run", str(NET / "topology.json"), "--p4", str(NET / "router.p4")]


def weir(*args: str | Path, stdin: str = "", cwd: Path | None = None) -> tuple[int, str, str]:
    """Calls the command; returns its exit code, standard output and standard error."""
    done = subprocess.run(
        [WEIR, *map(str, args)], input=stdin, capture_output=True, text=True, cwd=cwd, timeout=60, check=False
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done.returncode, done.stdout, done.stderr


def commands(*lines: str) -> list[str]:
    """Commands as ``-c`` options after ``weir run``."""
    return [*RUN, *(word for line in lines for word in ("-c", line))]
