"""The example notebooks have no committed results. `make docs` runs them and checks the results."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from nbformat import NotebookNode

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "docs" / "build"))

import notebooks  # noqa: E402

NOTEBOOKS = sorted(notebooks.NOTEBOOKS.glob("*.ipynb"))


def test_all_notebooks_are_found() -> None:
    assert len(NOTEBOOKS) == 2


def test_results_without_a_picture_and_tracebacks_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def play(output: str) -> str:
        cell = NotebookNode(cell_type="markdown", source=output)
        monkeypatch.setattr(notebooks, "executed", lambda path: NotebookNode(cells=[cell]))
        return notebooks.page(Path("one.ipynb"))

    assert "notebooks/one.ipynb" in play("<svg>")
    with pytest.raises(ValueError, match=r"one\.ipynb: no result is a picture"):
        play("text")
    with pytest.raises(ValueError, match=r"one\.ipynb: a result shows a traceback"):
        play("<img> Traceback")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_results_are_not_committed(path: Path) -> None:
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    assert not any(cell.get("outputs") for cell in cells)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_say_how_to_install_weir_in_colab(path: Path) -> None:
    first = json.loads(path.read_text(encoding="utf-8"))["cells"][0]
    assert "!pip install 'p4weir[lab]'" in "".join(first["source"])
