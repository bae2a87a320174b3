"""The parts of the comparison with `simple_switch` that do not need `simple_switch`."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import weir

ROOT = Path(__file__).parent.parent
PEER = ROOT / "peers" / "bmv2"


@pytest.fixture
def peer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(PEER))


def test_missing_programs_are_named(tmp_path: Path) -> None:
    ended = subprocess.run(
        [sys.executable, PEER, "--p4c", "no-p4c", "--simple-switch", "no-switch", "--p4include", tmp_path],
        capture_output=True,
        text=True,
        env={"PATH": "/usr/bin:/bin"},
        cwd=tmp_path,
        timeout=60,
        check=False,
    )
    assert ended.returncode == 2
    assert "missing: the program no-p4c: put it on PATH, or name it by --p4c or P4C\n" in ended.stderr
    assert "missing: the program no-switch" in ended.stderr
    assert f"missing: v1model.p4 in {tmp_path}" in ended.stderr
    assert "missing: the Python module" in ended.stderr


def test_a_seed_makes_one_case(peer: None) -> None:
    from generator.program import make

    assert make(3, 10) == make(3, 10)
    assert make(3, 10).program != make(4, 10).program


def test_weir_runs_the_programs(peer: None, tmp_path: Path) -> None:
    from generator.program import make
    from outcome import compare, on_weir
    from weir_sides import BenchSide

    packets = changes = 0
    for seed in range(1000, 1020):
        case = make(seed, 20)
        path = tmp_path / f"{seed}.p4"
        path.write_text(case.program)
        programs = [weir.compile(path, executor=name) for name in ("native", "interp")]
        in_network = on_weir(programs[0], case)
        assert not in_network.ended
        for program in programs:
            assert not compare(in_network, on_weir(program, case, BenchSide), case)
        packets += sum(map(len, in_network.sent))
        changes += sum(in_network.taken[len(case.commands) :])
    assert packets > 200
    assert changes > 10


def test_passes_are_bounded(peer: None) -> None:
    from generator.program import make

    for seed in range(60):
        for line in make(seed, 1).program.splitlines():
            for match in re.finditer(r"m\.again(\[.*?\])? = ([^=;]*);", line):
                assert match.group(2) == "m.again + 1", line


def test_part_of_a_case(peer: None) -> None:
    from generator.program import Case

    packets = [(0, bytes([number])) for number in range(6)]
    case = Case(1, "", ["a"], [(1, "b"), (3, "c"), (4, "d"), (6, "e")], packets)
    part = case.part(3, 6)
    assert part.commands == ["a", "b", "c"]
    assert part.later == [(1, "d")]
    assert part.packets == packets[3:]
    assert case.part(0, 6).lines() == ["a", "b", "c", "d"]
    assert case.before(3) == ["c"]


def test_names_leave_out_profiles_without_a_table(peer: None, tmp_path: Path) -> None:
    from simple_switch import names

    table = {"name": "I.t", "action_profile": "I.p"}
    pipeline = {"tables": [table, {"name": "E.t"}], "action_profiles": [{"name": "I.p"}, {"name": "I.q"}]}
    made = tmp_path / "made.json"
    made.write_text(json.dumps({"pipelines": [pipeline], "register_arrays": [{"name": "I.r"}]}))
    assert names(made) == {"I.t", "I.p", "E.t", "I.r"}


def test_each_rule_has_its_row(peer: None) -> None:
    from rules import RULES

    cells = re.findall(r"^\| (.*?) \|", (ROOT / "docs/reference/differences.md").read_text(), re.MULTILINE)
    for rule in RULES:
        assert rule.row in cells


SELECT = """        transition select(h.a.k0, h.a.k1) {
            (8w1, _): at_b;
            (8w0 &&& 8w0, 4w1 &&& 4w0): reject;
            (_, _): at_c;
            (8w3, 4w2): at_s;
        }
