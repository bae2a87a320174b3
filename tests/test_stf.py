"""`weir test`: our own test files, the output of failures, wrong lines."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from weir.cli import main
from weir.errors import CommandError
from weir.program import EXECUTORS, Program, compile
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


def test_the_corpus_has_its_files() -> None:
    assert len(FILES) >= 160


@pytest.mark.parametrize("executor", EXECUTORS)
@pytest.mark.parametrize("file", FILES, ids=lambda file: file.relative_to(CORPUS).with_suffix("").as_posix())
def test_all_files_of_the_corpus_pass(file: Path, executor: str) -> None:
    program = compile(file.with_suffix(".p4"), executor=executor)
    assert program.executor == executor
    result = run_stf(program, file)
    assert result.passed, "\n".join(
        f"{file}:{failure.line}: {failure.message} {failure.details}" for failure in result.failures
    )
    assert result.packets > 0 and result.checks > 0


def test_differences_are_shown_by_field(match: Program, tmp_path: Path) -> None:
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
        "hdr.frame.exact_field (byte 1): expected 0x1235 (4661), got 0x1234 (4660)",
        "payload (byte 12): expected bc, got bb",
    ]
    assert failure.sent == 2
    assert failure.journey is not None
    assert any(step.kind == "applied" for step in failure.journey.steps)


@pytest.mark.parametrize("executor", EXECUTORS)
def test_a_failure_has_the_journey_of_its_packet(executor: str, tmp_path: Path) -> None:
    program = compile(CORPUS / "match.p4", executor=executor)
    lines = ["setdefault by_exact forward(port:1)"]
    lines += [f"packet 0 01 000{n} 00000000 0000 00 00\nexpect 1 01 000{n % 3}" for n in range(5)]
    failures = run(program, tmp_path, "\n".join(lines)).failures
    assert [(failure.line, failure.sent) for failure in failures] == [(9, 8), (11, 10)]
    assert [failure.journey and failure.journey.number for failure in failures] == [3, 4]
    first = [failure.journey.steps[0].what["bytes"] for failure in failures if failure.journey]
    assert [packet[1:3].hex() for packet in first] == ["0003", "0004"]


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
            'table I.by_exact has no key "exact_feld"; did you mean "hdr.frame.exact_field"?',
        ),
        (
            "add by_exact exact_field:1 dorp()",
            'table I.by_exact has no action "dorp"; did you mean "I.drop"?',
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
        ("add by_exact exact_field:1 exact_field:1 drop()", "key hdr.frame.exact_field is set twice"),
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
def test_wrong_entries_of_tables_are_refused(
    tmp_path: Path, program: str, lines: list[str], message: str
) -> None:
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
        "  the packet of line 1 was dropped at ingress: drop port (match.p4:56 mark_to_drop(standard);)",
        "1 of 2 files passed",
    ]
    assert main(["test", str(CORPUS / "match.p4"), str(bad)]) == 1
    assert "dropped at" in capsys.readouterr().out


def test_trace(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    commands = tmp_path / "entries.txt"
    commands.write_text("table_add by_exact forward_marked 1 => 2 0xffff\n")
    call = ["trace", str(CORPUS / "match.p4"), "--packet", "01 0001 00000000 0000 00 00", "--port", "0"]
    assert main(call) == 0
    assert capsys.readouterr().out.endswith("no packet left the switch\n")
    assert main([*call, "--entries", str(commands)]) == 0
    out = capsys.readouterr().out
    assert "table I.by_exact: hit" in out
    assert "entry 0: hdr.frame.exact_field = 1" in out
    assert out.endswith("out of port 2: 01ffff00 00000000 000000\n")


ROUTER = Path(__file__).parent.parent / "testdata" / "programs" / "ipv4_router.p4"
TABLES = """\
add routes dst:10.0.2.0/24 route(next_hop:10.0.9.2, port:2)
add neighbours next_hop:10.0.9.2 set_destination(dst:0x080000000200)
add interfaces egress_port:2 set_source(src:0x080000000102)
"""
SENT = "packet 1 080000000001 080000000002 0800 4500001400010000400663e20a0001010a000201\n"
LEFT = "080000000200 080000000102 0800 4500001400010000 3f06 64e20a0001010a000201"


@pytest.fixture(scope="session")
def router() -> Program:
    return compile(ROUTER)


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        # A field.
        (
            f"expect 2 {LEFT.replace('3f06', '4006')} $",
            ["hdr.ipv4.ttl (byte 22): expected 0x40 (64), got 0x3f (63)"],
        ),
        # An address.
        (
            f"expect 2 {LEFT.replace('0a000201', '0a0002*2')} $",
            ["hdr.ipv4.dst (byte 30): expected 0x0a0002*2, got 10.0.2.1 (0xa000201)"],
        ),
        # A port that no line names.
        (
            "expect 3",
            [
                "no packet left on port 3: expected any packet",
                "the packet of line 4 went to port 2, which no line names",
            ],
        ),
        # Another port, that a line names.
        (
            f"expect 3 {LEFT}\nexpect 2 {LEFT}\n{SENT}",
            ["a packet that fits left on port 2", "the packet of line 4 left on port 2"],
        ),
        # Other headers.
        (
            "expect 2 080000000200 080000000102 86dd 60000000 ****",
            [
                "headers: expected hdr.ethernet; got hdr.ethernet, hdr.ipv4",
                "hdr.ethernet.ether_type (byte 12): expected 0x86dd (34525), got 0x800 (2048)",
            ],
        ),
        # Too long.
        (f"expect 2 {LEFT} aabb $", ["length: expected 36 bytes, got 34 bytes"]),
        # In another order.
        (
            f"{SENT.replace('01010a', '01020a').replace('63e2', '63e1')}"
            f"expect 2 {LEFT.replace('0101', '0102').replace('64e2', '64e1')}\nexpect 2 {LEFT}",
            ["the one that fits is number 2 on this port, expected as number 1"],
        ),
        # Dropped by the program.
        (
            f"{SENT.replace('63e2', '63e3')}expect 2 {LEFT}\nexpect 2 {LEFT}",
            ["the packet of line 5 was dropped at ingress: drop port (ipv4_router.p4:71 mark_to_drop(standard_metadata);)"],
        ),
        # Nothing to expect.
        (f"expect 2 {LEFT}\nno_packet\n{SENT}no_packet", ["expected no packet, one left on port 2"]),
    ],
)  # fmt: skip
def test_user_messages(router: Program, tmp_path: Path, lines: str, expected: list[str]) -> None:
    result = run(router, tmp_path, TABLES + SENT + lines)
    failures = [
        text
        for failure in result.failures
        for text in [failure.message, *failure.details, *map(str, failure.differences)]
    ]
    for text in expected:
        assert text in failures


def test_a_file_that_checks_nothing_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "nothing.stf"
    file.write_text(TABLES + SENT)
    assert main(["test", str(ROUTER), str(file)]) == 0
    assert "packets left at port 2, which are not checked" in capsys.readouterr().out


TOLD = """\
#include <core.p4>
#include <v1model.p4>
header h_t { bit<8> a; bit<32> addr; }
struct headers_t { h_t h; }
struct metadata_t {}
parser P(packet_in p, out headers_t hdr, inout metadata_t m, inout standard_metadata_t s) {
    state start { p.extract(hdr.h); transition accept; }
}
control V(inout headers_t hdr, inout metadata_t m) { apply {} }
control I(inout headers_t hdr, inout metadata_t m, inout standard_metadata_t s) {
    action go() { s.egress_spec = 2; }
    table t {
        key = { hdr.h.a: exact; }
        actions = { go; NoAction; }
        support_timeout = true;
        default_action = NoAction();
    }
    apply {
        t.apply();
        log_msg("a is {}", { hdr.h.a });
        digest<h_t>(3, hdr.h);
    }
}
control E(inout headers_t hdr, inout metadata_t m, inout standard_metadata_t s) { apply {} }
control D(packet_out p, in headers_t hdr) { apply { p.emit(hdr); } }
V1Switch(P(), V(), I(), E(), V(), D()) main;
"""


@pytest.fixture(scope="session")
def telling(tmp_path_factory: pytest.TempPathFactory) -> Program:
    file = tmp_path_factory.mktemp("telling") / "telling.p4"
    file.write_text(TOLD)
    return compile(file)


def test_time_passes_where_a_line_says_so(telling: Program, tmp_path: Path) -> None:
    lines = "table_add t go 1 =>\ntable_set_timeout t 0 1500\npacket 1 01 0a000001\nexpect 2 01 0a000001 $\n"
    expected = "digest to receiver 3: a = 1, addr = 10.0.0.1"
    idle = "idle: entry 0 of table I.t: hdr.h.a=1 -> I.go()"

    def printed(more: str) -> list[str]:
        result = run(telling, tmp_path, lines + more)
        assert result.passed
        return [line for line in result.printed if "added" not in line]

    assert printed("wait\nwait 1.4s") == ["0ns  " + expected, "0ns  log: a is 1"]
    waited = printed("wait 2\npacket 1 02 00000000")
    assert waited[2].startswith(f"1.5s  {idle}")
    assert waited[4] == "2.000001s  log: a is 2"


def test_json_of_tests(router: Program, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "bad.stf").write_text(TABLES + SENT + f"expect 2 {LEFT.replace('3f06', '4006')}")
    (tmp_path / "good.stf").write_text(TABLES + SENT + f"expect 2 {LEFT}")
    (tmp_path / "wrong.stf").write_text("pakcet 1 00")
    assert main(["test", str(ROUTER), str(tmp_path), "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert (document["format"], document["version"]) == ("weir-test", 1)
    assert (document["passed"], document["failed"]) == (1, 2)
    bad, good, wrong = document["files"]
    assert [one["passed"] for one in document["files"]] == [False, True, False]
    [failure] = bad["failures"]
    assert (failure["line"], failure["sent"]) == (5, 4)
    assert failure["differences"] == [
        {"field": "hdr.ipv4.ttl", "bit": 176, "width": 8, "expected": "0x40 (64)", "got": "0x3f (63)"}
    ]
    jsonschema.validate(
        {"format": "weir-trace", "version": 1, "program": bad["program"], "packets": [failure["packet"]]},
        json.loads((CORPUS.parent.parent / "docs" / "reference" / "trace.schema.json").read_text()),
    )
    assert (good["failures"], good["error"]) == ([], None)
    assert 'did you mean "packet"?' in wrong["error"]


def test_programs_that_come_with_weir_have_names(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["test", "router"]) == 1
    assert "expected test files after router" in capsys.readouterr().err
    Path("router.stf").write_text("packet 1 00\nexpect 1")
    for name in ("router", "l2-switch"):
        assert main(["test", name, "router.stf"]) == 1
        assert "no packet left on port 1" in capsys.readouterr().out
    assert main(["test", "router"]) == 1
    assert "no packet left on port 1" in capsys.readouterr().out
    assert main(["test", "ruoter", "router.stf"]) == 1
    assert capsys.readouterr().err.endswith('did you mean "router"?\n')
    assert main(["test", "router.stf", "router.p4"]) == 1
    assert "weir test router.p4 FILE.stf" in capsys.readouterr().err


def test_programs_are_found_next_to_tests(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a").mkdir()
    for name in ("a/telling", "other"):
        (tmp_path / f"{name}.p4").write_text(TOLD)
        (tmp_path / f"{name}.stf").write_text("packet 1 02 00000000\nexpect 0\n")
    assert main(["test", str(tmp_path)]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[-1] == "2 of 2 files passed"
    assert main(["test", str(tmp_path / "other.p4")]) == 0
    (tmp_path / "other.p4").unlink()
    capsys.readouterr()
    assert main(["test", str(tmp_path / "other.stf")]) == 1
    assert "there is no other.p4 in its folder: name the program first" in capsys.readouterr().err
    assert main(["test", str(tmp_path / "othre.stf")]) == 1
    assert "no such file; did you mean" in capsys.readouterr().err
    (tmp_path / "empty").mkdir()
    assert main(["test", str(tmp_path / "empty")]) == 1
    assert "has no .stf files" in capsys.readouterr().err
