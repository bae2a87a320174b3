"""Commands on tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weir import _core
from weir.control.commands import values
from weir.control.commands.registry import command
from weir.control.names import find
from weir.control.table import Table
from weir.errors import ControlError
from weir.program import ActionInfo
from weir.units import format_time

if TYPE_CHECKING:
    from weir.control.commands.runtime import Runtime

_GROUP = "Tables"


def find_table(runtime: Runtime, name: str) -> Table:
    """The table of that name or unambiguous end."""
    return runtime.switch.table(find("table", name, runtime.switch.program.tables))


def find_action(table: Table, name: str, *, default: bool) -> ActionInfo:
    """The table's action of that name or unambiguous end, if it may stand there."""
    # An action that is bound to different things in different tables is several: `set#2` is what one table knows as `set`.
    plain = {action.name.partition("#")[0]: action for action in table.info.actions}
    known = {action.name: action for action in table.info.actions}
    if len(plain) == len(known) and name not in known:
        known = plain
    action = known[find(f"action of {table.name} called", name, known)]
    if action.default_only and not default:
        raise ControlError(f"{action.name} is for the default of table {table.name} only (@defaultonly)")
    if action.table_only and default:
        raise ControlError(f"{action.name} is not for the default of table {table.name} (@tableonly)")
    return action


@command(_GROUP, "", "show the tables with their keys", example="show_tables")
def show_tables(runtime: Runtime, args: list[str]) -> list[str]:
    return [_declaration(table) for table in runtime.switch.tables.values()]


@command(_GROUP, "", "show the actions of all tables with their parameters", example="show_actions")
def show_actions(runtime: Runtime, args: list[str]) -> list[str]:
    actions = {
        action.name: action for table in runtime.switch.tables.values() for action in table.info.actions
    }
    return [_signature(action) for action in actions.values()]


@command(
    _GROUP, "TABLE", "show a table's actions with their parameters", example="table_show_actions ipv4_lpm"
)
def table_show_actions(runtime: Runtime, args: list[str]) -> list[str]:
    return [_signature(action) for action in find_table(runtime, args[0]).info.actions]


@command(_GROUP, "TABLE", "show a table's keys, size and actions", example="table_info ipv4_lpm")
def table_info(runtime: Runtime, args: list[str]) -> list[str]:
    table = find_table(runtime, args[0])
    size = "no limit" if table.info.size is None else str(table.info.size)
    lines = [_declaration(table), f"size: {size}", f"entries: {len(table)}"]
    return [*lines, *(f"action: {_signature(action)}" for action in table.info.actions)]


@command(
    _GROUP,
    "TABLE ACTION KEY… => [PARAMETER…] [PRIORITY]",
    "add an entry",
    example="table_add ipv4_lpm ipv4_forward 10.0.1.0/24 => 00:00:00:00:01:01 1",
    details="A key is VALUE (exact), VALUE/LENGTH (lpm), VALUE&&&MASK (ternary), LOW->HIGH (range), VALUE or * (optional).\n"
    "A table with ternary, range or optional keys needs a priority at the end; the smallest is preferred.",
    least=2,
    most=None,
)
def table_add(runtime: Runtime, args: list[str]) -> list[str]:
    table = find_table(runtime, args[0])
    action = find_action(table, args[1], default=False)
    keys, call, priority = split_entry(table, args[2:])
    target = _core.Target.action(action.name, values.params(action, call))
    update = _core.Update.insert(table.name, values.keys(table, keys), target, priority)
    return [f"entry {runtime.switch.make(update)} added"]


def split_entry(table: Table, words: list[str]) -> tuple[list[str], list[str], int | None]:
    """Keys, what stands behind ``=>``, and the priority as the core counts it."""
    words = list(words)
    priority = None
    if values.needs_priority(table):
        if not words or words[-1] == "=>":
            raise ControlError(
                f"entries of table {table.name} need a priority at the end (the smallest is preferred)"
            )
        number = values.whole(
            words.pop(), "a priority at the end (the smallest is preferred)", 0, values.MOST_PRIORITY - 1
        )
        priority = values.MOST_PRIORITY - number
    if "=>" not in words:
        if len(words) != len(table.info.keys):
            raise ControlError('expected "=>" between the keys and the action\'s parameters')
        return words, [], priority
    arrow = words.index("=>")
    return words[:arrow], words[arrow + 1 :], priority


@command(
    _GROUP,
    "TABLE ACTION [PARAMETER…]",
    "set what runs when no entry matches",
    example="table_set_default ipv4_lpm drop",
    most=None,
)
def table_set_default(runtime: Runtime, args: list[str]) -> list[str]:
    table = find_table(runtime, args[0])
    action = find_action(table, args[1], default=True)
    call = [word for word in args[2:] if word != "=>"]
    target = _core.Target.action(action.name, values.params(action, call))
    runtime.switch.write([_core.Update.set_default(table.name, target)])
    return []


@command(_GROUP, "TABLE", "set the program's own default again", example="table_reset_default ipv4_lpm")
def table_reset_default(runtime: Runtime, args: list[str]) -> list[str]:
    find_table(runtime, args[0]).reset_default()
    return []


