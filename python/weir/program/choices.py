"""The executors that can run a program, and the other switches for which it can be checked."""

from __future__ import annotations

from collections.abc import Sequence

from weir import _core
from weir.errors import NetworkError
from weir.text.suggest import nearest

EXECUTORS = ("native", "interp")
"""The executors of a program: machine code compiled from it, or the reference interpreter."""

TARGETS = tuple(_core.targets())
"""The names of other switches for which a program can be checked: ``bmv2`` stands for
``p4c-bm2-ss`` and ``simple_switch``."""


def known_executor(executor: str) -> str:
    """Checks the name of an executor, and returns it.

    Raises:
        NetworkError: there is no executor of that name.
    """
    return _known_name("executor", executor, EXECUTORS)


def known_target(target: str) -> str:
    """Checks the name of a target, and returns it.

    Raises:
        NetworkError: there is no target of that name.
    """
    return _known_name("target", target, TARGETS)


def _known_name(kind: str, name: str, names: Sequence[str]) -> str:
    if name not in names:
        raise NetworkError(
            f'there is no {kind} "{name}": expected {" or ".join(names)}', suggestion=nearest(name, names)
        )
    return name
