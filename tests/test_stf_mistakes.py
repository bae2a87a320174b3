"""``weir test`` shows which part of a line is wrong."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from weir.cli import main
from weir.errors import StfError
from weir.program import compile
from weir.stf import run_stf

MATCH = Path(__file__).parent.parent / "testdata" / "stf" / "match.p4"


@pytest.mark.parametrize(
    "line",
    [
        "‹pakcet› 0 01",
        "packet ‹511› 01",
        "packet 0 ‹01 0g›",
        "\texpect 0 ‹0?› # comment",
        "add ‹by_exakt› exact_field:1 drop()",
        "add by_exact ‹exact_feld›:1 drop()",
        "add by_exact exact_field:‹0x10000› drop()",
        "add by_exact exact_field:1 ‹dorp›()",
        "add by_exact exact_field:1 forward(‹prt›:1)",
        "add by_exact exact_field:1 forward(port:‹512›)",
        "add by_exact exact_field:1 forward(1, ‹2›)",
        "add by_exact exact_field:1 forward_marked(‹1›, mark:2)",
        "add by_exact exact_field:1 drop() = ‹?›",
        "add by_exact exact_field:1 member ‹$x›",
        "add by_exact ‹exact_field›  drop()",
        "setdefault by_exact ‹1› drop()",
        "remove $‹x›",
        "member ‹ways› drop()",
        "group ‹ways›",
        "wait ‹5x›",
        "check_counter ‹hit›(0) == 1",
        "check_counter hits(‹9›) == 1",
        "‹table_dump by_exakt›",
    ],
    ids=lambda line: line.strip(),
)
def test_the_wrong_part_of_a_line_is_marked(tmp_path: Path, line: str) -> None:
    before, part, _ = re.split("[‹›]", line)
    line = re.sub("[‹›]", "", line)
    file = tmp_path / "test.stf"
    file.write_text(f"# ü\n{line}\n")
    with pytest.raises(StfError) as caught:
        run_stf(compile(MATCH), file)
    error = caught.value
    assert (error.line, error.column) == (2, len(before) + 1)
    assert error.snippet.splitlines() == [line, re.sub(r"\S", " ", before) + "^" * len(part)]


def test_the_command_marks_the_wrong_part(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "wrong.stf"
    file.write_text("add by_exakt exact_field:1 drop()\n")
    assert main(["test", str(MATCH), str(file)]) == 1
    assert capsys.readouterr().err.splitlines() == [
        f'error: {file}:1:5: there is no table "by_exakt"; did you mean "I.by_exact"?',
        "  add by_exakt exact_field:1 drop()",
        "      ^^^^^^^^",
    ]


def test_a_file_without_program_does_not_stop_the_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "alone.stf").write_text("packet 0 00\n")
    good = MATCH.with_suffix(".stf")
    assert main(["test", str(tmp_path), str(good)]) == 1
    printed = capsys.readouterr()
    assert "there is no alone.p4 in its folder" in printed.err
    assert printed.out.splitlines()[-1] == "1 of 2 files passed"
