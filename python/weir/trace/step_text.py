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
    what = step.what
    if step.kind == "received":
        where = f" at {journey.switch}" if journey.switch else ""
        words = [(f"packet {journey.number}", "fork"), (f"{where}: in on port {what['port']}", "")]
        return [*words, (f", {size(what['bytes'])}", ""), *_place_words(step)]
    match what["how"]:
        case "ingress_clone":
            return [("clone", "fork"), (f" of ingress, session {what['session']}", "")]
        case "egress_clone":
            return [("clone", "fork"), (f" of egress, session {what['session']}", "")]
        case _:
            return [("replica", "fork"), (f" for port {what['port']}, rid {what['rid']}", "")]


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
    more = len(octets) - _MAX_BYTES
    return [(text or "no bytes", "bytes"), *([(f" … {more} more", "")] if more > 0 else [])]


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
    what = step.what
    lines: list[Words] = []
    if what["keys"]:
        lines.append([("key ", ""), *_values(what["keys"])])
    entry = what["entry"]
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
    what = step.what
    match step.kind:
        case "block":
            return [(what["block"], "block")]
        case "state":
            return [("state ", ""), (what["state"], "name")]
        case "extracted":
            return [("extract ", ""), (what["header"], "name"), (": ", ""), *_values(what["fields"])]
        case "transition":
            keys = ", ".join(value.text for value in what["keys"])
            return [
                *([("select ", ""), (keys, "value"), (" ", "")] if keys else []),
                ("→ ", ""),
                (what["to"], "name"),
            ]
        case "parser_error":
            return [("parser error ", "bad"), (what["error"], "bad")]
        case "applied":
            outcome = ("hit", "good") if what["hit"] else ("miss", "warn")
            return [("table ", ""), (what["table"], "name"), (": ", ""), outcome]
        case "action":
            return [("action ", ""), (what["action"], "name"), *_call(what["args"])]
        case "assigned":
            now, before = what["now"], what["before"]
            if now.number == before.number and now.width == before.width:
                return [(now.name, "name"), (" = ", ""), (now.text, "value"), (" as before", "")]
            return [(now.name, "name"), (": ", ""), (before.text, ""), (" → ", ""), (now.text, "value")]
        case "assigned_invalid":
            header = what["value"].name.rpartition(".")[0]
            return [(str(what["value"]), "warn"), (f", but {header} is invalid", "warn")]
        case "validity":
            return [
                (what["header"], "name"),
                (" becomes ", ""),
                ("valid" if what["valid"] else "invalid", "value"),
            ]
        case "branch":
            return [("if ", ""), ("true" if what["taken"] else "false", "value")]
        case "switch":
            return [
                ("switch ", ""),
                (what["value"].text, "value"),
                (": a case" if what["case"] else ": default", ""),
            ]
        case "called":
            owner = f"{what['object']}." if what["object"] else ""
            name = what["callee"].rpartition(".")[2] if owner else what["callee"]
            return [(f"{owner}{name}", "name"), ("(", ""), *_arguments(what["args"]), (")", "")]
        case "logged":
            return [("log: ", "fork"), (what["line"], "value")]
        case "digest":
            return [("digest", "fork"), (f" to receiver {what['receiver']}: ", ""), *_values(what["fields"])]
        case "drawn":
            low, high = what["low"].text, what["high"].text
            return [("random ", ""), (f"{low} to {high}", ""), (": ", ""), (what["value"].text, "value")]
        case "selected":
            return _selected_words(step)
        case "verified":
            given, computed = what["given"].text, what["computed"].text
            if given == computed:
                return [("checksum ", ""), ("right", "good")]
            return [("checksum ", ""), ("wrong", "bad"), (f": it is {given}, computed {computed}", "")]
        case "emitted":
            return [("emit ", ""), (what["header"], "name")]
        case "not_cloned":
            return [(f"no clone: there is no clone session {what['session']}", "warn")]
        case "multicast":
            copies = what["copies"]
            words: Words = [("multicast", "fork"), (f" group {what['group']}: ", "")]
            return [*words, (f"{copies} cop{'y' if copies == 1 else 'ies'}", "")]
        case "queued":
            rank = f", priority {what['priority']}" if what["priority"] else ""
            return [("queue", "block"), (f" of port {what['port']}{rank}", ""), *_place_words(step)]
        case "transmitted":
            return [
                ("out", "good"),
                (f" of port {what['port']}, {size(what['bytes'])}", ""),
                *_place_words(step),
            ]
        case "dropped":
            return [
                ("dropped", "bad"),
                (f" at {what['place']}: {what['reason']}", "bad"),
                *_place_words(step),
            ]
        case _:
            return [(step.kind, "")]


def _place_words(step: Step) -> Words:
    return [(f"  at {format_time(step.time_ns)}", "time")]


def _selected_words(step: Step) -> Words:
    what = step.what
    group = "" if what["group"] is None else f"group {what['group']}: "
    if what["member"] is None:
        return [(group, ""), ("no members, so the program's own default action", "warn")]
    own = what["group"] is None and what["choice"] is not None
    member = f"its action {what['member'] + 1}" if own else f"member {what['member']}"
    among = "" if what["choice"] is None else f" of {what['choice'][0]}"
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
            words.append((f"{{{', '.join(one.text for one in value)}}}", "value"))
    return words
