"""Hostile input for Weir: seeded generators, and a runner with bounds on time and memory.

CONTRIBUTING.md describes it.
"""

import sys
from pathlib import Path

# Helpers of tests of telemetry, which the classes use, too.
sys.path.append(str(Path(__file__).parents[1] / "telemetry"))
