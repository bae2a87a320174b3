"""Random programs have the same outcome as on `simple_switch`; `peers/bmv2 --record` wrote them.

In cases of known differences, the outcome is the same only after rules have changed the program.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from weir.program import EXECUTORS, compile
from weir.stf.bench import Bench

if TYPE_CHECKING:
    from rules import Rule

FOLDER = Path(__file__).parent.parent / "testdata" / "bmv2"
CASES = sorted(FOLDER.glob("*.json"))
PORTS = range(6)


def test_the_cases_are_many_and_small() -> None:
    assert len(CASES) >= 35
    # They stay small enough to be read and kept.
    assert sum(path.stat().st_size for path in FOLDER.iterdir()) < 500_000


@pytest.fixture(autouse=True)
def peer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(FOLDER.parent.parent / "peers" / "bmv2"))


@pytest.mark.parametrize("executor", EXECUTORS)
@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_outcome(path: Path, executor: str, tmp_path: Path) -> None:
    case, rules = _read(path)
    wrong = _wrong(case, path.with_suffix(".p4"), executor)
    # A rule for Weir alone makes Weir do what simple_switch does and Weir does not.
    assert bool(wrong) == any(not rule.on_both for rule in rules), wrong
    if rules:
        wrong = _wrong(*_by_rules(case, rules, path.with_suffix(".p4"), tmp_path), executor)
        assert not wrong, wrong


def test_each_rule_has_a_case() -> None:
    from rules import RULES

    recorded = {rule.row for path in CASES for rule in _read(path)[1]}
    assert {rule.row for rule in RULES} == recorded


def _read(path: Path) -> tuple[dict[str, Any], list[Rule]]:
    """A recorded case, and the rules that explain the differences of Weir's outcome."""
    from rules import RULES

    case = json.loads(path.read_text())
    return case, [rule for rule in RULES if rule.row in case.get("rules", [])]


def _by_rules(
    case: dict[str, Any], rules: list[Rule], program: Path, folder: Path
) -> tuple[dict[str, Any], Path]:
    """The case and its program after the changes of the rules."""
    from generator.program import Case
    from rules import changed_case

    one = Case(0, program.read_text(), case["commands"], [(number, line) for number, line in case["later"]])
    one = changed_case(changed_case(one, rules, on_both=True), rules, on_both=False)
    path = folder / "program.p4"
    path.write_text(one.program)
    return case | {"commands": one.commands, "later": one.later}, path


def _wrong(case: dict[str, Any], program: Path, executor: str) -> list[str]:
    """The differences between Weir's outcome and the recorded one."""
    bench = Bench(compile(program, executor=executor), PORTS, block_steps=False)
    switch = bench.switch
    handles: dict[str, list[int]] = {}
    wrong = []

    def run(line: str) -> None:
        """Runs a command, in which ``@3`` is the fourth entry that was added to its table."""
        entries = handles.setdefault(line.split()[1], [])
        said = "\n".join(
            switch.runtime.run(re.sub(r"@(\d+)", lambda found: str(entries[int(found.group(1))]), line))
        )
        if line.startswith(("table_add ", "table_indirect_add")):
            entries.append(int(re.findall(r"entry (\d+)", said)[0]))

    for line in case["commands"]:
        run(line)

    def change(packet: int) -> None:
        for line in (line for before, line in case["later"] if before == packet):
            run(line)

    for number, (port, data, expected) in enumerate(case["packets"]):
        change(number)
        journey = bench.send(port, bytes.fromhex(data))
        sent = [[output.port, output.packet.hex()] for output in bench.take_outputs()]
        assert journey.ended
        if sorted(sent) != sorted(expected):
            wrong.append(f"packet {number}: {data} on port {port}: {sent}, not {expected}")
        bench.forget()
    change(len(case["packets"]))
    for name, index, kind, expected in case["counters"]:
        count = switch.counter(name).read(index)
        found = {"packets": count.packets, "bytes": count.bytes}.get(kind, [count.packets, count.bytes])
        if found != expected:
            wrong.append(f"{name}[{index}]: {found}, not {expected}")
    for name, table, number, expected in case["direct"]:
        count = switch.counter(name).read(handles[table][number])
        if [count.packets, count.bytes] != expected:
            wrong.append(f"{name}, entry {number}: {count}, not {expected}")
    for name, index, expected in case["registers"]:
        if switch.register(name).cells()[index] != expected:
            wrong.append(f"{name}[{index}]: not {expected}")
    return wrong
