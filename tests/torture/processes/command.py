"""Runs Weir's command in a process of its own and looks at how it ends."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from torture.case import Failed

ROOT: Final = Path(__file__).parents[3]
NET: Final = ROOT / "tests" / "net"
WEIR: Final = str(Path(sys.executable).with_name("weir"))
NETWORK: Final = [str(NET / "topology.json"), "h1", "h2", "--p4", str(NET / "router.p4")]
TIMEOUT: Final = 200.0
"""Seconds until a process hangs."""

_BUGS: Final = (
    "Traceback",
    "panicked",
    "internal error",
    "Exception ignored",
    "Fatal Python error",
    "AddressSanitizer",
)


@dataclass(frozen=True)
class Ended:
    """The end of a process: its exit code (negative: a signal) and its output."""

    code: int
    out: str
    err: str

    def check(self, *codes: int) -> Ended:
        """Fails unless the exit code is one of these and no output looks like a bug."""
        if any(bug in self.out + self.err for bug in _BUGS):
            raise Failed(f"exit code {self.code}\n{self.out[-1000:]}\n{self.err[-3000:]}")
        if self.code not in codes:
            raise Failed(f"exit code {self.code}, expected {codes}\n{self.out[-1000:]}\n{self.err[-1000:]}")
        if self.code > 0 and not self.err and not self.out:
            raise Failed(f"exit code {self.code} and no word about why")
        return self


def start(args: Sequence[str], folder: Path, **options: Any) -> subprocess.Popen[bytes]:
    """Starts the command; output goes to pipes unless the options say otherwise."""
    options = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
    return subprocess.Popen([WEIR, *args], cwd=folder, **options)


def end(process: subprocess.Popen[bytes], stdin: bytes | None = None) -> Ended:
    """Waits for the end."""
    try:
        out, err = process.communicate(stdin, timeout=TIMEOUT)
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
        raise Failed(f"hangs\n{(out or b'')[-1000:]!r}\n{(err or b'')[-1000:]!r}") from None
    return Ended(
        process.returncode, (out or b"").decode(errors="replace"), (err or b"").decode(errors="replace")
    )


def run(args: Sequence[str], folder: Path, **options: Any) -> Ended:
    """Runs the command to its end."""
    return end(start(args, folder, **options))


def python(text: str, folder: Path, **options: Any) -> Ended:
    """Runs a Python program that uses the package."""
    ended = subprocess.run(
        [sys.executable, "-c", text], cwd=folder, capture_output=True, timeout=TIMEOUT, check=False,
        stdin=subprocess.DEVNULL, **options,
    )  # fmt: skip
    return Ended(
        ended.returncode, ended.stdout.decode(errors="replace"), ended.stderr.decode(errors="replace")
    )


def environment(**changes: str | None) -> dict[str, str]:
    """The environment with changes; None removes a variable."""
    changed = {**os.environ, **{name: value for name, value in changes.items() if value is not None}}
    return {name: value for name, value in changed.items() if changes.get(name, "") is not None}
