"""For each method that starts traffic, one that also waits until the traffic has finished."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec, TypeVar

from weir.flows import Flow

S = TypeVar("S")
R = TypeVar("R")
P = ParamSpec("P")


def blocking(start: Callable[Concatenate[S, P], Flow[R]]) -> Callable[Concatenate[S, P], R]:
    """A method like ``start`` that runs the network until the flow ends and returns its result."""

    def wait(self: S, /, *args: P.args, **kwargs: P.kwargs) -> R:
        return finish(start(self, *args, **kwargs))

    describe(wait, start)
    return wait


def finish(flow: Flow[R]) -> R:
    """Waits for a flow; stops it if waiting ends early, because nothing else refers to the flow."""
    try:
        return flow.wait()
    except BaseException:
        flow.stop()
        raise


def describe(wait: Callable[..., Any], start: Callable[..., Any]) -> None:
    """Gives ``wait`` the name, signature and documentation for :func:`help` and editors.

    They are derived from those of ``start``.
    """
    functools.update_wrapper(wait, start)
    signature = inspect.signature(start).replace(return_annotation=inspect.Signature.empty)
    wait.__dict__["__signature__"] = signature
    wait.__name__ = wait.__qualname__ = start.__name__.removeprefix("start_")
    summary, _, rest = (start.__doc__ or "").partition("\n")
    wait.__doc__ = f"{summary} Runs the network until the traffic has finished; ``{start.__name__}`` only starts it.\n{rest}"
