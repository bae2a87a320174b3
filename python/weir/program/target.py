"""The other switches with which a program can be checked."""

from __future__ import annotations

from weir import _core
from weir.errors import NetworkError
from weir.text.suggest import nearest

TARGETS = tuple(_core.targets())
"""Their names: ``bmv2`` stands for ``p4c-bm2-ss`` and ``simple_switch``."""


def known_target(target: str) -> str:
    """The target's name, if there is one of that name.

    Raises:
        NetworkError: there is no target of that name.
    """
    if target not in TARGETS:
        raise NetworkError(
            f'there is no target "{target}": expected {" or ".join(TARGETS)}',
            suggestion=nearest(target, TARGETS),
        )
    return target
