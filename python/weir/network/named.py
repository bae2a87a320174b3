"""Lists whose members can also be found by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Protocol, SupportsIndex, TypeVar, overload


class HasName(Protocol):
    """An object with a name."""

    @property
    def name(self) -> str:
        """The name of the object."""


T = TypeVar("T", bound=HasName)
D = TypeVar("D")


class NamedList(list[T]):
    """A list of hosts or switches: ``net.hosts[0]`` and ``net.hosts["h1"]`` are the same host.

    Args:
        members: the members in order.
        find: a function that returns the member with a name, or raises an error that suggests the
            nearest name.
    """

    def __init__(self, members: Iterable[T], find: Callable[[str], T]) -> None:
        super().__init__(members)
        self._find = find

    @overload
    def __getitem__(self, place: SupportsIndex) -> T: ...
    @overload
    def __getitem__(self, place: slice) -> list[T]: ...
    @overload
    def __getitem__(self, place: str) -> T: ...
    def __getitem__(self, place: Any) -> Any:
        return self._find(place) if isinstance(place, str) else super().__getitem__(place)

    def __contains__(self, member: object) -> bool:
        return (
            any(other.name == member for other in self)
            if isinstance(member, str)
            else super().__contains__(member)
        )

    @overload
    def get(self, name: str) -> T | None: ...
    @overload
    def get(self, name: str, default: D) -> T | D: ...
    def get(self, name: str, default: D | None = None) -> T | D | None:
        """Finds the member with this name; returns ``default`` if there is none."""
        return next((member for member in self if member.name == name), default)

    def keys(self) -> list[str]:
        """Returns the names of the members, in order."""
        return [member.name for member in self]

    def values(self) -> list[T]:
        """Returns the members, in order."""
        return list(self)

    def items(self) -> list[tuple[str, T]]:
        """Returns pairs of the name and the member, in order."""
        return [(member.name, member) for member in self]
