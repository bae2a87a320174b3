"""A byte order mark at the start of UTF-8 is skipped in files of all kinds; UTF-16 is refused."""

from __future__ import annotations

import shutil
from codecs import BOM_UTF8
from pathlib import Path

import pytest

from command import weir

TESTS = Path(__file__).parent
STF = TESTS.parent / "testdata" / "stf"

RUN = ["run", "--p4", "router.p4", "-c", "s1 table_dump ipv4_lpm"]

CASES = {
    "a program": (["check", "router.p4"], "router.p4"),
    "an included file": (["test", "notations.p4", "notations.stf"], "rest.p4"),
    "a test": (["test", "match.p4", "match.stf"], "match.stf"),
    "a topology": ([*RUN, "topology.json"], "topology.json"),
    "entries": ([*RUN, "topology.json"], "s1-runtime.json"),
    "runtime commands": ([*RUN, "commands.json"], "s1-commands.txt"),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for folder in (TESTS / "net", STF):
        for file in folder.iterdir():
            if file.is_file():
                shutil.copy(file, tmp_path)
    text = (tmp_path / "topology.json").read_text()
    changed = text.replace('"runtime_json": "s1-runtime.json"', '"cli_input": "s1-commands.txt"')
    assert changed != text
    (tmp_path / "commands.json").write_text(changed)
    (tmp_path / "s1-commands.txt").write_text("table_add ipv4_lpm drop 10.9.0.0/16 =>\n")
    return tmp_path


@pytest.mark.parametrize("kind", CASES)
def test_a_mark_changes_nothing(folder: Path, kind: str):
    arguments, name = CASES[kind]
    without = weir(*arguments, cwd=folder)
    assert without[0] == 0, without
    file = folder / name
    text = file.read_bytes()
    file.write_bytes(BOM_UTF8 + text)
    assert weir(*arguments, cwd=folder) == without
    file.write_bytes(text.decode().encode("utf-16"))
    code, _, said = weir(*arguments, cwd=folder)
    assert code != 0
    assert "is UTF-16 text: save it as UTF-8" in said
