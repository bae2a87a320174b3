"""Results that several tests of labs look at, each made once."""

from __future__ import annotations

from pathlib import Path

import pytest

from weir.labs import run_lab


@pytest.fixture(scope="session")
def delay(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The delay lab's results with small sizes."""
    out = tmp_path_factory.mktemp("labs") / "delay"
    assert not run_lab("delay", out, quick=True).failures
    return out
