"""`weir test`: our own files of the test framework, how failures look, what wrong lines are told."""

from __future__ import annotations

from pathlib import Path

import pytest

from weir.cli import main
from weir.errors import CommandError
from weir.program import Program, compile
from weir.stf import run_stf

CORPUS = Path(__file__).parent.parent / "testdata" / "stf"
FILES = sorted(CORPUS.rglob("*.stf"))


@pytest.fixture(scope="session")
def match() -> Program:
    return compile(CORPUS / "match.p4")


def run(program: Program, tmp_path: Path, text: str):
    file = tmp_path / "test.stf"
    file.write_text(text)
    return run_stf(program, file)


def test_there_are_files() -> None:
    assert len(FILES) >= 160


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.relative_to(CORPUS).with_suffix("").as_posix())
def test_corpus(file: Path) -> None:
    result = run_stf(compile(file.with_suffix(".p4")), file)
    assert result.passed, "\n".join(
        f"{file}:{failure.line}: {failure.message} {failure.details}" for failure in result.failures
    )
    assert result.packets > 0 and result.checks > 0


def test_a_difference_is_told_field_by_field_with_the_journey(match: Program, tmp_path: Path) -> None:
    text = (
        "setdefault by_exact forward_marked(port:1, mark:0x1234)\npacket 0 01 0001 00000000 0000 00 00 aabb\n"
    )
    [failure] = run(match, tmp_path, text + "expect 1 01 1235 00000000 0*00 00 00 aabc $").failures
    assert failure.line == 3
    assert failure.message == "a packet on port 1 is not as expected"
    assert failure.details == [
        "expected 01123500 0000000* 000000aa bc $",
        "got      01123400 00000000 000000aa bb",
    ]
    assert [str(difference) for difference in failure.differences] == [
        "hdr.frame.exact_field (byte 1): expected 0x1235, got 0x1234",
        "payload (byte 12): expected bc, got bb",
    ]
    assert failure.sent == 2
    assert failure.journey is not None
    assert any(step.kind == "applied" for step in failure.journey.steps)


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("packet 0 01000100000000000000 00\nexpect 1 01", "no packet left on port 1: expected 01"),
        (
            "setdefault by_exact forward(port:1)\npacket 0 0100010000000000000000\nexpect 1 00",
            "a packet on port 1 is not as expected",
        ),
        (
            "setdefault by_exact forward(port:0)\npacket 0 0100010000000000000000",
            "port 0: a packet that no line expects: 01000100 00000000 000000",
        ),
        (
            "setdefault by_exact forward(port:0)\npacket 0 0100010000000000000000\nno_packet\nexpect 0",
            "expected no packet, one left on port 0",
        ),
        (
            "add by_exact exact_field:1 drop() = x\ncheck_counter hits(x) == 1",
            "packets of hits[0]: expected == 1, got 0",
        ),
    ],
)
def test_failures(match: Program, tmp_path: Path, lines: str, message: str) -> None:
    assert message in [failure.message for failure in run(match, tmp_path, lines).failures]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            "pakcet 0 01",
            '"pakcet" is neither a line of the test framework (packet, expect, add, …) nor a runtime command; did you mean "packet"?',
        ),
        ("packet x 01", 'expected a port, a whole number, found "x"'),
        ("packet ² 01", 'expected a port, a whole number, found "²"'),
        ("packet 511 01", "a port 511 is out of range: expected 0 to 510"),
        ("packet 0 012", "the packet has 3 hexadecimal digits: a byte has two"),
        ("packet 0 0g", 'the packet: expected hexadecimal digits, found "g"'),
        ("expect 0 0?", 'the packet expected: expected hexadecimal digits, * and a $ at the end, found "?"'),
        ("add by_exakt exact_field:1 drop()", 'there is no table "by_exakt"; did you mean "I.by_exact"?'),
        (
            "add by_exact exact_feld:1 drop()",
            'there is no key of I.by_exact called "exact_feld"; did you mean "hdr.frame.exact_field"?',
        ),
        (
            "add by_exact exact_field:1 dorp()",
            'there is no action of I.by_exact called "dorp"; did you mean "I.drop"?',
        ),
        (
            "add by_exact exact_field:0x10000 drop()",
            "key hdr.frame.exact_field: 0x10000 does not fit in 16 bits (at most 65535)",
        ),
        (
            "add by_exact exact_field:0x1* drop()",
            "key hdr.frame.exact_field is matched exact: it takes no *, found 0x1*",
        ),
        ("add by_exact drop()", "table I.by_exact needs a value for the exact key hdr.frame.exact_field"),
        (
            "add by_exact exact_field:1",
            'expected an action such as forward(port:1) at the end, found "exact_field:1" (add TABLE [PRIORITY] KEY:VALUE… ACTION(PARAMETER:VALUE, …) [= NAME])',
        ),
        ("add by_exact exact_field:1 forward()", "action I.forward needs the parameter port (9 bits)"),
        (
            "add by_exact exact_field:1 forward(prt:1)",
            'action I.forward has no parameter "prt"; did you mean "port"?',
        ),
        ("add by_exact exact_field:1 exact_field:1 drop()", "key hdr.frame.exact_field is given twice"),
        ("remove $x", 'no entry was added with the name "x" (there are: none)'),
        (
            "check_counter hits",
            'expected check_counter NAME(INDEX) [packets|bytes] == N, found "check_counter hits"',
        ),
        ("check_counter hit(0) == 1", 'there is no counter "hit"; did you mean "I.hits"?'),
        ("mirroring_add 1", "mirroring_add needs 2 arguments, found 1 (mirroring_add SESSION PORT)"),
    ],
)
def test_wrong_lines(match: Program, tmp_path: Path, line: str, message: str) -> None:
    with pytest.raises(CommandError) as error:
        run(match, tmp_path, f"# first\n{line}\n")
    assert str(error.value) == f"{tmp_path / 'test.stf'}:2: {message}"


