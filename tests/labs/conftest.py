"""Results that several tests of labs look at, each made once."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from weir.labs import run_lab


@pytest.fixture(scope="session")
def delay(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The delay lab's results with small sizes, or those in ``WEIR_DELAY_RESULTS``."""
    if "WEIR_DELAY_RESULTS" in os.environ:
        return Path(os.environ["WEIR_DELAY_RESULTS"])
    out = tmp_path_factory.mktemp("labs") / "delay"
    assert not run_lab("delay", out, quick=True).failures
    return out
