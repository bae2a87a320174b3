"""Keeps the outputs of a compiler from each other, and from the program that it reads."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from weir.dropin.options import UsageError


def check_outputs(outputs: Iterable[tuple[str, str]], sources: Iterable[str]) -> None:
    """Refuses two options that name the same file, and an output that is a file of the program.

    Args:
        outputs: each option with the name of a file that it writes; devices are allowed.
        sources: the program's file, and the files that it includes.

    Raises:
        UsageError: a file would be overwritten.
    """
    claimed = {Path(source).resolve(): "the program" for source in sources}
    for option, name in outputs:
        path = Path(name).resolve()
        if path.exists() and not path.is_file():
            continue
        if (other := claimed.setdefault(path, option)) != option:
            raise UsageError(f"{other} and {option} both name {name}: each needs its own file")
