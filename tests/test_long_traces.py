"""Traces of packets with very many steps are cut, and the output says so."""

import json
from pathlib import Path

import jsonschema
import pytest

from torture.programs.template import program
from weir.cli import main

SCHEMA = json.loads((Path(__file__).parents[1] / "docs/reference/trace.schema.json").read_text())


def trace(folder: Path, text: str, packet: str, *options: str) -> int:
    (folder / "a.p4").write_text(text)
    return main(["trace", str(folder / "a.p4"), "--packet", packet, "--port", "1", *options])


def test_traces_of_long_loops_are_cut(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    text = program(apply="for (bit<32> i in 32w0 .. 32w10000) { meta.b = meta.b + i; }")
    # Two steps for each turn; 16384 are kept of a block.
    for options in (["--all"], ["--json"]):
        assert trace(tmp_path, text, "00" * 8, *options) == 1
        out, err = capsys.readouterr()
        assert err.startswith("error: the trace is too long: ") and err.count("\n") == 1
        assert len(out) < 8_000_000
    left = json.loads(out)["packets"][0]["lost_steps"]
    assert left > 3000 and f" {left} steps" in err
    assert trace(tmp_path, program(), "00" * 8, "--json") == 0
    document = json.loads(capsys.readouterr().out)
    jsonschema.validate(document, SCHEMA)
    assert document["packets"][0]["lost_steps"] == 0


def test_traces_of_long_stacks_are_cut(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    states = """state begin { pkt.extract(hdr.s.next);
        transition select(hdr.s.last.kind) { 0: begin; default: accept; } }"""
    assert trace(tmp_path, program(fields="h_t[200] s;", states=states), "00" * 8 * 100 + "ff" * 8) == 0
    out = capsys.readouterr().out
    (line,) = (line for line in out.splitlines() if "emit hdr.h" in line)
    assert "hdr.s[14] … and 85 more" in line and "hdr.s[15]" not in line


def test_a_test_of_a_long_loop(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    text = program(apply="for (bit<32> i in 32w0 .. 32w10000) { meta.b = meta.b + i; }")
    (tmp_path / "a.p4").write_text(text)
    (tmp_path / "a.stf").write_text("packet 1 0000000000000000\nexpect 2 01\n")
    assert main(["test", str(tmp_path / "a.stf")]) == 1
    err = capsys.readouterr().err
    assert err.startswith("error: the trace is too long: ") and err.count("\n") == 1
    assert main(["test", "--json", str(tmp_path / "a.stf")]) == 1
    (failure,) = json.loads(capsys.readouterr().out)["files"][0]["failures"]
    assert failure["packet"]["lost_steps"] > 3000 and f" {failure['packet']['lost_steps']} steps" in err


@pytest.mark.parametrize(("passes", "hidden"), [(5, 0), (16, 0), (40, 23), (None, 983)])
def test_of_many_passes_some_are_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], passes: int | None, hidden: int
):
    again = "resubmit_preserving_field_list(0);"
    apply = again if passes is None else f"meta.b = meta.b + 1; if (meta.b != {passes}) {{ {again} }}"
    text = program(apply=apply)
    if passes is not None:
        text = text.replace("bit<32> b;", "@field_list(0) bit<32> b;")
    code = trace(tmp_path, text, "00" * 8)
    out, err = capsys.readouterr()
    assert code == (1 if passes is None else 0) and ("passes" in err) == (passes is None)
    lines = [line for line in out.splitlines() if "resubmitted: pass" in line]
    assert len(lines) == (16 if hidden else (passes or 0) - 1), out[:2000]
    more = [line for line in out.splitlines() if " more passes" in line]
    assert [f"… {hidden} more passes" in line for line in more] == [True] * bool(hidden)
    assert len(out.splitlines()) < 400
    # JSON has all.
    trace(tmp_path, text, "00" * 8, "--json")
    steps = json.loads(capsys.readouterr().out)["packets"][0]
    assert json.dumps(steps).count('"resubmitted"') >= len(lines) + hidden
