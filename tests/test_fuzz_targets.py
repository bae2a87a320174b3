"""The targets of fuzzing in Python take their first inputs, and notice mistakes of decoders."""

from __future__ import annotations

import importlib
import sys
from itertools import islice
from pathlib import Path
from types import ModuleType

import pytest

TESTS = Path(__file__).parent
TARGETS = sorted(path.stem for path in (TESTS / "fuzz").glob("[a-z]*.py"))


@pytest.fixture(params=TARGETS)
def target(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    if request.param == "thrift":
        pytest.importorskip("thriftpy2")
    monkeypatch.setattr(sys, "path", [str(TESTS), str(TESTS / "telemetry"), *sys.path])
    return importlib.import_module(f"fuzz.{request.param}")


@pytest.mark.filterwarnings("ignore::weir.errors.WeirWarning")
def test_first_inputs_pass(target: ModuleType):
    for seed in islice(target.seeds(), 10):
        target.run(seed)
        target.run(seed[: len(seed) // 2])
    target.run(b"")


def test_fuzz_run_has_all_targets():
    script = (TESTS.parent / "fuzz" / "run").read_text()
    assert f"python=({' '.join(TARGETS)})" in script


def test_a_mistake_of_a_decoder_is_found(monkeypatch: pytest.MonkeyPatch):
    """Here, a decoder that shows control characters."""
    monkeypatch.setattr(sys, "path", [str(TESTS), *sys.path])
    scrapes = importlib.import_module("fuzz.scrapes")
    content = b'Pweir_dropped_packets_total{place="\x1b"} 5\n'
    scrapes.run(content)
    monkeypatch.setattr("weir.top.view.visible_line", str)
    with pytest.raises(AssertionError):
        scrapes.run(content)
