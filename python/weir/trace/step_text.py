"""The text of each step of a trace, with the style of each part."""

from __future__ import annotations

from collections.abc import Sequence

from weir._core import Step, Value
from weir.trace.record import Record
from weir.units import format_time

Words = list[tuple[str, str]]
"""The parts of a line, each with a style of :data:`weir.trace.tree_lines.STYLES`, or an empty name
for plain text."""

_MAX_BYTES = 64
_MAX_VALUES = 4
_MAX_CHARACTERS = 64


def first_line(step: Step, journey: Record) -> Words:
    """Formats the first line of the tree of a packet or a copy."""
    members = step.what
    if step.kind == "received":
        switch_text = f" at {journey.switch}" if journey.switch else ""
        words = [(f"packet {journey.number}", "fork"), (f"{switch_text}: in on port {members['port']}", "")]
        return [*words, (f", {size(members['bytes'])}", ""), *_place_words(step)]
    match members["how"]:
        case "ingress_clone":
            return [("clone", "fork"), (f" of ingress, session {members['session']}", "")]
        case "egress_clone":
            return [("clone", "fork"), (f" of egress, session {members['session']}", "")]
        case _:
            return [("replica", "fork"), (f" for port {members['port']}, rid {members['rid']}", "")]


def pass_line(step: Step, number: int) -> Words:
    """Formats the first line for a later pass of the packet through the switch, such as a
    recirculation."""
    return [(step.kind, "fork"), (f": pass {number}", ""), *_place_words(step)]


def packet(octets: bytes) -> Words:
    """Formats a packet's bytes in hexadecimal digits, in groups of four bytes.

    The end of a long packet is given as a number of bytes.
    """
    digits = octets[:_MAX_BYTES].hex()
    text = " ".join(digits[i : i + 8] for i in range(0, len(digits), 8))
    hidden_count = len(octets) - _MAX_BYTES
    return [(text or "no bytes", "bytes"), *([(f" … {hidden_count} more", "")] if hidden_count > 0 else [])]


def size(octets: bytes) -> str:
    """Formats the number of bytes, such as ``64 bytes``."""
    return f"{len(octets)} byte{'' if len(octets) == 1 else 's'}"


def queue(entered: Step, left: Step) -> Words:
    """Formats the line for a queue that the packet has left."""
    waited = left.what["waited"]
    words = step_words(entered)[:-1]
    return (
        [*words, (f", waited {format_time(waited)}", "warn"), *_place_words(left)]
        if waited
        else [*words, *_place_words(left)]
    )


def table(step: Step) -> list[Words]:
    """Formats the lines below a lookup: the key and the entry."""
    members = step.what
    lines: list[Words] = []
    if members["keys"]:
        lines.append([("key ", ""), *_values(members["keys"])])
    entry = members["entry"]
    if entry is not None:
        matches = ", ".join(f"{name} = {text}" for name, text in entry.matches.items())
        rank = "" if entry.priority is None else f", priority {entry.priority}"
        lines.append([(f"entry {entry.handle}: ", ""), (matches or "any", "value"), (rank, "")])
    return lines


def wrap_values(values: Sequence[Value]) -> list[Words]:
    """Wraps values to several lines if necessary."""
    lines: list[Words] = []
    line: Words = []
    for value in values:
        words = _values([value])
        if line and sum(len(word) for word, _ in [*line, *words]) > _MAX_CHARACTERS:
            lines.append([*line, (",", "")])
            line = []
        line += [(", ", ""), *words] if line else words
    return [*lines, line] if line else lines


def is_long(words: Words) -> bool:
    """Returns whether a line is too long to show in full."""
    return sum(len(word) for word, _ in words) > _MAX_CHARACTERS