@command(
    _GROUP,
    "TABLE ACTION HANDLE [PARAMETER…]",
    "give an entry another action",
    example="table_modify ipv4_lpm ipv4_forward 0 00:00:00:00:01:02 2",
    most=None,
)
def table_modify(runtime: Runtime, args: list[str]) -> list[str]:
    table = find_table(runtime, args[0])
    action = find_action(table, args[1], default=False)
    handle = values.whole(args[2], "an entry's handle")
    call = args[4:] if args[3:4] == ["=>"] else args[3:]
    target = _core.Target.action(action.name, values.params(action, call))
    runtime.switch.write([_core.Update.modify(table.name, handle, target)])
    return []


@command(_GROUP, "TABLE HANDLE", "take an entry out", example="table_delete ipv4_lpm 0")
def table_delete(runtime: Runtime, args: list[str]) -> list[str]:
    find_table(runtime, args[0]).delete(values.whole(args[1], "an entry's handle"))
    return []


@command(_GROUP, "TABLE", "take all entries out that are not constant", example="table_clear ipv4_lpm")
def table_clear(runtime: Runtime, args: list[str]) -> list[str]:
    find_table(runtime, args[0]).clear()
    return []


@command(_GROUP, "TABLE", "show how many entries a table has", example="table_num_entries ipv4_lpm")
def table_num_entries(runtime: Runtime, args: list[str]) -> list[str]:
    return [str(len(find_table(runtime, args[0])))]


@command(_GROUP, "TABLE", "show a table's entries and its default", example="table_dump ipv4_lpm")
def table_dump(runtime: Runtime, args: list[str]) -> list[str]:
    table, core = find_table(runtime, args[0]), runtime.switch._core
    lines = [_entry(table, entry) for entry in core.entries(table.name)]
    return [*lines, f"default => {_target(table, core.default_action(table.name))}"]


@command(_GROUP, "TABLE HANDLE", "show one entry", example="table_dump_entry ipv4_lpm 0")
def table_dump_entry(runtime: Runtime, args: list[str]) -> list[str]:
    table = find_table(runtime, args[0])
    handle = values.whole(args[1], "an entry's handle")
    return [_entry(table, runtime.switch._core.entry(table.name, handle))]


@command(
    _GROUP,
    "TABLE KEY… [PRIORITY]",
    "show the entry with these keys",
    example="table_dump_entry_from_key ipv4_lpm 10.0.1.0/24",
    least=2,
    most=None,
)
def table_dump_entry_from_key(runtime: Runtime, args: list[str]) -> list[str]:
    table = find_table(runtime, args[0])
    keys, rest, priority = split_entry(table, args[1:])
    if rest:
        raise ControlError(f'expected the keys alone, found "{rest[0]}" behind "=>"')
    return [_entry(table, runtime.switch._core.entry(table.name, (values.keys(table, keys), priority)))]


def _declaration(table: Table) -> str:
    keys = ", ".join(f"{key.name} ({key.match_kind}, {key.width})" for key in table.info.keys)
    return f"{table.name} [{keys}]"


def _signature(action: ActionInfo) -> str:
    return f"{action.name} ({', '.join(f'{param.name}: {param.width}' for param in action.params)})"


def _entry(table: Table, entry: _core.Entry) -> str:
    found = {parts[0]: parts for parts in entry.matches}
    keys = " ".join(values.format_match(found[key.name], key) for key in table.info.keys)
    rank = "" if entry.priority is None else f" priority {values.MOST_PRIORITY - entry.priority}"
    const = " (constant)" if entry.is_const else ""
    timeout = "" if entry.idle_timeout is None else f" idle after {format_time(entry.idle_timeout)}"
    return f"{entry.handle}: {keys} => {_target(table, entry.target)}{rank}{const}{timeout}"


def _target(table: Table, target: _core.Target) -> str:
    match target.kind:
        case "member" | "group":
            return f"{target.kind} {target.number}"
        case "one_of":
            calls = [f"{_call(table, name, args)} (weight {weight})" for name, args, weight in target.actions]
            return f"one of {', '.join(calls)}"
        case _:
            name, args, _ = target.actions[0]
            return _call(table, name, args)


def _call(table: Table, action: str, args: _core.Args) -> str:
    return " ".join([action, *table.params_text(action, args).values()])


@command(
    _GROUP,
    "TABLE HANDLE MILLISECONDS",
    "set after how long without a hit an entry is reported idle",
    example="table_set_timeout flows 0 5000",
    details="For tables with support_timeout. 0 takes the time-out away.",
)
def table_set_timeout(runtime: Runtime, args: list[str]) -> list[str]:
    table = find_table(runtime, args[0])
    handle = values.whole(args[1], "an entry's handle")
    timeout = values.whole(args[2], "a time-out in milliseconds", 0, (1 << 40) - 1)
    span = timeout * 1_000_000 or None
    runtime.switch.write([_core.Update.set_idle_timeout(table.name, handle, span)])
    return []
