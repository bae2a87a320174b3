"""``weir check``'s options, ``weir explain``, and the catalogue of diagnostics."""

import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest

import weir
import weir.program.explain

ROOT = Path(__file__).parent.parent
WEIR = Path(sys.executable).with_name("weir")

WARNS = "control c(inout bit<8> x) {\n    apply {\n        if (x >= 0) { x = 1; }\n    }\n}\n"
WRONG = "control c(inout bit<16> x, in bit<8> y) {\n    apply { x = z; }\n}\n"


def call(*args: str | Path) -> tuple[int, str, str]:
    """The command's exit code, standard output and standard error."""
    ended = subprocess.run([WEIR, *map(str, args)], capture_output=True, text=True, timeout=60, check=False)
    assert "Traceback" not in ended.stderr, ended.stderr
    return ended.returncode, ended.stdout, ended.stderr


@pytest.fixture
def warns(tmp_path: Path) -> Path:
    path = tmp_path / "warns.p4"
    path.write_text(WARNS)
    return path


@pytest.fixture
def wrong(tmp_path: Path) -> Path:
    path = tmp_path / "wrong.p4"
    path.write_text(WRONG)
    return path


def test_warnings_are_no_failure(warns: Path):
    code, out, err = call("check", warns)
    assert (code, out) == (0, "")
    assert err.startswith("warning[constant-comparison]: this comparison is always true")


def test_werror_makes_warnings_a_failure(warns: Path):
    assert call("check", "--werror", warns)[0] == 1
    assert call("check", "--werror", "-W", "no-constant-comparison", "-W", "no-no-main", warns) == (0, "", "")


def test_warnings_and_notes_can_be_left_out(warns: Path):
    assert call("check", "-W", "no-all", warns) == (0, "", "")
    code, out, err = call("check", "-W", "no-constant-comparison", warns)
    assert (code, out) == (0, "")
    assert "constant-comparison" not in err


def test_a_program_without_main_gets_a_note(warns: Path):
    code, out, err = call("check", "--werror", "-W", "no-constant-comparison", warns)
    assert (code, out) == (0, "")
    assert err.startswith(
        "note[no-main]: this program has no `main`: it is checked, but it cannot be loaded\n"
    )
    _, out, _ = call("check", "--json", "-W", "no-constant-comparison", warns)
    (note,) = map(json.loads, out.splitlines())
    assert (note["severity"], note["id"], note["line"]) == ("note", "no-main", 5)


def test_unknown_architectures_are_noted(tmp_path: Path):
    path = tmp_path / "own.p4"
    path.write_text("control C();\npackage Own(C c);\ncontrol A() { apply { } }\nOwn(A()) main;\n")
    code, out, err = call("check", "--werror", path)
    assert (code, out) == (0, "")
    assert err.startswith("note[unknown-architecture]: ")
    assert f"{path}:4:1" in err
    for command in [["trace", path, "--packet", "00", "--port", "0"], ["ir", path, "--after", "bind"]]:
        code, out, err = call(*command)
        assert (code, out) == (1, "")
        assert err.startswith("error[unknown-architecture]: ")
        assert f"{path}:4:1" in err


def test_architecture_errors_have_locations(tmp_path: Path):
    """All commands that take a program report the same error."""
    example = (ROOT / "docs" / "diagnostics" / "unsupported-by-architecture.md").read_text()
    path = tmp_path / "drops.p4"
    path.write_text(example.split("```p4\n")[1].split("```")[0])
    test = tmp_path / "drops.stf"
    test.write_text("packet 0 00\n")
    topology = tmp_path / "topology.json"
    topology.write_text('{"hosts": {}, "switches": {"s1": {}}, "links": []}')
    line = path.read_text().splitlines().index("    apply { drop_packet(sm); }") + 1
    expected = [
        "error[unsupported-by-architecture]: extern `drop_packet` is not supported",
        f"  --> {path}:{line}:13",
        "   |",
        f"{line} |     apply {{ drop_packet(sm); }}",
        "   |             ^^^^^^^^^^^",
    ]
    for command in [
        ["check", path],
        ["trace", path, "--packet", "00", "--port", "0"],
        ["test", path, test],
        ["run", topology, "--p4", path, "-c", "nodes"],
    ]:
        code, out, err = call(*command)
        assert code == 1, command
        assert "\n".join(expected) in out + err, command


