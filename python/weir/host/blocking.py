"""Turns methods that start traffic into methods that wait until it has finished."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec, TypeVar

from weir.flows import Flow

_STARTING = re.compile(r"[\w.]*start_\w+\(\)")

S = TypeVar("S")
R = TypeVar("R")
P = ParamSpec("P")


def blocking(start: Callable[Concatenate[S, P], Flow[R]]) -> Callable[Concatenate[S, P], R]:
    """Returns a method that calls ``start``, waits until the flow ends, and returns its result."""

    def wait(self: S, /, *args: P.args, **kwargs: P.kwargs) -> R:
        return finish(begin(start, self, *args, **kwargs))

    describe(wait, start)
    return wait


def begin(start: Callable[..., R], owner: object, *args: Any, **kwargs: Any) -> R:
    """Calls ``start``. Errors about arguments name the method that waits, instead of ``start``."""
    try:
        return start(owner, *args, **kwargs)
    except TypeError as error:
        if error.__traceback__ is None or error.__traceback__.tb_next is not None:
            raise
        # The arguments of the call are wrong, and Python's message names `start` instead of the
        # method that waits.
        name = f"{type(owner).__name__}.{start.__name__.removeprefix('start_')}()"
        raise TypeError(_STARTING.sub(name, str(error), count=1)) from None


def finish(flow: Flow[R]) -> R:
    """Waits for a flow and returns its result.

    If waiting ends early, the flow is stopped, because the user has no object with which to stop
    it.
    """
    try:
        return flow.wait()
    except BaseException:
        flow.stop()
        raise


def describe(wait: Callable[..., Any], start: Callable[..., Any]) -> None:
    """Gives ``wait`` a name, a signature and a docstring, derived from those of ``start``."""
    functools.update_wrapper(wait, start)
    signature = inspect.signature(start).replace(return_annotation=inspect.Signature.empty)
    wait.__dict__["__signature__"] = signature
    wait.__name__ = wait.__qualname__ = start.__name__.removeprefix("start_")
    summary, _, rest = (start.__doc__ or "").partition("\n")
    wait.__doc__ = f"{summary} Runs the network until the traffic has finished; ``{start.__name__}`` only starts it.\n{rest}"
