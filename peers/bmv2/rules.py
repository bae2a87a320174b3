"""Known differences: how to recognize each, and its row in ``docs/reference/differences.md``.

A rule changes the case so that Weir does what ``simple_switch`` does there, or so that p4c compiles
the program correctly. A rule explains a difference only if the outcomes then agree.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from generator.program import Case


@dataclass(frozen=True)
class Rule:
    """A known difference.

    Attributes:
        row: the first cell of its row in ``docs/reference/differences.md``.
        change: returns the case as ``simple_switch`` understands it, or the same case if the rule
            does not apply.
        on_both: whether the changed program has the same meaning and p4c compiles it correctly.
            Then ``simple_switch`` runs it, too, and Weir's outcome must not change.
    """

    row: str
    change: Callable[[Case], Case]
    on_both: bool = False


def changed_case(case: Case, rules: Iterable[Rule], on_both: bool) -> Case:
    """The case after the changes of the rules for both switches, or of the rules for Weir alone."""
    for rule in rules:
        if rule.on_both == on_both:
            case = rule.change(case)
    return case


def _in_program(change: Callable[[str], str]) -> Callable[[Case], Case]:
    """A rule's change that concerns only the program."""
    return lambda case: replace(case, program=change(case.program))


def _change_selects(program: str, change: Callable[[list[tuple[str, str]]], list[tuple[str, str]]]) -> str:
    """The program with other cases in its ``select`` expressions, as the generator writes them."""

    def rewrite(found: re.Match[str]) -> str:
        cases = [(key.strip(), to) for key, to in re.findall(r"^\s*(.+?): (\w+);$", found.group(2), re.M)]
        if not cases:
            return found.group(0)
        return (
            found.group(1) + "".join(f"            {key}: {to};\n" for key, to in change(cases)) + "        }"
        )

    return re.sub(r"(transition select\([^{]*\) \{\n)([^}]*)\}", rewrite, program)


def _accept_without_match(program: str) -> str:
    """Lets a ``select`` accept where no case matches."""

    def change(cases: list[tuple[str, str]]) -> list[tuple[str, str]]:
        return cases if any(_catches_all(key) for key, _ in cases) else [*cases, ("default", "accept")]

    return _change_selects(program, change)


def _catches_all(key: str) -> bool:
    return all(map(_any_value, key.strip("()").split(", ")))


def _any_value(part: str) -> bool:
    """Whether a key set is a mask of zeros, which p4c also makes of a range over all values."""
    if part in ("default", "_") or re.fullmatch(r".*&&& \d+w0[xb]?0*", part):
        return True
    range_of_all = re.fullmatch(r"\d+w(\w+) \.\. (\d+)w(\w+)", part)
    if not range_of_all:
        return False
    low, width, high = range_of_all.groups()
    return int(low, 0) == 0 and int(high, 0) == (1 << int(width)) - 1


def _last_default(program: str) -> str:
    """Makes an all-zero mask in a ``select`` a default case; the last such case counts."""

    def change(cases: list[tuple[str, str]]) -> list[tuple[str, str]]:
        plain = [number for number, (key, _) in enumerate(cases) if key in ("_", "default")]
        cases = cases[: plain[0] + 1] if plain else cases  # p4c drops the cases after such a case.
        catching = [to for key, to in cases if _catches_all(key)]
        others = [(key, to) for key, to in cases if not _catches_all(key)]
        return [*others, ("default", catching[-1])] if catching else cases

    return _change_selects(program, change)


def _last_of_equal(program: str) -> str:
    """Lets the last of several cases of a ``select`` with the same values count.

    If the cases of a ``select`` are plain numbers, p4c first keeps one of the cases that are
    written alike, and leaves out the cases with the same target as ``default``.
    """

    def change(cases: list[tuple[str, str]]) -> list[tuple[str, str]]:
        plain = [(key, to) for key, to in cases if _values(key).isdigit()]
        if cases[-1][0] in ("_", "default") and [*plain, cases[-1]] == cases:
            cases = [*(case for case in _first_of_alike(plain) if case[1] != cases[-1][1]), cases[-1]]
        last = {_values(key): number for number, (key, _) in enumerate(cases)}
        return [case for number, case in enumerate(cases) if last[_values(case[0])] == number]

    return _change_selects(program, change)