@pytest.mark.parametrize(
    ("program", "lines", "message"),
    [
        (
            "table/runtime_changes",
            [f"table_add t found {key} => 1" for key in range(5)],
            "table `I.t` is full: its size is 4",
        ),
        (
            "table/runtime_changes",
            ["table_add t found 1 => 1", "table_add t found 1 => 2"],
            "table `I.t` has this entry already, with handle 0",
        ),
        (
            "table/const_entries",
            ["table_add by_exact found 7 => 1"],
            "the entries of table `I.by_exact` are constant",
        ),
        ("table/initial_entries", ["table_delete t 1"], "entry 1 of table `I.t` is constant"),
        ("table/default_only", ["setdefault t none()"], "the default action of table `I.t` is constant"),
        (
            "table/default_only",
            ["add t key:1 none()"],
            "I.none is for the default of table I.t only (@defaultonly)",
        ),
        (
            "extern/profile_shared",
            [
                "act_prof_create_member results result 5",
                "table_indirect_add first 1 => 0",
                "act_prof_delete_member results 0",
            ],
            "member 0 of `I.results` is in use by entry 0 of table `I.first`",
        ),
    ],
)
def test_what_a_table_refuses(tmp_path: Path, program: str, lines: list[str], message: str) -> None:
    file = tmp_path / "test.stf"
    file.write_text("\n".join(lines))
    with pytest.raises(CommandError) as error:
        run_stf(compile(CORPUS / f"{program}.p4"), file)
    assert str(error.value) == f"{file}:{len(lines)}: {message}"


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good = str(CORPUS / "match.stf")
    bad = tmp_path / "bad.stf"
    bad.write_text("packet 0 0100010000000000000000\nexpect 2 01\n")
    assert main(["test", str(CORPUS / "match.p4"), good]) == 0
    assert capsys.readouterr().out == f"pass  {good}  packets: 16, checks: 19\n"
    assert main(["test", str(CORPUS / "match.p4"), good, str(bad), "--no-trace"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[1:] == [
        f"FAIL  {bad}  packets: 1, checks: 1",
        f"{bad}:2: no packet left on port 2: expected 01",
        "  the packet of line 1 was dropped at ingress: drop port",
        "1 of 2 files passed",
    ]
    assert main(["test", str(CORPUS / "match.p4"), str(bad)]) == 1
    assert "dropped at" in capsys.readouterr().out


def test_trace(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    commands = tmp_path / "entries.txt"
    commands.write_text("table_add by_exact forward_marked 1 => 2 0xffff\n")
    call = ["trace", str(CORPUS / "match.p4"), "--packet", "01 0001 00000000 0000 00 00", "--port", "0"]
    assert main(call) == 0
    assert capsys.readouterr().out.endswith("nothing came out\n")
    assert main([*call, "--entries", str(commands)]) == 0
    out = capsys.readouterr().out
    assert "table I.by_exact: hit" in out
    assert "entry 0: hdr.frame.exact_field = 1" in out
    assert out.endswith("out of port 2: 01ffff00 00000000 000000\n")
