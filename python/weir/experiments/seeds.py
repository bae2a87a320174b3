"""Seeds of runs, derived from one master seed."""

from __future__ import annotations

import hashlib


def run_seed(master: int, repetition: int) -> int:
    """The seed of a repetition, 0 to 2**63 - 1.

    It depends on the master seed and the repetition only: runs with different parameters have the
    same randomness, so that their results can be compared in pairs (common random numbers).
    """
    digest = hashlib.sha256(f"weir experiment {master} {repetition}".encode()).digest()
    return int.from_bytes(digest[:8], "big") >> 1
