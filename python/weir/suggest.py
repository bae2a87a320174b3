"""The nearest right name to a wrong one."""

from __future__ import annotations

from collections.abc import Iterable


def nearest(name: str, known: Iterable[str], *, dotted: bool = False, enough: float = 0.6) -> str | None:
    """The name of ``known`` that ``name`` most likely stands for; None if nothing is near. Letters' case does not count.

    Args:
        name: the wrong name.
        known: the right ones.
        enough: the least likeness of names of four letters and more, from 0 to 1.
        dotted: whether the last part of a name such as ``MyIngress.drop`` may stand for the whole.
    """
    from difflib import SequenceMatcher

    def ratio(a: str, b: str) -> float:
        return SequenceMatcher(None, a.lower(), b.lower()).ratio()

    def likeness(candidate: str) -> float:
        contained = len(name) >= 3 and name.lower() in candidate.lower()
        whole = max(ratio(name, candidate), 0.6 if contained else 0)
        if not dotted:
            return whole
        # Slightly less, so that of two names with the same end the one with the right beginning comes first.
        return max(whole, ratio(name.rpartition(".")[2], candidate.rpartition(".")[2]) - 0.05)

    ranked = sorted(((likeness(candidate), candidate) for candidate in known), key=lambda r: (-r[0], r[1]))
    # h9 for h1 is one letter wrong and yet half of the name.
    enough = 0.5 if len(name) <= 3 else enough
    return ranked[0][1] if ranked and ranked[0][0] >= enough else None


def listing(names: Iterable[str], most: int = 8) -> str:
    """Names for a message: all of them, or the first ``most`` and how many more there are; ``none`` if there are none."""
    names = list(names)
    if not names:
        return "none"
    shown = ", ".join(names[:most])
    return f"{shown} and {len(names) - most} more" if len(names) > most else shown
