"""The experiment "mechanisms": seven ways to do the same work, implemented in ``mechanisms.c``."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import weir
from weir.errors import NetworkError
from weir.lab import one_of, within

from ..switches.compiled import write_program
from ..switches.kind import MissingSwitch

SOURCE: Final = Path(__file__).with_name("mechanisms.c")

PAIRS: Final[Mapping[str, tuple[str, str]]] = {
    "threads": ("completion", "batches"),
    "handovers": ("batches", "pipeline"),
    "tables": ("snapshot", "locked"),
    "memory": ("pool", "allocation"),
}
"""For each mechanism, the way that is expected to be faster, and a way that differs in one
property."""

WAYS: Final = tuple(dict.fromkeys(way for pair in PAIRS.values() for way in pair))

MILLISECONDS: Final = range(10, 600_001)
"""The lengths of a measurement in milliseconds."""

UPDATES_PER_S: Final = range(10_000_001)
"""The numbers of table updates per second."""


@weir.experiment(way=list(WAYS), updates_per_s=[10000], milliseconds=[500], seeds=3)
def mechanisms(way: str, updates_per_s: int, milliseconds: int, seed: int) -> Mapping[str, Any]:
    """How much processor time do threads, locks and pools cost per packet, without the kernel?

    Only the ways with tables support updates.
    """
    one_of("way", way, *WAYS)
    within("milliseconds", milliseconds, MILLISECONDS)
    within("updates_per_s", updates_per_s, UPDATES_PER_S)
    with tempfile.TemporaryDirectory(prefix="weir-mechanisms-") as name:
        try:
            program = write_program(SOURCE, Path(name))
        except MissingSwitch as missing:
            return {"available": False, "missing": str(missing)}
        words = [str(program), way, str(milliseconds), str(updates_per_s)]
        process = subprocess.run(words, capture_output=True, text=True, timeout=60 + milliseconds / 100)
    if process.returncode:
        raise NetworkError(f"{' '.join(words)}: {process.stderr.strip()}")
    packets, clock_ns, busy_ns, switches, updates, rss_kb, growth_kb, _ = map(int, process.stdout.split())
    has_tables, has_memory = way in PAIRS["tables"], way in PAIRS["memory"]
    return {
        "available": True,
        "missing": None,
        "million_per_s": 1e3 * packets / clock_ns,
        "ns_per_packet": busy_ns / packets,
        "switches_per_million": 1e6 * switches / packets,
        "updates_made_per_s": 1e9 * updates / clock_ns if has_tables else None,
        "rss_kb": rss_kb if has_memory else None,
        "rss_growth_kb": growth_kb if has_memory else None,
    }