def _first_of_alike(cases: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """The cases, without those that repeat the number of an earlier case in the same base."""
    first: dict[str, tuple[str, str]] = {}
    for key, to in cases:
        base = re.match(r"\d+w(0[xb])?", key)
        first.setdefault(f"{base and base[1]} {_values(key)}", (key, to))
    return list(first.values())


def _values(key: str) -> str:
    """The key set of a case with its numbers in one form; a range of one value becomes that
    value."""
    key = re.sub(r"\d+w(\w+)", lambda found: str(int(found.group(1), 0)), key)
    return re.sub(r"\b(\d+) \.\. \1\b", r"\1", key)


def _only_that_member(program: str) -> str:
    """Makes ``setInvalid`` on a member of a header union keep the other members unchanged."""
    return re.sub(r"(h\.u\.\w+)\.setInvalid\(\);", r"if (\1.isValid()) { \1.setInvalid(); }", program)


def _default_of_switch(program: str) -> str:
    """Adds an empty ``default`` case to a ``switch`` over a value that has none."""

    def with_default(found: re.Match[str]) -> str:
        pad = found.group(1)
        if found.group(2).endswith(".action_run") or f"\n{pad}    default: {{\n" in found.group(0):
            return found.group(0)
        return f"{found.group(0)[: -len(pad) - 2]}{pad}    default: {{\n{pad}    }}\n{pad}}}\n"

    # Starts with the innermost ``switch``, because the inside of a match is not searched again.
    for depth in range(20, 1, -1):
        pad = " " * 4 * depth
        program = re.sub(
            rf"^({pad})switch \((.*)\) {{\n(?:{pad} .*\n)*{pad}}}\n", with_default, program, flags=re.M
        )
    return program


def _no_port_after_resubmit(program: str) -> str:
    """Makes ``ingress_port`` 0 in resubmitted packets."""
    if "resubmit_preserving" not in program:
        return program
    start = "    state start {\n"
    entered = "        m.entered = s.instance_type == 6 ? 0 : s.ingress_port;\n"
    program = program.replace("s.ingress_port", "m.entered")
    program = program.replace("struct meta {\n", "struct meta {\n    bit<9> entered;\n", 1)
    before, parser, after = program.partition("parser P(")
    return before + parser + after.replace(start, start + entered, 1)


def _meter_only_hits(case: Case) -> Case:
    """Gives tables default actions that do not read the direct meter, as copies of those that do.

    In generated programs such a table lists no other actions than ``NoAction``, and no statement
    calls its actions.
    """
    program, commands, later = case.program, case.commands, case.later
    for table in re.findall(r"    table (\w+) \{\n(?:        .*\n)*?        meters = dm;\n", program):
        reading = re.findall(rf"    action (\w+)\(.*\) {{\n{re.escape(_READ)}", program)
        for action in reading:
            copy = f"{action}_on_miss"
            body = re.search(rf"    action {action}\(.*\) {{\n(?:        .*\n)*    }}\n", program)
            listed = re.search(rf"    table {table} {{\n(?:        .*\n)*    }}\n", program)
            if not body or not listed or not re.search(rf" {action};\n", listed[0]):
                continue
            changed = re.sub(r"(    actions = \{\n)", rf"\1            @defaultonly {copy};\n", listed[0])
            changed = re.sub(rf"(default_action = ){action}\(", rf"\1{copy}(", changed)
            program = program.replace(listed[0], changed)
            program = re.sub(
                rf"(switch \({table}\.apply\(\)\.action_run\) {{\n(?:.*\n)*?)( +){action}: {{\n",
                rf"\1\2{action}:\n\2{copy}: {{\n",
                program,
            )
            without = body[0].replace(f"action {action}(", f"action {copy}(").replace(_READ, "")
            program = program.replace(body[0], body[0] + without)

            def default(line: str, table: str = table, action: str = action, copy: str = copy) -> str:
                return re.sub(rf"^(table_set_default \S+\.{table} \S+\.){action}\b", rf"\g<1>{copy}", line)

            commands = [default(line) for line in commands]
            later = [(number, default(line)) for number, line in later]
    return replace(case, program=program, commands=commands, later=later)


_READ = "        dm.read(m.color);\n"

RULES = (
    Rule("a `select` without a matching case", _in_program(_accept_without_match)),
    Rule("`setInvalid` on a member of a header union", _in_program(_only_that_member)),
    Rule("a `select` case with the values of an earlier case", _in_program(_last_of_equal)),
    Rule("a `select` case with a mask of zeros before other cases", _in_program(_last_default)),
    Rule(
        "a key that a case of a `switch` without `default` assigned",
        _in_program(_default_of_switch),
        on_both=True,
    ),
    Rule("`ingress_port` in resubmitted packets", _in_program(_no_port_after_resubmit)),
    Rule("`read` of a direct meter in the action of a miss", _meter_only_hits),
)
