"""Finds the most similar right name for a wrong one."""

from __future__ import annotations

from collections.abc import Iterable

from weir import _core


def nearest(name: str, known: Iterable[str], *, dotted: bool = False, enough: float = 0.6) -> str | None:
    """Returns the name in ``known`` most similar to ``name``; ``None`` if no name is similar
    enough.

    The case of letters is ignored.

    Args:
        name: the wrong name.
        known: the right names.
        enough: the least similarity of names of four letters and more, from 0 to 1.
        dotted: whether the last part of a name such as ``MyIngress.drop`` may stand for the whole.
    """
    texts = [candidate for candidate in known if is_text(candidate)]
    return _core.nearest(name if is_text(name) else ascii(name), texts, dotted=dotted, enough=enough)


def is_text(name: str) -> bool:
    """Returns whether a string can be written as UTF-8.

    A file's name may have other bytes, which Python represents by surrogates.
    """
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def listing(names: Iterable[str], most: int = 8) -> str:
    """Lists names for a message: all names, or the first ``most`` names and the number of the
    others."""
    names = list(names)
    if not names:
        return "none"
    first_names = ", ".join(names[:most])
    return f"{first_names} and {len(names) - most} more" if len(names) > most else first_names
