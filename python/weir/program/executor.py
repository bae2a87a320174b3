"""The executors that can run a program."""

from __future__ import annotations

from weir.errors import NetworkError
from weir.text.suggest import nearest

EXECUTORS = ("native", "interp")
"""The executors of a program: machine code compiled from it, or the reference interpreter."""


def known_executor(executor: str) -> str:
    """The executor's name, if there is one of that name.

    Raises:
        NetworkError: there is no executor of that name.
    """
    if executor not in EXECUTORS:
        raise NetworkError(
            f'there is no executor "{executor}": expected {" or ".join(EXECUTORS)}',
            suggestion=nearest(executor, EXECUTORS),
        )
    return executor
