"""``weir lab new``: each template runs unchanged."""

from __future__ import annotations

from pathlib import Path

import pytest

from command import weir as run_weir
from weir.lab.new import TEMPLATES

OPTIONS = {
    "hello": [],
    "experiment": ["--only", "rate=10Mbit"],
    "p4": ["--only", "flows=1,2"],
    "controller": [],
}


@pytest.mark.parametrize("template", TEMPLATES)
def test_an_unchanged_copy_of_a_template_runs(tmp_path: Path, template: str) -> None:
    code, out, _ = run_weir("lab", "new", "mine", "--template", template, cwd=tmp_path)
    assert code == 0
    folder = tmp_path / "mine"
    assert {path.suffix for path in folder.iterdir()} >= {".py", ".md"}
    script = out.splitlines()[-1].rpartition(" ")[2]
    options = [*OPTIONS[template], "--seeds", "1", "--workers", "1", "--quiet"]
    code, out, errors = run_weir("experiment", "run", script, *options, cwd=folder)
    assert (code, errors) == (0, "")
    assert (folder / "out" / Path(script).stem / "report.html").is_file()
    for program in folder.glob("*.p4"):
        assert run_weir("check", program)[0] == 0
    for topology in folder.glob("topology.json"):
        assert run_weir("draw", topology, cwd=tmp_path)[0] == 0


def test_mistakes(tmp_path: Path) -> None:
    code, _, errors = run_weir("lab", "new", "mine", "--template", "contoller", cwd=tmp_path)
    assert code != 0
    assert 'did you mean "controller"?' in errors
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "a").touch()
    code, _, errors = run_weir("lab", "new", "full", cwd=tmp_path)
    assert code != 0
    assert "full: is not empty" in errors