"""


def test_rules_change_selects(peer: None) -> None:
    from generator.program import Case
    from rules import RULES

    def change(row: str, program: str) -> str:
        [rule] = [rule for rule in RULES if row in rule.row]
        return rule.change(Case(1, program)).program

    changed = {rule.row: rule.change(Case(1, SELECT)).program for rule in RULES}
    assert changed["a `select` without a matching case"] == SELECT
    cases = re.findall(
        r"^ +(.*): (\w+);", changed["a `select` case with a mask of zeros before other cases"], re.MULTILINE
    )
    assert cases == [("(8w1, _)", "at_b"), ("(8w3, 4w2)", "at_s"), ("default", "at_c")]
    twice = SELECT.replace("(8w1, _): at_b", "(8w0b11 .. 8w3, 4w0x2): at_b")
    changed_twice = change("earlier case", twice)
    assert "at_b" not in changed_twice
    assert "(8w3, 4w2): at_s;" in changed_twice
    plain = """        transition select(h.a.k0) {
            1w0 .. 1w0x0: at_c;
            1w0x0: accept;
            1w0x0: at_s;
            1w0b0: at_c;
            default: at_c;
        }
"""
    assert re.findall(r"(\S+): (\w+);", change("earlier case", plain)) == [
        ("1w0x0", "accept"),
        ("default", "at_c"),
    ]
    ranges = SELECT.replace("(_, _): at_c", "(8w0 .. 8w0xff, 4w0b0 .. 4w15): at_c")
    assert "default: at_c" in change("mask of zeros", ranges)
    without = SELECT.replace("            (_, _): at_c;\n", "").replace("4w1 &&& 4w0", "4w1 &&& 4w1")
    assert "            default: accept;\n        }" in change("without a matching case", without)


def test_each_rule_changes_a_program_that_still_compiles(peer: None, tmp_path: Path) -> None:
    from generator.program import make
    from rules import RULES

    left = list(RULES)
    for case in (make(seed, 0) for seed in range(200)):
        for rule in [one for one in left if one.change(case) != case]:
            path = tmp_path / "program.p4"
            path.write_text(rule.change(case).program)
            weir.compile(path)
            left.remove(rule)
    assert not left, "no program has what these rules are for"


def test_programs_for_both_mean_the_same(peer: None, tmp_path: Path) -> None:
    from generator.program import make
    from outcome import compare, on_weir
    from rules import RULES
    from weir_sides import BenchSide

    changed = []
    for rule in (one for one in RULES if one.on_both):
        for case in (make(seed, 20) for seed in (31335, 31335 + 37)):
            outcomes = []
            for one in (case, rule.change(case)):
                path = tmp_path / "program.p4"
                path.write_text(one.program)
                outcomes.append(on_weir(weir.compile(path, executor="interp"), one, BenchSide))
            assert not compare(*outcomes, case)
            changed.append(rule.change(case) != case)
    assert any(changed)


def test_a_miss_does_not_read_the_meter(peer: None) -> None:
    from generator.program import make
    from rules import RULES

    [rule] = [one for one in RULES if one.row.startswith("`read`")]
    program = rule.change(make(20139, 0)).program
    [action] = re.findall(r"default_action = (\w+)_on_miss\(", program)
    body, copy = (
        program.split(f"action {name}(")[1].split("\n    }\n")[0] for name in (action, f"{action}_on_miss")
    )
    assert body.splitlines()[1].strip() == "dm.read(m.color);"
    assert "dm.read" not in copy


def test_runtime_commands_are_taken_as_listed(peer: None) -> None:
    from command_list import listed
    from weir_sides import BenchSide, run

    side = BenchSide(weir.compile(listed.PROGRAM, executor="interp"), range(512))
    commands = listed.read()
    assert len(commands) > 200
    some = [listed.ListedCommand("both", "counter_read c 0", numbers="5"), listed.ListedCommand("none", "a")]
    assert listed.wrong_commands(some, "ours", lambda line: (line == "a", "")) == [
        "counter_read c 0: refused: ",
        "a: taken: ",
    ]
    assert listed.wrong_commands(some[:1], "ours", lambda line: (True, "c[0] = 6"))
    assert not listed.wrong_commands(commands, "ours", lambda line: run(side, line))


def test_runtime_commands_that_one_side_takes_have_their_row(peer: None) -> None:
    from command_list import listed

    cells = re.findall(r"^\| (.*?) \|", (ROOT / "docs/reference/differences.md").read_text(), re.MULTILINE)
    for one in listed.read():
        assert one.takes in ("both", "none", "theirs", "ours"), one
        assert (one.row in cells) == (one.takes in ("theirs", "ours")), one
