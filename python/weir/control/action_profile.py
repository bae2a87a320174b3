"""Action profiles and selectors of a running switch: members, and groups of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from weir import _core
from weir.control.switch_object import SwitchObject
from weir.control.unlinked import warn_of_call
from weir.errors import ControlError, shown
from weir.program import ProfileInfo
from weir.program.values import bounded, name_of, several
from weir.text.suggest import listing

_MAX_UINT32 = (1 << 32) - 1


@dataclass(frozen=True)
class Member:
    """A member of an action profile.

    Attributes:
        action: its action's control-plane name.
        params: the action's parameters, as text.
        users: how many groups, entries and defaults use it.
    """

    action: str
    params: Mapping[str, str]
    users: int = 0


@dataclass(frozen=True)
class GroupMember:
    """A member of a group, with its share.

    Attributes:
        member: the member's number.
        weight: its share of the flows relative to the others.
        watch_port: the port whose link must be up for the member to take part; None for always. If
            no member takes part, the table's default action from the program runs.
    """

    member: int
    weight: int = 1
    watch_port: int | None = None


Members = Mapping[int, int] | Iterable[int | GroupMember]
"""The members of a group: their numbers, with weights if they differ, or with all they have."""


class ActionProfile(SwitchObject[ProfileInfo]):
    """An action profile, or a selector, which also has groups.

    Returned by :meth:`Switch.action_profile`.

    A group's members are given as ``{member: weight}``, or as a list of members with equal shares;
    the list may contain :class:`weir.control.GroupMember`.

    Attributes:
        info: the profile as its program declares it.
    """

    __slots__ = ()

    def members(self) -> dict[int, Member]:
        """The profile's members by number."""
        rows, _ = self._switch._core.profile(self.name)
        return {number: Member(action, dict(params), users) for number, (action, params, *_), users in rows}

    def groups(self) -> dict[int, dict[int, int]]:
        """The selector's groups by number: the members of each, with their weights."""
        _, rows = self._switch._core.profile(self.name)
        return {number: {member: weight for member, weight, _ in members} for number, members, _ in rows}

    def group(self, number: int) -> list[GroupMember]:
        """The members of a group, with the ports that they watch.

        Raises:
            ControlError: there is no such group.
        """
        _number(number)
        _, rows = self._switch._core.profile(self.name)
        groups = {group: members for group, members, _ in rows}
        if number not in groups:
            known = listing([str(group) for group in groups])
            raise ControlError(f"{self.name} has no group {shown(number)} (groups: {known})")
        return [GroupMember(*row) for row in groups[number]]

    def add_member(
        self, action: str, params: Mapping[str, Any] | None = None, *, number: int | None = None
    ) -> int:
        """Adds a member.

        Args:
            action: its action's control-plane name, or the last part.
            params: the action's parameters, by name.
            number: its number; by default the first after all others.

        Returns:
            Its number.

        Raises:
            ControlError: a name is unknown, a value is missing or does not fit, the number is
                taken, or the profile is full.
        """
        wish = None if number is None else _number(number)
        name = name_of("an action", action)
        made = self._switch._core.insert_member(self.name, wish, name, params or {})
        warn_of_call(self._switch, self.name, action, params, "member")
        return made

    def modify_member(self, member: int, action: str, params: Mapping[str, Any] | None = None) -> None:
        """Gives a member, and so all entries that use it, another action or other parameters."""
        name = name_of("an action", action)
        self._switch._core.modify_member(self.name, _number(member), name, params or {})
        warn_of_call(self._switch, self.name, action, params, "member")

    def delete_member(self, member: int) -> None:
        """Removes a member that no group, entry or default uses.

        Raises:
            ControlError: the member does not exist, or something uses it.
        """
        self._switch._core.delete_member(self.name, _number(member))

    def add_group(self, members: Members = (), *, number: int | None = None) -> int:
        """Adds a group of a selector.

        Args:
            members: its members, with weights if they differ.
            number: its number; by default the first after all others.

        Returns:
            Its number.

        Raises:
            ControlError: a member or a watched port does not exist, the number is taken, or this is
                not a selector.
        """
        wish = None if number is None else _number(number)
        return self._switch._core.insert_group(self.name, wish, _member_rows(members))

    def modify_group(self, group: int, members: Members) -> None:
        """Replaces the members of a group.

        Flows of members that remain do not move, except to new members.
        """
        self._switch._core.modify_group(self.name, _number(group), _member_rows(members))

    def delete_group(self, group: int) -> None:
        """Removes a group that no entry or default uses.

        Raises:
            ControlError: the group does not exist, or something uses it.
        """
        self._switch._core.delete_group(self.name, _number(group))

    def __repr__(self) -> str:
        return f"<weir.control.ActionProfile {self.name} of {self._switch.name}>"


def _number(value: int) -> int:
    return bounded(value, "a member's or group's number", 0, _MAX_UINT32)


def _member_rows(members: Members) -> list[_core.GroupMemberRow]:
    if isinstance(members, Mapping):
        members = [GroupMember(member, weight) for member, weight in members.items()]
    given = [one if isinstance(one, GroupMember) else GroupMember(one) for one in several("members", members)]
    return [
        (
            _number(one.member),
            bounded(one.weight, "a weight", 1, _MAX_UINT32),
            None if one.watch_port is None else bounded(one.watch_port, "a port to watch", 0, _MAX_UINT32),
        )
        for one in given
    ]
