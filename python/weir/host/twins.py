"""Methods that start traffic, and their twins that wait for its result."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Concatenate, ParamSpec, TypeVar

from weir.flows import Flow

S = TypeVar("S")
R = TypeVar("R")
P = ParamSpec("P")
Q = ParamSpec("Q")
T = TypeVar("T")


def waiting(start: Callable[Concatenate[S, P], Flow[R]]) -> Callable[Concatenate[S, P], R]:
    """The twin of a method that starts traffic: it lets the network's time pass until that has finished, and returns its result."""

    @twin_of(start)
    def wait(self: S, /, *args: P.args, **kwargs: P.kwargs) -> R:
        return finish(start(self, *args, **kwargs))

    return wait


def finish(flow: Flow[R]) -> R:
    """Waits for traffic that nobody else can end."""
    try:
        return flow.wait()
    except BaseException:
        flow.stop()
        raise


def twin_of(start: Callable[..., object]) -> Callable[[Callable[Q, T]], Callable[Q, T]]:
    """Describes a method as what it is: one that takes what ``start`` takes and waits."""

    def describe(wait: Callable[Q, T]) -> Callable[Q, T]:
        functools.update_wrapper(wait, start)
        signature = inspect.signature(start).replace(return_annotation=inspect.Signature.empty)
        wait.__dict__["__signature__"] = signature
        wait.__name__ = start.__name__.removeprefix("start_")
        wait.__qualname__ = f"Host.{wait.__name__}"
        head, _, rest = (start.__doc__ or "").partition("\n")
        wait.__doc__ = (
            f"{head} Runs the network until that has finished; ``{start.__name__}`` only starts it.\n{rest}"
        )
        return wait

    return describe