def test_errors_cannot_be_left_out(wrong: Path):
    assert call("check", "-W", "no-unknown-name", "-W", "no-all", wrong)[0] == 1


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ("no-constant-comparisn", 'Did you mean "no-constant-comparison"?'),
        ("unused", '"unused" is not of the form no-ID'),
    ],
)
def test_a_wrong_choice_is_a_wrong_call(warns: Path, choice: str, message: str):
    code, out, err = call("check", "-W", choice, warns)
    assert (code, out) == (2, "")
    assert message in " ".join(err.split())


@pytest.mark.parametrize(
    "program", sorted((ROOT / "testdata" / "programs").glob("*.p4")), ids=lambda p: p.stem
)
def test_ordinary_programs_have_no_diagnostics(program: Path):
    assert call("check", program) == (0, "", "")


def test_several_files_are_checked_each(warns: Path, wrong: Path, tmp_path: Path):
    code, out, err = call("check", warns, tmp_path / "gone.p4", wrong)
    assert (code, out) == (1, "")
    for part in ["warning[constant-comparison]", "gone.p4", "error[unknown-name]"]:
        assert part in err


def test_json_has_an_object_a_line(warns: Path, wrong: Path):
    code, out, err = call("check", "--json", "-W", "no-no-main", warns, wrong)
    assert (code, err) == (1, "")
    first, second = map(json.loads, out.splitlines())
    place = {"line": 3, "column": 13, "endLine": 3, "endColumn": 19}
    assert first == {
        "file": str(warns),
        **place,
        "severity": "warning",
        "id": "constant-comparison",
        "message": "this comparison is always true",
        "labels": [
            {"file": str(warns), **place, "message": "always true", "primary": True},
            {
                "file": str(warns),
                "line": 3,
                "column": 13,
                "endLine": 3,
                "endColumn": 14,
                "message": "`bit<8>` is never below 0",
                "primary": False,
            },
        ],
        "notes": [],
        "suggestions": [],
    }
    assert (second["file"], second["line"], second["severity"], second["id"]) == (
        str(wrong),
        2,
        "error",
        "unknown-name",
    )


def test_json_suggestions_mend_the_program(tmp_path: Path):
    path = tmp_path / "typo.p4"
    path.write_text("header h_t { bit<8> ttl; }\ncontrol c(inout h_t h) {\n    apply { h.tll = 1; }\n}\n")
    _, out, _ = call("check", "--json", path)
    (suggestion,) = json.loads(out)["suggestions"]
    lines = path.read_text().splitlines()
    line = lines[suggestion["line"] - 1]
    start, end = suggestion["column"] - 1, suggestion["endColumn"] - 1
    lines[suggestion["line"] - 1] = line[:start] + suggestion["replacement"] + line[end:]
    path.write_text("\n".join(lines) + "\n")
    assert call("check", "-W", "no-no-main", path) == (0, "", "")


def test_json_of_a_valid_program_is_empty():
    program = ROOT / "testdata" / "programs" / "ipv4_router.p4"
    assert call("check", "--json", program) == (0, "", "")


def test_explain_shows_a_page():
    code, out, err = call("explain", "maybe-invalid-header")
    assert (code, err) == (0, "")
    assert out == (ROOT / "docs" / "diagnostics" / "maybe-invalid-header.md").read_text()


def test_explain_accepts_copied_ids():
    assert call("explain", "error[bad-cast]") == call("explain", "bad-cast")


