"""What needs no `simple_switch` of the comparison with it."""

from __future__ import annotations

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


def test_says_what_is_missing(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, PEER, "--p4c", "no-p4c", "--simple-switch", "no-switch", "--p4include", tmp_path],
        capture_output=True,
        text=True,
        env={"PATH": "/usr/bin:/bin"},
        cwd=tmp_path,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert "missing: the program no-p4c: put it on PATH, or name it by --p4c or P4C\n" in done.stderr
    assert "missing: the program no-switch" in done.stderr
    assert f"missing: v1model.p4 in {tmp_path}" in done.stderr
    assert "missing: the Python module" in done.stderr


def test_a_seed_makes_one_case(peer: None) -> None:
    from generator.program import make

    assert make(3, 10) == make(3, 10)
    assert make(3, 10).program != make(4, 10).program


def test_weir_runs_the_programs(peer: None, tmp_path: Path) -> None:
    from generator.program import make
    from outcome import compare, on_weir

    packets = 0
    for seed in range(1000, 1020):
        case = make(seed, 20)
        path = tmp_path / f"{seed}.p4"
        path.write_text(case.program)
        native, interp = (on_weir(weir.compile(path, executor=name), case) for name in ("native", "interp"))
        assert not native.ended
        assert not compare(native, interp, case)
        packets += sum(map(len, native.sent))
    assert packets > 200


def test_each_rule_has_its_row(peer: None) -> None:
    from rules import RULES

    cells = re.findall(r"^\| (.*?) \|", (ROOT / "docs/differences.md").read_text(), re.MULTILINE)
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
    from rules import RULES

    changed = {rule.row: rule.change(SELECT) for rule in RULES}
    assert changed["a `select` of which no case matches"] == SELECT
    cases = re.findall(
        r"^ +(.*): (\w+);", changed["a `select` case with a mask of zeros before other cases"], re.MULTILINE
    )
    assert cases == [("(8w1, _)", "at_b"), ("(8w3, 4w2)", "at_s"), ("default", "at_c")]
    without = SELECT.replace("            (_, _): at_c;\n", "").replace("4w1 &&& 4w0", "4w1 &&& 4w1")
    assert "            default: accept;\n        }" in RULES[0].change(without)
