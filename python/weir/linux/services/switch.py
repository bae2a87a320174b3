"""A switch between the ports of its node: ``weir switch`` in a process of its own."""

from __future__ import annotations

from collections.abc import Sequence

from weir import _core


def serve(arguments: Sequence[str]) -> int:
    """Runs it until a signal ends it; returns its exit code."""
    return _core.run_switch(["weir switch", *arguments])
