"""The example notebooks run, and show pictures and tables."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "docs" / "build"))

import notebooks  # noqa: E402

NOTEBOOKS = sorted(notebooks.NOTEBOOKS.glob("*.ipynb"))


def test_there_are_two() -> None:
    assert len(NOTEBOOKS) == 2


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_it_runs(path: Path) -> None:
    page = notebooks.page(path)
    assert "<svg" in page or "<img" in page
    assert "Traceback" not in page


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_results_are_not_committed(path: Path) -> None:
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    assert not any(cell.get("outputs") for cell in cells)
