"""Keywords that a method does not have, told with the nearest that it has."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from weir.errors import NetworkError, WeirError
from weir.suggest import listing, nearest

C = TypeVar("C", bound=type)


def keywords_told_as(error: type[WeirError]) -> Callable[[C], C]:
    """Has a class's own public methods, and its constructor, refuse keywords they do not have with an error of this kind.

    Whatever else is wrong with a call stays the TypeError it is. What methods are, to people and type checkers, does not change.
    """

    def describe(cls: C) -> C:
        for name, member in list(vars(cls).items()):
            if name.startswith("_") and name != "__init__":
                continue
            if inspect.isfunction(member):
                setattr(cls, name, _checked(member, error))
            elif isinstance(member, classmethod):
                setattr(cls, name, classmethod(_checked(member.__func__, error)))
        return cls

    return describe


keywords_are_told = keywords_told_as(NetworkError)
"""The same as a :class:`NetworkError`."""


def _checked(method: Callable[..., Any], error: type[WeirError]) -> Callable[..., Any]:
    @functools.wraps(method)
    def call(*args: Any, **given: Any) -> Any:
        if given:
            _check(method, given, error)
        return method(*args, **given)

    return call


def _check(method: Callable[..., Any], given: Iterable[str], error: type[WeirError]) -> None:
    known = _keywords(method)
    for name in given:
        if name not in known:
            what = method.__qualname__.split(".")[-2] if method.__name__ == "__init__" else method.__name__
            suggestion = nearest(name, known)
            text = "" if suggestion else f" (there are: {listing(known, 24)})"
            raise error(f'{what}: there is no option "{name}"{text}', suggestion=suggestion)


@functools.cache
def _keywords(method: Callable[..., Any]) -> tuple[str, ...]:
    """What a method can be given by name, in its order; of ``**options: Unpack[…]`` what the type has."""
    names: list[str] = []
    for name, parameter in inspect.signature(method).parameters.items():
        if parameter.kind is parameter.VAR_KEYWORD:
            of = str(parameter.annotation).removeprefix("Unpack[").removesuffix("]")
            names += inspect.unwrap(method).__globals__[of].__annotations__
        elif name != "self" and parameter.kind in (parameter.POSITIONAL_OR_KEYWORD, parameter.KEYWORD_ONLY):
            names.append(name)
    return tuple(names)
