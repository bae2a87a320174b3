"""The calls of the service ``standard`` on tables and action profiles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from weir import _core as core
from weir.bmv2.failing import CallRefusedError
from weir.bmv2.idl import services
from weir.bmv2.values import (
    MAX_INT32,
    counts_in,
    find_action,
    match_out,
    matches_in,
    params_in,
    params_out,
    priority_in,
)
from weir.control.switch import Switch
from weir.errors import ControlError
from weir.program import ActionInfo, ProfileInfo, TableInfo


class Tables:
    """The calls on tables and action profiles."""

    def __init__(self, switch: Switch) -> None:
        self._switch = switch

    @property
    def _core(self) -> core.Switch:
        return self._switch._core

    def _table(self, name: str) -> TableInfo:
        try:
            return self._switch.table(name).info
        except ControlError as error:
            raise CallRefusedError("INVALID_TABLE_NAME", str(error)) from None

    def _profile(self, name: str) -> ProfileInfo:
        try:
            return self._switch.action_profile(name).info
        except ControlError as error:
            raise CallRefusedError("INVALID_ACTION_PROFILE_NAME", str(error)) from None

    # Entries

    def bm_mt_get_num_entries(self, _: int, table: str) -> int:
        return self._core.table_state(self._table(table).name)[0]

    def bm_mt_clear_entries(self, _: int, table: str, reset_default: bool) -> None:
        info = self._table(table)
        self._core.clear(info.name)
        if reset_default:
            self._core.reset_default(info.name)

    def bm_mt_add_entry(
        self, _: int, table: str, matches: Sequence[Any], action: str, data: Sequence[bytes], options: Any
    ) -> int:
        return self._insert(table, matches, options, self._action(self._table(table), action, data))

    def bm_mt_indirect_add_entry(
        self, _: int, table: str, matches: Sequence[Any], member: int, options: Any
    ) -> int:
        return self._insert(table, matches, options, core.Target.member(_handle(member)))

    def bm_mt_indirect_ws_add_entry(
        self, _: int, table: str, matches: Sequence[Any], group: int, options: Any
    ) -> int:
        return self._insert(table, matches, options, core.Target.group(_handle(group)))

    def _insert(self, table: str, matches: Sequence[Any], options: Any, target: core.Target) -> int:
        info = self._table(table)
        matches_by_key, priority = matches_in(info, matches), priority_in(info, options)
        return self._core.insert(info.name, matches_by_key, target, priority, None)

    def _action(self, table: TableInfo, action: str, data: Sequence[bytes]) -> core.Target:
        declared = find_action(table.actions, action, f"table {table.name}")
        return core.Target.action(declared.name, params_in(declared, data))

    def bm_mt_modify_entry(self, _: int, table: str, handle: int, action: str, data: Sequence[bytes]) -> None:
        info = self._table(table)
        self._core.modify(info.name, _handle(handle), self._action(info, action, data))

    def bm_mt_indirect_modify_entry(self, _: int, table: str, handle: int, member: int) -> None:
        self._core.modify(self._table(table).name, _handle(handle), core.Target.member(_handle(member)))

    def bm_mt_indirect_ws_modify_entry(self, _: int, table: str, handle: int, group: int) -> None:
        self._core.modify(self._table(table).name, _handle(handle), core.Target.group(_handle(group)))

    def bm_mt_delete_entry(self, _: int, table: str, handle: int) -> None:
        self._core.delete(self._table(table).name, _handle(handle))

    bm_mt_indirect_delete_entry = bm_mt_delete_entry

    def bm_mt_set_entry_ttl(self, _: int, table: str, handle: int, timeout_ms: int) -> None:
        info = self._table(table)
        if not info.support_timeout:
            raise CallRefusedError("AGEING_DISABLED", f"table {info.name} has no `support_timeout = true`")
        timeout = timeout_ms * 1_000_000 if timeout_ms > 0 else None
        self._core.set_idle_timeout(info.name, _handle(handle), timeout)

    bm_mt_indirect_set_entry_ttl = bm_mt_set_entry_ttl

    def bm_mt_set_default_action(self, _: int, table: str, action: str, data: Sequence[bytes]) -> None:
        info = self._table(table)
        self._core.set_default(info.name, self._action(info, action, data))

    def bm_mt_indirect_set_default_member(self, _: int, table: str, member: int) -> None:
        self._core.set_default(self._table(table).name, core.Target.member(_handle(member)))

    def bm_mt_indirect_ws_set_default_group(self, _: int, table: str, group: int) -> None:
        self._core.set_default(self._table(table).name, core.Target.group(_handle(group)))

    def bm_mt_reset_default_entry(self, _: int, table: str) -> None:
        self._core.reset_default(self._table(table).name)

    bm_mt_indirect_reset_default_entry = bm_mt_reset_default_entry

    def bm_mt_get_entries(self, _: int, table: str) -> list[Any]:
        info = self._table(table)
        now = self._core.now()
        return [self._entry(info, entry, now) for entry in self._core.entries(info.name)]

    def bm_mt_get_entry(self, _: int, table: str, handle: int) -> Any:
        info = self._table(table)
        return self._entry(info, self._core.entry(info.name, _handle(handle)), self._core.now())

    def bm_mt_get_entry_from_key(self, _: int, table: str, matches: Sequence[Any], options: Any) -> Any:
        info = self._table(table)
        key = matches_in(info, matches), priority_in(info, options)
        return self._entry(info, self._core.entry(info.name, key), self._core.now())

    def bm_mt_get_default_entry(self, _: int, table: str) -> Any:
        info = self._table(table)
        return self._target(info, self._core.default_action(info.name))

    def _entry(self, table: TableInfo, entry: core.Entry, now: int) -> Any:
        types = services()
        priority = -1 if entry.priority is None else MAX_INT32 - entry.priority
        life = None
        if table.support_timeout:
            idle = min((now - (entry.last_hit or 0)) // 1_000_000, MAX_INT32)
            timeout = min((entry.idle_timeout or 0) // 1_000_000, MAX_INT32)
            life = types.EntryLife(timeout_ms=timeout, time_since_hit_ms=idle)
        return types.Entry(
            match_key=[match_out(key, entry.matches[key.name]) for key in table.keys],
            options=types.EntryOptions(priority=priority),
            entry_handle=entry.handle,
            action_entry=self._target(table, entry.target),
            life=life,
        )

    def _target(self, table: TableInfo, target: core.EntryTarget) -> Any:
        types = services()
        if target.kind == "member":
            return types.Target(action_type=types.TargetType.MBR_HANDLE, mbr_handle=target.number)
        if target.kind == "group":
            return types.Target(action_type=types.TargetType.GRP_HANDLE, grp_handle=target.number)
        if not target.actions:
            return types.Target(action_type=types.TargetType.NONE)
        # A P4Runtime entry may have several actions; BMv2's services support only one.
        action = target.actions[0]
        return types.Target(
            action_type=types.TargetType.ACTION_DATA,
            action_name=action.name,
            action_data=params_out(table.actions, action.name, action.params),
        )

    # Direct counters and meters

    def _direct(self, table: str, kind: str) -> str:
        info = self._table(table)
        direct = info.direct_counter if kind == "counter" else info.direct_meter
        if direct is None:
            raise CallRefusedError(f"{kind.upper()}S_DISABLED", f"table {info.name} has no direct {kind}")
        return direct[0]

    def bm_mt_read_counter(self, _: int, table: str, handle: int) -> Any:
        packets, size = self._core.counter(self._direct(table, "counter"), _handle(handle))
        return services().Count(bytes=size, packets=packets)

    def bm_mt_reset_counters(self, _: int, table: str) -> None:
        self._core.reset_counter(self._direct(table, "counter"))

    def bm_mt_write_counter(self, _: int, table: str, handle: int, value: Any) -> None:
        name = self._direct(table, "counter")
        self._core.write_counter(name, _handle(handle), *counts_in(value))

    # Action profiles

    def _actions(self, profile: ProfileInfo) -> list[ActionInfo]:
        tables = self._switch.program.tables
        return [action for table in profile.tables for action in tables[table].actions]

    def bm_mt_act_prof_add_member(self, _: int, profile: str, action: str, data: Sequence[bytes]) -> int:
        info = self._profile(profile)
        declared = find_action(self._actions(info), action, f"action profile {info.name}")
        return self._core.insert_member(info.name, None, declared.name, params_in(declared, data))

    def bm_mt_act_prof_modify_member(
        self, _: int, profile: str, member: int, action: str, data: Sequence[bytes]
    ) -> None:
        info = self._profile(profile)
        declared = find_action(self._actions(info), action, f"action profile {info.name}")
        self._core.modify_member(info.name, _handle(member), declared.name, params_in(declared, data))

    def bm_mt_act_prof_delete_member(self, _: int, profile: str, member: int) -> None:
        self._core.delete_member(self._profile(profile).name, _handle(member))

    def bm_mt_act_prof_create_group(self, _: int, profile: str) -> int:
        return self._core.insert_group(self._selector(profile).name, None, [])

    def bm_mt_act_prof_delete_group(self, _: int, profile: str, group: int) -> None:
        self._core.delete_group(self._selector(profile).name, _handle(group))

    def _selector(self, profile: str) -> ProfileInfo:
        info = self._profile(profile)
        if not info.is_selector:
            raise CallRefusedError(
                "NO_ACTION_PROFILE_SELECTION", f"{info.name} is an action profile without selector"
            )
        return info

    def bm_mt_act_prof_add_member_to_group(self, _: int, profile: str, member: int, group: int) -> None:
        info = self._selector(profile)
        members = self._members(info, group)
        if any(existing.member == member for existing in members):
            raise CallRefusedError("MBR_ALREADY_IN_GRP", f"member {member} is in group {group} already")
        self._core.modify_group(info.name, _handle(group), [*members, core.GroupMember(_handle(member))])

    def bm_mt_act_prof_remove_member_from_group(self, _: int, profile: str, member: int, group: int) -> None:
        info = self._selector(profile)
        members = self._members(info, group)
        remaining = [existing for existing in members if existing.member != member]
        if len(remaining) == len(members):
            raise CallRefusedError("MBR_NOT_IN_GRP", f"member {member} is not in group {group}")
        self._core.modify_group(info.name, _handle(group), remaining)

    def _members(self, profile: ProfileInfo, group: int) -> list[core.GroupMember]:
        groups = self._core.groups(profile.name)
        if group not in groups:
            raise CallRefusedError("INVALID_GRP_HANDLE", f"{profile.name} has no group {group}")
        return groups[group]

    def bm_mt_act_prof_get_members(self, _: int, profile: str) -> list[Any]:
        info = self._profile(profile)
        actions = self._actions(info)
        return [
            services().Member(
                mbr_handle=number,
                action_name=member.action,
                action_data=params_out(actions, member.action, member.params),
            )
            for number, member in self._core.members(info.name).items()
        ]

    def bm_mt_act_prof_get_member(self, context: int, profile: str, member: int) -> Any:
        for member_read in self.bm_mt_act_prof_get_members(context, profile):
            if member_read.mbr_handle == member:
                return member_read
        raise CallRefusedError("INVALID_MBR_HANDLE", f"{profile} has no member {member}")

    def bm_mt_act_prof_get_groups(self, _: int, profile: str) -> list[Any]:
        groups = self._core.groups(self._selector(profile).name)
        return [
            services().Group(grp_handle=number, mbr_handles=[weighted.member for weighted in members])
            for number, members in groups.items()
        ]

    def bm_mt_act_prof_get_group(self, _: int, profile: str, group: int) -> Any:
        members = self._members(self._selector(profile), group)
        return services().Group(grp_handle=group, mbr_handles=[weighted.member for weighted in members])


def _handle(number: int) -> int:
    """Checks that a handle is in the range that the core accepts."""
    if number < 0:
        raise CallRefusedError("INVALID_HANDLE", f"there is no handle {number}")
    return number
