"""A switch at an interface that does not exist says so, and ends."""

import subprocess
import sys
from pathlib import Path

program = str(Path(__file__).parent / "ports.p4")
command = [sys.executable, "-m", "weir", "switch", program, "-i", "1@no-such"]
ended = subprocess.run(command, capture_output=True, text=True, timeout=60)
assert ended.returncode == 1
print(ended.stderr)