def test_explain_suggests_the_nearest_id():
    assert call("explain", "bad-csat") == (
        1,
        "",
        'error: there is no diagnostic "bad-csat"; did you mean "bad-cast"?\n',
    )


def test_explain_lists_all_by_kind():
    code, out, err = call("explain")
    assert (code, err) == (0, "")
    places = [out.index(title) for title in weir.program.explain.KINDS.values()]
    assert places == sorted(places)
    for id in weir.program.explain.ids():
        assert f"\n  {id} " in out


def test_every_page_has_a_kind_and_a_summary():
    pages = weir.program.explain.pages()
    assert len(pages) == len(weir.program.explain.ids()) > 100
    assert all(page.summary.endswith(".") for page in pages)


def test_explain_is_nicer_on_a_terminal():
    main, side = pty.openpty()
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": "90"}
    environment.pop("NO_COLOR", None)
    completed = subprocess.run(
        [WEIR, "explain", "bad-cast"], stdout=side, timeout=60, check=False, env=environment
    )
    os.close(side)
    text = os.read(main, 1 << 16).decode()
    os.close(main)
    assert completed.returncode == 0
    assert "\x1b[" in text
    assert "```" not in text


def test_the_package_has_every_page():
    """The build includes links to files, but not links to folders."""
    pages = {page.name for page in (ROOT / "docs" / "diagnostics").glob("*.md")}
    links = {link.name for link in (ROOT / "python" / "weir" / "diagnostics").iterdir() if link.is_file()}
    missing = pages ^ links
    assert not missing, f"link each page of docs/diagnostics from python/weir/diagnostics: {sorted(missing)}"


PORTABILITY = ROOT / "testdata" / "portability"


def test_a_target_adds_warnings():
    assert "bmv2-" not in call("check", PORTABILITY / "assert.p4")[2]
    code, out, err = call("check", "--target", "bmv2", PORTABILITY / "assert.p4")
    assert (code, out) == (0, "")
    assert "warning[bmv2-differs]: `simple_switch` behaves differently: if the condition is" in err
    assert call("check", "--target", "bmv2", "--werror", PORTABILITY / "assert.p4")[0] == 1
    assert call("check", "--target", "bmv2", "-W", "no-bmv2-differs", PORTABILITY / "assert.p4") == (
        0,
        "",
        "",
    )


def test_a_target_in_json_and_python():
    file = PORTABILITY / "two-lpm-keys.p4"
    _, out, _ = call("check", "--target", "bmv2", "--json", "-W", "no-several-lpm-keys", file)
    (diagnostic,) = map(json.loads, out.splitlines())
    assert (diagnostic["id"], diagnostic["severity"]) == ("bmv2-refuses", "warning")
    assert file.read_text().splitlines()[diagnostic["line"] - 1].endswith("//! two-lpm-keys")
    (same,) = [d for d in weir.check(file, target="bmv2") if d.id == diagnostic["id"]]
    assert (same.line, same.message) == (diagnostic["line"], diagnostic["message"])


def test_an_unknown_target_is_a_wrong_call():
    code, out, err = call("check", "--target", "bm2", PORTABILITY / "assert.p4")
    assert (code, out) == (2, "")
    assert 'there is no target "bm2"' in err
    assert 'did you mean "bmv2"?' in " ".join(err.split())
    with pytest.raises(weir.NetworkError, match="no target"):
        weir.check(PORTABILITY / "assert.p4", target="bm2")


def test_the_table_of_annotations_is_that_of_the_compiler():
    source = (ROOT / "crates/weir-lint/src/known_annotations.rs").read_text()
    known = re.findall(r"(?:annotation|single)\(\s*\"(\w+)\"", source)
    page = (ROOT / "docs/reference/annotations.md").read_text()
    # The rows with four columns. A second table lists annotations for other tools.
    rows = re.findall(r"^\| `@(\w+)` \|.*\|.*\|.*\|$", page, re.MULTILINE)
    assert rows == sorted(known, key=str.lower)
