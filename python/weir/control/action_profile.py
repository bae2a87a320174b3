"""Action profiles and selectors of a running switch, with their members and groups."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from weir._core import GroupMember, Member
from weir.control.switch_object import SwitchObject
from weir.control.unlinked import warn_of_call
from weir.errors import ControlError, shown
from weir.program import ProfileInfo
from weir.program.values import as_list, bounded_number, name_of
from weir.text.suggest import listing

_MAX_UINT32 = (1 << 32) - 1


Members = Mapping[int, int] | Iterable[int | GroupMember]
"""The types that may describe a group's members: numbers, numbers with weights, or
:class:`GroupMember` objects."""


class ActionProfile(SwitchObject[ProfileInfo]):
    """An action profile, or an action selector, which also has groups.

    Returned by :meth:`Switch.action_profile`.

    A group's members are given as ``{member: weight}``, or as a list of members with equal shares;
    the list may contain :class:`weir.control.GroupMember`.

    Attributes:
        info: the profile as its program declares it.
    """

    __slots__ = ()

    def members(self) -> dict[int, Member]:
        """Returns the profile's members by number."""
        return self._switch._core.members(self.name)

    def groups(self) -> dict[int, dict[int, int]]:
        """Returns the selector's groups by number, each as its members with their weights."""
        groups = self._switch._core.groups(self.name)
        return {
            number: {weighted.member: weighted.weight for weighted in members}
            for number, members in groups.items()
        }

    def group(self, number: int) -> list[GroupMember]:
        """Returns the members of a group, with the ports that they watch.

        Raises:
            ControlError: there is no such group.
        """
        _number(number)
        groups = self._switch._core.groups(self.name)
        if number not in groups:
            listed = listing([str(group) for group in groups])
            raise ControlError(f"{self.name} has no group {shown(number)} (groups: {listed})")
        return groups[number]

    def add_member(
        self, action: str, params: Mapping[str, Any] | None = None, *, number: int | None = None
    ) -> int:
        """Adds a member.

        Args:
            action: the control-plane name of the member's action, or its last part.
            params: the action's parameters, by name.
            number: the member's number; by default, one more than the largest number.

        Returns:
            The number of the new member.

        Raises:
            ControlError: a name is unknown, a value is missing or does not fit, the number is
                taken, or the profile is full.
        """
        wish = None if number is None else _number(number)
        name = name_of("an action", action)
        member = self._switch._core.insert_member(self.name, wish, name, params or {})
        warn_of_call(self._switch, self.name, action, params, "member")
        return member

    def modify_member(self, member: int, action: str, params: Mapping[str, Any] | None = None) -> None:
        """Changes the action or parameters of a member, and so of all entries that use the
        member."""
        name = name_of("an action", action)
        self._switch._core.modify_member(self.name, _number(member), name, params or {})
        warn_of_call(self._switch, self.name, action, params, "member")

    def delete_member(self, member: int) -> None:
        """Removes a member that no group, entry or default uses.

        Raises:
            ControlError: the member does not exist, or is in use.
        """
        self._switch._core.delete_member(self.name, _number(member))

    def add_group(self, members: Members = (), *, number: int | None = None) -> int:
        """Adds a group of a selector.

        Args:
            members: the group's members, with weights if they differ.
            number: the number; by default, one more than the largest number.

        Returns:
            The number of the new group.

        Raises:
            ControlError: a member or a watched port does not exist, the number is taken, or this is
                not a selector.
        """
        wish = None if number is None else _number(number)
        return self._switch._core.insert_group(self.name, wish, _weighted_members(members))

    def modify_group(self, group: int, members: Members) -> None:
        """Replaces the members of a group.

        Flows of a remaining member stay with this member or move to a new member.
        """
        self._switch._core.modify_group(self.name, _number(group), _weighted_members(members))

    def delete_group(self, group: int) -> None:
        """Removes a group that no entry or default uses.

        Raises:
            ControlError: the group does not exist, or is in use.
        """
        self._switch._core.delete_group(self.name, _number(group))

    def __repr__(self) -> str:
        return f"<weir.control.ActionProfile {self.name} of {self._switch.name}>"


def _number(value: int) -> int:
    return bounded_number(value, "a member's or group's number", 0, _MAX_UINT32)


def _weighted_members(members: Members) -> list[GroupMember]:
    if isinstance(members, Mapping):
        return [GroupMember(member, weight) for member, weight in members.items()]
    return [one if isinstance(one, GroupMember) else GroupMember(one) for one in as_list("members", members)]
