"""Parser value sets of a running switch."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, TypeAlias

from weir import _core
from weir.control.match import Match, canonical, format_match, from_parts, read_match, to_parts
from weir.control.values import read_value
from weir.errors import ControlError
from weir.program import KeyInfo, ValueSetInfo

if TYPE_CHECKING:
    from weir.control.switch import Switch

Parts: TypeAlias = "list[_core.MatchParts]"


class ValueSet:
    """A parser value set. Got from :meth:`Switch.value_set`.

    A member says something of each field of the set, as an entry of a table does of each key; a value alone stands for itself:
    ``add(0x0800)``, ``add(6, "1..1024")``. Members are read back as text that goes in again.

    Attributes:
        info: the set as its program declares it.
    """

    def __init__(self, switch: Switch, info: ValueSetInfo) -> None:
        self._switch = switch
        self.info = info

    @property
    def name(self) -> str:
        """Its control-plane name."""
        return self.info.name

    def __len__(self) -> int:
        """How many members it has now."""
        return len(self._switch._core.value_set(self.name))

    def members(self) -> list[tuple[str, ...]]:
        """Its members, in the order in which they came."""
        return [
            tuple(
                format_match(from_parts(parts), field)
                for parts, field in zip(one, self.info.fields, strict=True)
            )
            for one in self._switch._core.value_set(self.name)
        ]

    def add(self, *values: Any) -> None:
        """Adds a member; one that is there already changes nothing.

        Raises:
            ControlError: a value does not fit its field, or the set is full.
        """
        self.add_parts(self.read(values))

    def add_parts(self, member: Parts) -> None:
        """Adds a member as the core takes it."""
        self.change([*self._now(), member])

    def remove(self, *values: Any) -> None:
        """Takes a member away.

        Raises:
            ControlError: there is none that says this.
        """
        if not self.remove_parts(self.read(values)):
            raise ControlError(f"{self.name} has no such member")

    def remove_parts(self, member: Parts) -> bool:
        """Takes a member away, as the core takes it; whether it was there."""
        wanted, there = self._canonical(member), self._now()
        left = [one for one in there if self._canonical(one) != wanted]
        self.change(left)
        return len(left) < len(there)

    def clear(self) -> None:
        """Takes all members away."""
        self.change([])

    def set(self, members: Iterable[Any]) -> None:
        """Sets all members at once; each a tuple or list, or a value alone if the set has one field."""
        self.change([self.read(one if isinstance(one, (tuple, list)) else (one,)) for one in members])

    def change(self, members: list[Parts]) -> None:
        """Sets all members, as the core takes them."""
        self._switch.write([_core.Update.set_value_set(self.name, members)])

    def read(self, values: Iterable[Any]) -> Parts:
        """A member as the core takes it."""
        given, fields = list(values), self.info.fields
        if len(given) == 1 and isinstance(given[0], (tuple, list)) and len(fields) > 1:
            given = list(given[0])
        if len(given) != len(fields):
            wanted = ", ".join(f"{field.name} ({field.match_kind}, {field.width} bits)" for field in fields)
            raise ControlError(
                f"a member of {self.name} takes {len(fields)} values: {wanted}; found {len(given)}"
            )
        pairs = zip(given, fields, strict=True)
        return [to_parts(_read(value, field), field) for value, field in pairs]

    def _canonical(self, member: Parts) -> list[Match]:
        return [
            canonical(from_parts(parts), field) for parts, field in zip(member, self.info.fields, strict=True)
        ]

    def _now(self) -> list[Parts]:
        return self._switch._core.value_set(self.name)

    def __repr__(self) -> str:
        return f"<weir.control.ValueSet {self.name} of {self._switch.name}>"


def _read(value: Any, field: KeyInfo) -> Match:
    """What a member says of a field: as an entry of a key, but that a value alone stands for itself whatever the field's kind."""
    pair = isinstance(value, (tuple, list)) or (
        isinstance(value, str) and (value == "*" or any(mark in value for mark in ("/", "&&&", "..")))
    )
    try:
        return read_match(value, field) if pair else ("exact", read_value(value, field.width), 0)
    except ControlError as error:
        raise ControlError(f"field {field.name}: {error.message}", suggestion=error.suggestion) from None
