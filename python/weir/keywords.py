"""Keywords that a method does not have, told with the nearest that it has."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from weir.errors import NetworkError
from weir.suggest import listing, nearest

C = TypeVar("C", bound=type)


def keywords_are_told(cls: C) -> C:
    """Has a class's own public methods, and its constructor, refuse keywords they do not have with a :class:`NetworkError`.

    Whatever else is wrong with a call stays the TypeError it is. What methods are, to people and type checkers, does not change.
    """
    for name, member in list(vars(cls).items()):
        if name.startswith("_") and name != "__init__":
            continue
        if inspect.isfunction(member):
            setattr(cls, name, _checked(member))
        elif isinstance(member, classmethod):
            setattr(cls, name, classmethod(_checked(member.__func__)))
    return cls


def _checked(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def call(*args: Any, **given: Any) -> Any:
        if given:
            check_keywords(method, given)
        return method(*args, **given)

    return call


def check_keywords(method: Callable[..., Any], given: Iterable[str]) -> None:
    """Refuses keywords that a method does not have.

    Raises:
        NetworkError: there is one.
    """
    known = _keywords(method)
    for name in given:
        if name not in known:
            what = method.__qualname__.split(".")[-2] if method.__name__ == "__init__" else method.__name__
            suggestion = nearest(name, known)
            text = "" if suggestion else f" (there are: {listing(known, 24)})"
            raise NetworkError(f'{what}: there is no option "{name}"{text}', suggestion=suggestion)


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
