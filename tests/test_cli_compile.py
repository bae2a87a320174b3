"""``weir compile``: P4Info and bf-rt.json in files."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import weir
from weir.cli.app import app

ROUTER = Path(__file__).parent.parent / "testdata" / "p4info" / "tables.p4"


def run(*arguments: object):
    return CliRunner().invoke(app, ["compile", *map(str, arguments)])


def test_the_name_of_the_file_chooses_the_format(tmp_path: Path):
    text, data, wire = (tmp_path / f"x.{end}" for end in ("txtpb", "json", "bin"))
    for out in (text, data, wire):
        assert run(ROUTER, "--p4info", out).exit_code == 0
    assert text.read_text() == ROUTER.with_suffix(".txtpb").read_text()
    assert json.loads(data.read_text())["pkgInfo"] == {"arch": "v1model"}
    assert b"MyIngress.kinds" in wire.read_bytes()
    assert run(ROUTER, "--p4info", "-").output == text.read_text()


def test_tables_for_bfrt_have_the_numbers_of_p4info(tmp_path: Path):
    out = tmp_path / "bf-rt.json"
    result = run(ROUTER, "--bfrt-json", out, "--p4info", tmp_path / "x.json")
    assert result.exit_code == 0, result.output
    tables = json.loads(out.read_text())["tables"]
    numbers = {
        table["name"]: table["id"] for table in tables if table["table_type"].startswith("MatchAction")
    }
    info = json.loads((tmp_path / "x.json").read_text())
    assert numbers == {
        f"pipe.{table['preamble']['name']}": table["preamble"]["id"] for table in info["tables"]
    }
    assert run(ROUTER, "--bfrt-json", "-").output == out.read_text() == weir.compile(ROUTER).bfrt_json()
    same = run(ROUTER, "--bfrt-json", out, "--p4info", out)
    assert "--p4info and --bfrt-json both name" in str(same.exception) + same.output


def test_mistakes_are_named(tmp_path: Path):
    for arguments, part in (
        (["--p4info", tmp_path / "x.yaml"], "does not imply a format"),
        (["--p4info-format", "json"], "needs --p4info"),
        (["--p4info", tmp_path / "none" / "x.txt"], "cannot be written"),
    ):
        result = run(ROUTER, *arguments)
        assert result.exit_code != 0
        assert part in str(result.exception) + result.output, arguments


def test_wrong_ids_are_shown_in_the_source(tmp_path: Path):
    source = ROUTER.read_text().replace("@id(0x20000aa)", "@id(0x10000aa)")
    (tmp_path / "rest.p4").write_text(ROUTER.with_name("rest.p4").read_text())
    (file := tmp_path / "wrong.p4").write_text(source)
    program = weir.compile(file)
    with pytest.raises(weir.P4Error, match="table starts_with_entries") as caught:
        program.p4info()
    (diagnostic,) = caught.value.diagnostics
    assert (diagnostic.id, diagnostic.severity) == ("p4info", "error")
    assert source.splitlines()[diagnostic.line - 1].strip() == "table starts_with_entries {"
    assert "does not fit the table `MyIngress.starts_with_entries`" in diagnostic.message
    result = run(file, "--p4info", "-")
    assert result.exit_code == 1
    assert "p4info" in str(result.exception) + result.output
    with pytest.raises(weir.P4Error, match="does not fit the table"):
        program.bfrt_json()
    warnings = [one for one in weir.check(file) if one.id == "p4info"]
    assert [one.severity for one in warnings] == ["warning"]


def about_p4info(file: Path) -> list[weir.Diagnostic]:
    """The findings of ``weir check`` about a program's P4Info."""
    return [one for one in weir.check(file) if one.id == "p4info"]


def test_translations_that_controllers_cannot_have_are_warnings(tmp_path: Path):
    source = ROUTER.with_name("types.p4").read_text()
    annotation = '@p4runtime_translation("example.org/v1/of_16", 16)'
    assert annotation in source and about_p4info(ROUTER.with_name("types.p4")) == []
    (tmp_path / "rest.p4").write_text(ROUTER.with_name("rest.p4").read_text())
    line = source[: source.index("type name_t wide_t")].count("\n") + 1
    for wrong, part in ((", 0)", "is out of range"), (", bit<0x1_0000_0000>)", "is out of range")):
        (file := tmp_path / "wrong.p4").write_text(
            source.replace(annotation, annotation.replace(", 16)", wrong))
        )
        (diagnostic,) = about_p4info(file)
        assert diagnostic.severity == "warning"
        assert diagnostic.line == line and part in diagnostic.message
    (tmp_path / "right.p4").write_text(source.replace(annotation, annotation.replace("16)", "0b1_0000)")))
    assert about_p4info(tmp_path / "right.p4") == []
