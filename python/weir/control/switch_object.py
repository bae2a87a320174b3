"""The common base of the objects of a running switch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

if TYPE_CHECKING:
    from weir.control.owner import Owner


class NamedDeclaration(Protocol):
    """An object that a program declares under a control-plane name."""

    @property
    def name(self) -> str:
        """The control-plane name of the object."""


Info = TypeVar("Info", bound=NamedDeclaration)


class SwitchObject(Generic[Info]):
    """A table, counter or other object of a switch.

    Attributes:
        info: the object as its program declares it.
    """

    __slots__ = ("_switch", "info")

    def __init__(self, switch: Owner, info: Info) -> None:
        self._switch = switch
        self.info = info

    @property
    def name(self) -> str:
        """The control-plane name of the object."""
        return self.info.name
