"""``add``, ``setdefault``, ``remove``: tables as the framework's lines fill them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from weir import _core
from weir.control.commands import Runtime, values
from weir.control.commands.tables import find_action, find_table
from weir.control.match import ANY, Match, to_bytes, to_parts
from weir.control.names import find
from weir.control.table import Table
from weir.errors import CommandError, ControlError
from weir.program import ActionInfo, KeyInfo
from weir.suggest import listing, nearest

_CALL = re.compile(r"(?P<name>[^\s(:=]+)\s*\((?P<args>[^)]*)\)\s*(?:=\s*\$?(?P<handle>\w+))?\s*")


@dataclass(frozen=True)
class Added:
    """An entry that a line gave a name."""

    table: str
    handle: int


def add(runtime: Runtime, text: str, names: dict[str, Added]) -> None:
    """``add TABLE [PRIORITY] KEY:VALUE… ACTION(PARAMETER:VALUE, …) [= NAME]``; the largest priority is preferred.

    Raises:
        CommandError, ControlError: the line cannot be understood or does not fit the program.
    """
    name, _, rest = text.strip().partition(" ")
    table = find_table(runtime, name)
    call = _find_call(rest, "add TABLE [PRIORITY] KEY:VALUE… ACTION(PARAMETER:VALUE, …) [= NAME]")
    words = rest[: call.start()].split()
    priority = None
    if words and ":" not in words[0]:
        priority = values.whole(words.pop(0), "a priority", 0, values.MOST_PRIORITY - 1)
    found: dict[str, Match] = {}
    for word in words:
        key, value = _key(table, word)
        if key.name in found:
            raise CommandError(f"key {key.name} is given twice")
        found[key.name] = value
    action = find_action(table, call["name"], default=False)
    parts = []
    for key in table.info.keys:
        if key.name not in found and key.match_kind == "exact":
            raise CommandError(f"table {table.name} needs a value for the exact key {key.name}")
        parts.append(to_parts(found.get(key.name, ANY), key))
    if not parts:
        raise CommandError(f"table {table.name} has no keys: setdefault sets its default action")
    rank = None
    if values.needs_priority(table):
        # The framework counts from 0, and leaves the priority out where it does not matter.
        rank = (priority or 0) + 1
    target = _core.Target.action(action.name, _params(action, call["args"]))
    handle = runtime.switch.make(_core.Update.insert(table.name, parts, target, rank))
    if call["handle"] is not None:
        names[call["handle"]] = Added(table.name, handle)


def set_default(runtime: Runtime, text: str) -> None:
    """``setdefault TABLE ACTION(PARAMETER:VALUE, …)``."""
    name, _, rest = text.strip().partition(" ")
    table = find_table(runtime, name)
    call = _find_call(rest, "setdefault TABLE ACTION(PARAMETER:VALUE, …)")
    action = find_action(table, call["name"], default=True)
    target = _core.Target.action(action.name, _params(action, call["args"]))
    runtime.switch.write([_core.Update.set_default(table.name, target)])


def remove(runtime: Runtime, text: str, names: dict[str, Added]) -> None:
    """``remove all``, or ``remove $NAME`` of an entry that was added with ``= NAME``."""
    word = text.strip()
    if word == "all":
        for table in runtime.switch.tables.values():
            if table.info.keys and not table.info.const_entries:
                table.clear()
        names.clear()
        return
    name = word.removeprefix("$")
    if name not in names:
        raise CommandError(
            f'no entry was added with the name "{name}" (there are: {listing(names)})',
            suggestion=nearest(name, names),
        )
    added = names.pop(name)
    runtime.switch.table(added.table).delete(added.handle)


def _find_call(text: str, usage: str) -> re.Match[str]:
    for found in _CALL.finditer(text):
        if found.end() == len(text.rstrip()) or not text[found.end() :].strip():
            return found
    raise CommandError(
        f'expected an action such as forward(port:1) at the end, found "{text.strip()}" ({usage})'
    )


def _key(table: Table, word: str) -> tuple[KeyInfo, Match]:
    name, colon, text = word.partition(":")
    if not colon or not text:
        raise CommandError(f'expected KEY:VALUE, found "{word}"')
    key = _find_key(table, name)
    return key, _match(text, key)


def _find_key(table: Table, name: str) -> KeyInfo:
    """The key of that name, of that end, or of one of the spellings in old files: ``h$0`` for ``h[0]``, ``h.valid`` or ``h.$valid$``
    for ``h.isValid()``."""
    known = [key.name for key in table.info.keys]
    wanted = re.sub(r"\$([0-9]+)", r"[\1]", name)
    if wanted not in known:
        for end in (".$valid$", ".valid", "$valid$", "valid"):
            if wanted.endswith(end):
                header = wanted.removesuffix(end)
                for form in ("isValid()", "$valid$"):
                    spelling = f"{header}.{form}".lstrip(".")
                    if any(one == spelling or one.endswith(f".{spelling}") for one in known):
                        wanted = spelling
    chosen = find(f"key of {table.name} called", wanted, known)
    return next(key for key in table.info.keys if key.name == chosen)


def _match(text: str, key: KeyInfo) -> Match:
    what = f"key {key.name}"
    full = (1 << key.width) - 1
    kind = key.match_kind
    if "*" in text:
        number, mask = _digits(text, key)
        if kind == "lpm":
            length = bin(mask).count("1")
            if mask != full & ~((1 << (key.width - length)) - 1):
                raise ControlError(f"{what} is matched lpm: {text} has digits behind a *")
            return ("lpm", number & mask, length) if length else ANY
        if kind in ("ternary", "optional") and not mask:
            return ANY
        if kind == "ternary":
            return ("ternary", number & mask, mask)
        raise ControlError(f"{what} is matched {kind}: it takes no *, found {text}")
    plain = not any(separator in text for separator in ("/", "&&&", "->", ".."))
    if kind == "ternary" and plain:
        return ("ternary", values.value(text, key.width, what), full)
    if kind == "lpm" and plain:
        # As many digits as are written: 0x0a01 is 16 bits. A prefix of a field that is written in full is the whole field.
        return ("lpm", values.value(text, key.width, what), key.width)
    if kind == "range":
        low, found, high = text.partition("->" if "->" in text else "..")
        return values.match(f"{low}->{high if found else low}", key)
    return values.match(text, key)


def _digits(text: str, key: KeyInfo) -> tuple[int, int]:
    """Value and mask of digits with ``*`` for any."""
    if text == "*":
        return 0, 0
    forms = {"0x": (4, "[0-9a-f*]+"), "0b": (1, "[01*]+"), "0o": (3, "[0-7*]+")}
    bits, allowed = forms.get(text[:2].lower(), (0, ""))
    digits = text[2:].lower().replace("_", "")
    if not bits or not re.fullmatch(allowed, digits):
        raise ControlError(f'key {key.name}: expected digits and * behind 0x, 0b or 0o, found "{text}"')
    number = mask = 0
    for digit in digits:
        number = number << bits | (0 if digit == "*" else int(digit, 1 << bits))
        mask = mask << bits | (0 if digit == "*" else (1 << bits) - 1)
    full = (1 << key.width) - 1
    if number > full:
        raise ControlError(f"key {key.name}: {text} does not fit in {key.width} bits")
    return number, mask & full


def _params(action: ActionInfo, text: str) -> list[tuple[str, bytes]]:
    given: dict[str, str] = {}
    for part in filter(None, (one.strip() for one in text.split(","))):
        name, colon, value = (piece.strip() for piece in part.partition(":"))
        if not colon or not value:
            raise CommandError(f'expected PARAMETER:VALUE between the brackets, found "{part}"')
        if name in given:
            raise CommandError(f"parameter {name} is given twice")
        given[name] = value
    names = [param.name for param in action.params]
    for name in given:
        if name not in names:
            suggestion = nearest(name, names)
            known = "" if suggestion else f" (its parameters: {listing(names)})"
            raise ControlError(
                f'action {action.name} has no parameter "{name}"{known}', suggestion=suggestion
            )
    args = []
    for param in action.params:
        if param.name not in given:
            raise ControlError(f"action {action.name} needs the parameter {param.name} ({param.width} bits)")
        what = f"parameter {param.name} of {action.name}"
        args.append((param.name, to_bytes(values.value(given[param.name], param.width, what), param.width)))
    return args