def step_words(step: Step) -> Words:
    """Formats a step as words with styles."""
    members = step.what
    match step.kind:
        case "block":
            return [(members["block"], "block")]
        case "state":
            return [("state ", ""), (members["state"], "name")]
        case "extracted":
            return [("extract ", ""), (members["header"], "name"), (": ", ""), *_values(members["fields"])]
        case "transition":
            keys = ", ".join(value.text for value in members["keys"])
            return [
                *([("select ", ""), (keys, "value"), (" ", "")] if keys else []),
                ("→ ", ""),
                (members["to"], "name"),
            ]
        case "parser_error":
            return [("parser error ", "bad"), (members["error"], "bad")]
        case "applied":
            outcome = ("hit", "good") if members["hit"] else ("miss", "warn")
            return [("table ", ""), (members["table"], "name"), (": ", ""), outcome]
        case "action":
            return [("action ", ""), (members["action"], "name"), *_call(members["args"])]
        case "assigned":
            now, before = members["now"], members["before"]
            if now.number == before.number and now.width == before.width:
                return [(now.name, "name"), (" = ", ""), (now.text, "value"), (" as before", "")]
            return [(now.name, "name"), (": ", ""), (before.text, ""), (" → ", ""), (now.text, "value")]
        case "assigned_invalid":
            header = members["value"].name.rpartition(".")[0]
            return [(str(members["value"]), "warn"), (f", but {header} is invalid", "warn")]
        case "validity":
            return [
                (members["header"], "name"),
                (" becomes ", ""),
                ("valid" if members["valid"] else "invalid", "value"),
            ]
        case "branch":
            return [("if ", ""), ("true" if members["taken"] else "false", "value")]
        case "switch":
            return [
                ("switch ", ""),
                (members["value"].text, "value"),
                (": a case" if members["case"] else ": default", ""),
            ]
        case "called":
            owner = f"{members['object']}." if members["object"] else ""
            name = members["callee"].rpartition(".")[2] if owner else members["callee"]
            return [(f"{owner}{name}", "name"), ("(", ""), *_arguments(members["args"]), (")", "")]
        case "logged":
            return [("log: ", "fork"), (members["line"], "value")]
        case "digest":
            return [
                ("digest", "fork"),
                (f" to receiver {members['receiver']}: ", ""),
                *_values(members["fields"]),
            ]
        case "drawn":
            low, high = members["low"].text, members["high"].text
            return [("random ", ""), (f"{low} to {high}", ""), (": ", ""), (members["value"].text, "value")]
        case "selected":
            return _selected_words(step)
        case "verified":
            checksum, computed = members["given"].text, members["computed"].text
            if checksum == computed:
                return [("checksum ", ""), ("right", "good")]
            return [("checksum ", ""), ("wrong", "bad"), (f": it is {checksum}, computed {computed}", "")]
        case "emitted":
            return [("emit ", ""), (members["header"], "name")]
        case "not_cloned":
            return [(f"no clone: there is no clone session {members['session']}", "warn")]
        case "multicast":
            copies = members["copies"]
            words: Words = [("multicast", "fork"), (f" group {members['group']}: ", "")]
            return [*words, (f"{copies} cop{'y' if copies == 1 else 'ies'}", "")]
        case "queued":
            rank = f", priority {members['priority']}" if members["priority"] else ""
            return [("queue", "block"), (f" of port {members['port']}{rank}", ""), *_place_words(step)]
        case "transmitted":
            return [
                ("out", "good"),
                (f" of port {members['port']}, {size(members['bytes'])}", ""),
                *_place_words(step),
            ]
        case "dropped":
            return [
                ("dropped", "bad"),
                (f" at {members['place']}: {members['reason']}", "bad"),
                *_place_words(step),
            ]
        case _:
            return [(step.kind, "")]


def _place_words(step: Step) -> Words:
    return [(f"  at {format_time(step.time_ns)}", "time")]


def _selected_words(step: Step) -> Words:
    members = step.what
    group = "" if members["group"] is None else f"group {members['group']}: "
    if members["member"] is None:
        return [(group, ""), ("no members, so the program's own default action", "warn")]
    is_one_shot = members["group"] is None and members["choice"] is not None
    member = f"its action {members['member'] + 1}" if is_one_shot else f"member {members['member']}"
    among = "" if members["choice"] is None else f" of {members['choice'][0]}"
    return [(group, ""), (member, "value"), (among, "")]


def _values(values: Sequence[Value]) -> Words:
    words: Words = []
    for value in values:
        words.append((", " if words else "", ""))
        if value.name:
            words += [(value.name, "name"), (" = ", "")]
        words.append((value.text, "value"))
    return words or [("nothing", "")]


def _call(args: Sequence[Value]) -> Words:
    return [("(", ""), *(_values(args) if args else []), (")", "")]


def _arguments(args: Sequence[tuple[str, list[Value] | str]]) -> Words:
    words: Words = []
    for name, value in args:
        words.append((", " if words else "", ""))
        if isinstance(value, list) and len(value) > _MAX_VALUES:
            words.append((name, "name"))
            continue
        words += [(name, "name"), (" = ", "")]
        if isinstance(value, str):
            words.append((value, "value"))
        elif len(value) == 1:
            words.append((value[0].text, "value"))
        else:
            words.append((f"{{{', '.join(item.text for item in value)}}}", "value"))
    return words
