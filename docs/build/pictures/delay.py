"""The picture of the front page and of docs/labs/delay.md: round trips of the delay lab."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path


def draw(folder: Path) -> list[Path]:
    """Runs the lab's experiment with small sizes, which give the same picture as full ones."""
    out = folder / "delay-lab"
    command = ["lab", "run", "delay", "--only", "rtt", "--quick", "--quiet", "--fresh", "--out", str(out)]
    subprocess.run([sys.executable, "-m", "weir", *command], check=True, stdout=subprocess.DEVNULL)
    return [Path(shutil.copy(out / "plots" / "rtt-rates.svg", folder / "delay-rtt.svg"))]
