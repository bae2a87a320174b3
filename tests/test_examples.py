"""The examples run, alone and as copies, and print what their pages show."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import weir
from command import weir as run_weir
from weir.examples import EXAMPLES

DOCS = Path(__file__).parent.parent / "docs" / "examples"
NAMES = pytest.mark.parametrize("name", EXAMPLES)


def page(name: str) -> str:
    return (DOCS / f"{name}.md").read_text(encoding="utf-8")


@NAMES
def test_an_example_prints_what_its_page_shows(name: str, tmp_path: Path):
    """The output on the pages is that of the examples; BLESS=1 rewrites it."""
    picture = tmp_path / f"{name}.png"
    code, out, err = run_weir("example", "run", name, "--plot", picture)
    assert (code, err) == (0, "")
    assert picture.read_bytes().startswith(b"\x89PNG")
    shown, last = out.rsplit("\npicture: ", 1)
    assert last == f"{picture}\n"
    block = f"    $ weir example run {name}\n" + "".join(
        f"    {line}".rstrip() + "\n" for line in shown.splitlines()
    )
    pattern = rf"    \$ weir example run {name}\n(?:    .*\n|\n(?=    ))*"
    if os.environ.get("BLESS"):
        text = re.sub(pattern, lambda _: block, page(name))
        (DOCS / f"{name}.md").write_text(text, encoding="utf-8")
    assert re.search(pattern, page(name))[0] == block, "BLESS=1 rewrites the pages"
    assert f"]({name}.svg)" in page(name)


@NAMES
def test_a_copy_runs_anywhere_without_the_extra(name: str, tmp_path: Path):
    hide = tmp_path / "hide"
    hide.mkdir()
    (hide / "sitecustomize.py").write_text("import sys\nsys.modules.update(polars=None, matplotlib=None)\n")
    code, out, _ = run_weir("example", "copy", name, tmp_path / "mine")
    assert code == 0 and out.splitlines()[-1] == f"Run it: python {tmp_path}/mine/run.py"
    assert {f"{name}.p4", "topology.json", "run.py"} <= {path.name for path in (tmp_path / "mine").iterdir()}
    ended = subprocess.run(
        [sys.executable, "-W", "error", "mine/run.py"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(hide)},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert ended.stderr == ""
    indented = "".join(f"    {line}".rstrip() + "\n" for line in ended.stdout.splitlines())
    assert indented in page(name)


@NAMES
def test_programs_have_no_warnings_and_explain_themselves(name: str):
    program = EXAMPLES[name].folder / f"{name}.p4"
    assert weir.check(program) == []
    text = program.read_text(encoding="utf-8")
    assert text.startswith(f"/*\n * {name}.p4 - ")
    assert all(len(line) <= 110 for line in text.splitlines())


@NAMES
def test_a_network_comes_without_its_script(name: str):
    """Every topology has its programs and entries, so `weir run` alone can start it."""
    code, out, err = run_weir("run", EXAMPLES[name].folder / "topology.json", "-c", "nodes")
    assert (code, err) == (0, "") and "s1" in out


def test_every_folder_is_an_example_with_a_page_in_the_list():
    folders = {path.parent.name for path in EXAMPLES["nat"].folder.parent.glob("*/run.py")}
    assert folders == set(EXAMPLES)
    listed = re.findall(r"\]\((\w+)\.md\)", (DOCS / "README.md").read_text(encoding="utf-8"))
    assert listed == list(EXAMPLES)
    code, out, _ = run_weir("example", "list")
    assert code == 0 and all(example.title in out for example in EXAMPLES.values())
    assert all(len(line) <= 80 for line in out.splitlines())


def test_mistakes_are_reported(tmp_path: Path):
    assert run_weir("example", "run", "natt") == (
        1,
        "",
        'error: there is no example "natt"; did you mean "nat"?\n',
    )
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to("nowhere")
    code, _, err = run_weir("example", "copy", "nat", tmp_path / "link")
    assert code == 1
    assert "cannot be written: it is a symbolic link to nowhere, which does not exist" in err
    code, _, err = run_weir("example", "copy", "nat", tmp_path)
    assert code == 1 and "is not empty" in err
