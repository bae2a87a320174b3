"""The nearest right name to a wrong one."""

from __future__ import annotations

from collections.abc import Iterable


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The name of ``known`` that ``name`` most likely stands for; None if nothing is near.

    Letters' case does not count, and the last part of a dotted name stands for the whole.
    """
    from difflib import SequenceMatcher

    def likeness(candidate: str) -> float:
        whole = SequenceMatcher(None, name.lower(), candidate.lower()).ratio()
        tail = SequenceMatcher(
            None, name.lower().rpartition(".")[2], candidate.lower().rpartition(".")[2]
        ).ratio()
        return max(whole, tail - 0.05)

    ranked = sorted(((likeness(candidate), candidate) for candidate in known), key=lambda r: (-r[0], r[1]))
    if ranked and ranked[0][0] >= 0.5:
        return ranked[0][1]
    return None


def listing(names: Iterable[str], most: int = 8) -> str:
    """Names for a message: all of them, or the first ``most`` and how many more there are; ``none`` if there are none."""
    names = list(names)
    if not names:
        return "none"
    shown = ", ".join(names[:most])
    return f"{shown} and {len(names) - most} more" if len(names) > most else shown
