"""Table entries in the form in which they are read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from weir import _core, units


@dataclass(frozen=True)
class WeightedAction:
    """One of the actions that an entry chooses among.

    Attributes:
        action: the action's control-plane name.
        params: the action's parameters, as text.
        weight: the action's share of flows, relative to the other weights.
        watch_port: the port whose link must be up for the action to be chosen; ``None`` for no
            condition. If no action can be chosen, the table's default action from the program runs.
    """

    action: str
    params: Mapping[str, str]
    weight: int = 1
    watch_port: int | None = None

    def __str__(self) -> str:
        notes = [] if self.weight == 1 else [f"weight {self.weight}"]
        if self.watch_port is not None:
            notes.append(f"while port {self.watch_port} is up")
        return call_text(self.action, self.params) + (f" ({', '.join(notes)})" if notes else "")


@dataclass(frozen=True)
class TableEntry:
    """A table entry, or a table's default, with values as text that :meth:`Table.insert` accepts.

    Two entries are equal if they have the same match and the same action; handles, counts and times
    are not compared.

    Attributes:
        match: the matched value for each key, ``*`` for any value; empty for the default entry.
        action: the control-plane name of the entry's action; empty if the entry uses a member, a
            group or several actions.
        params: the action's parameters.
        priority: the priority, of which larger values are preferred; ``None`` if the table has no
            priorities.
        is_const: whether the entry is a constant of the program, which the control plane cannot
            change.
        member: the member of the table's action profile that the entry uses, if any.
        group: the group that the entry uses, if any.
        actions: the actions among which the entry chooses, if any.
        at_random: whether the entry chooses an action at random for each packet, instead of by the
            selector's keys.
        group_action: the control-plane name and the parameters of the action that runs before the
            chosen one.
        idle_timeout: the time without a hit after which the entry is reported idle, such as
            ``"5s"``; ``None`` for never. With PNA's ``AUTO_DELETE``, the entry is deleted.
        handle: the entry's number as long as it is in the table; ``None`` for the default.
        packets: the entry's hits so far; ``None`` without a direct counter, 0 if that counts only
            bytes.
        bytes: the bytes of the packets that hit the entry; ``None`` without a direct counter, 0 if
            that counts only packets.
        last_hit_ns: the last hit, in nanoseconds since the start; ``None`` if there was no hit, or
            the table has no ``support_timeout``.
    """

    match: Mapping[str, str]
    action: str
    params: Mapping[str, str]
    priority: int | None = None
    is_const: bool = False
    member: int | None = None
    group: int | None = None
    actions: tuple[WeightedAction, ...] = ()
    at_random: bool = False
    group_action: tuple[str, Mapping[str, str]] | None = None
    idle_timeout: str | None = None
    handle: int | None = field(default=None, compare=False)
    packets: int | None = field(default=None, compare=False)
    bytes: int | None = field(default=None, compare=False)
    last_hit_ns: int | None = field(default=None, compare=False)

    @property
    def target(self) -> str:
        """The entry's target as text, such as ``ipv4_forward(port=1)``, ``member 3`` or ``group
        1``.

        The text for several actions is ``one of a(), b() (weight 2)``; with ``group_action`` and
        ``at_random``, it is ``first(), then one at random of a(), b()``.
        """
        if self.member is not None:
            return f"member {self.member}"
        if self.group is not None:
            return f"group {self.group}"
        if self.actions:
            first = "" if self.group_action is None else f"{call_text(*self.group_action)}, then "
            how = "one at random" if self.at_random else "one"
            return f"{first}{how} of {', '.join(map(str, self.actions))}"
        return call_text(self.action, self.params)

    def __str__(self) -> str:
        keys = ", ".join(f"{name}={value}" for name, value in self.match.items()) or "(default)"
        priority = "" if self.priority is None else f"  priority {self.priority}"
        timeout = "" if self.idle_timeout is None else f"  idle after {self.idle_timeout}"
        return f"{keys} -> {self.target}{priority}{timeout}"


def call_text(action: str, params: Mapping[str, str]) -> str:
    """Formats an action call, such as ``ipv4_forward(dstAddr=…, port=1)``."""
    return f"{action}({', '.join(f'{name}={value}' for name, value in params.items())})"


def read_entry(entry: _core.Entry) -> TableEntry:
    """Converts a table entry from the form that the core returns."""
    timeout = None if entry.idle_timeout is None else units.format_time(entry.idle_timeout)
    return replace(
        _with_target(entry.matches, entry.target),
        priority=entry.priority,
        is_const=entry.is_const,
        idle_timeout=timeout,
        handle=entry.handle,
        packets=entry.packets,
        bytes=entry.bytes,
        last_hit_ns=entry.last_hit,
    )


def read_default(target: _core.EntryTarget, *, is_const: bool) -> TableEntry:
    """Converts a table's default entry from the form that the core returns."""
    return replace(_with_target({}, target), is_const=is_const)


def _with_target(match: Mapping[str, str], target: _core.EntryTarget) -> TableEntry:
    """Creates an entry that has only a match and a target."""
    calls = tuple(
        WeightedAction(call.name, call.params, call.weight, call.watch_port) for call in target.actions
    )
    match target.kind:
        case "member":
            return TableEntry(match, "", {}, member=target.number)
        case "group":
            return TableEntry(match, "", {}, group=target.number)
        case "one_of" | "one_at_random":
            first = target.group_action
            return TableEntry(
                match,
                "",
                {},
                actions=calls,
                at_random=target.kind == "one_at_random",
                group_action=None if first is None else (first.name, first.params),
            )
        case _:
            return TableEntry(match, calls[0].action, calls[0].params)
