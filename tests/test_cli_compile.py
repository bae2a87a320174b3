"""``weir compile``: P4Info in files."""

import json
from pathlib import Path

from click.testing import CliRunner

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


def test_mistakes_are_named(tmp_path: Path):
    for arguments, part in (
        (["--p4info", tmp_path / "x.yaml"], "says no format"),
        (["--p4info-format", "json"], "needs --p4info"),
        (["--p4info", tmp_path / "none" / "x.txt"], "cannot be written"),
    ):
        result = run(ROUTER, *arguments)
        assert result.exit_code != 0
        assert part in str(result.exception) + result.output, arguments
