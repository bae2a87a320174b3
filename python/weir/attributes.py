"""Attributes that an object does not have, or that cannot be set, told when somebody sets them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, TypeVar

from weir.errors import NetworkError, WeirError
from weir.suggest import listing, nearest

C = TypeVar("C", bound=type)


def attributes_told_as(error: type[WeirError]) -> Callable[[C], C]:
    """Has a class's objects, once they are made, refuse attributes they do not have with an error of this kind.

    ``link.bandwidth = "10Mbit"`` would else set nothing, and say nothing.
    """

    def describe(cls: C) -> C:
        make: Callable[..., None] = cls.__init__  # type: ignore[misc]

        @functools.wraps(make)
        def made(self: Any, *args: Any, **given: Any) -> None:
            make(self, *args, **given)
            self.__dict__["_made"] = True

        def refuse(self: Any, name: str, value: object) -> None:
            if "_made" in self.__dict__ and not name.startswith("_"):
                _check(self, name, error)
            object.__setattr__(self, name, value)

        cls.__init__ = made  # type: ignore[misc]
        cls.__setattr__ = refuse  # type: ignore[method-assign,assignment]
        return cls

    return describe


attributes_are_told = attributes_told_as(NetworkError)
"""The same as a :class:`NetworkError`."""


def _check(owner: object, name: str, error: type[WeirError]) -> None:
    cls = type(owner)
    if getattr(getattr(cls, name, None), "fset", None) is not None:
        return
    settable = [one for one in dir(cls) if getattr(getattr(cls, one), "fset", None) is not None]
    suggestion = nearest(name, settable)
    text = "" if suggestion or not settable else f" (there are: {listing(settable, 24)})"
    what = cls.__name__
    if hasattr(cls, name) or name in vars(owner):
        raise error(f"{what}: {name} cannot be set{text}", suggestion=suggestion)
    raise error(f'{what}: there is no "{name}" to set{text}', suggestion=suggestion)
