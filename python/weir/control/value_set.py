"""Parser value sets of a running switch."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from weir.control.switch_object import SwitchObject
from weir.errors import ControlError
from weir.program import ValueSetInfo
from weir.program.values import as_list


class ValueSet(SwitchObject[ValueSetInfo]):
    """A parser value set. Returned by :meth:`Switch.value_set`.

    A member has a match for each field of the set, like a table entry for each key. A value such
    as ``0x0800`` matches exactly, whatever the match kind of the field. Text such as ``"1..1024"``
    is a range, as in ``add(6, "1..1024")``. Members are read as text in
    the form that :meth:`add` accepts.

    Attributes:
        info: the set as its program declares it.
    """

    __slots__ = ()

    def __len__(self) -> int:
        """Returns the number of members."""
        return len(self._switch._core.value_set(self.name))

    def members(self) -> list[tuple[str, ...]]:
        """Returns the members, in the order of insertion."""
        return [tuple(member) for member in self._switch._core.value_set(self.name)]

    def add(self, *values: Any) -> None:
        """Adds a member if the set does not contain it yet.

        Raises:
            ControlError: a value does not fit its field, or the set is full.
        """
        self._switch._core.add_to_value_set(self.name, values)

    def remove(self, *values: Any) -> None:
        """Removes a member.

        Raises:
            ControlError: the set has no such member.
        """
        if not self._switch._core.remove_from_value_set(self.name, values):
            raise ControlError(f"{self.name} has no such member")

    def clear(self) -> None:
        """Removes all members."""
        self._switch._core.set_value_set(self.name, [])

    def set(self, members: Iterable[Any]) -> None:
        """Replaces all members at once.

        Each member is a tuple or list, or a single value if the set has one field.

        Raises:
            ControlError: a value does not fit its field, two members are the same, or the set is
                full.
        """
        self._switch._core.set_value_set(self.name, as_list("members", members))

    def __repr__(self) -> str:
        return f"<weir.control.ValueSet {self.name} of {self._switch.name}>"
