"""Runs tshark on captures."""

from __future__ import annotations

import subprocess
from pathlib import Path

from needed import need


def require_tshark() -> None:
    """Skips the test if tshark is missing, or fails if tshark is required."""
    need("tshark", required="WEIR_REQUIRE_TSHARK")


def tshark(folder: Path, end: str, *options: str) -> list[str]:
    """The lines that tshark prints about the capture of a link's end."""
    (capture,) = (path for path in folder.iterdir() if end in path.name)
    command = ["tshark", "-n", *options, "-r", str(capture)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.splitlines()
