"""The core's typed stubs match the core: names, arguments, defaults."""

import subprocess
import sys
from pathlib import Path

import pytest

import weir._core

ROOT = Path(__file__).parent.parent


@pytest.mark.slow
def test_the_stubs_fit_the_module():
    ended = subprocess.run(
        [sys.executable, ROOT / "tests/check_stubs.py"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert ended.returncode == 0, ended.stdout + ended.stderr


def test_the_stubs_list_all_that_is_public():
    assert set(weir._core.__all__) == {name for name in vars(weir._core) if not name.startswith("_")} | {
        "__version__"
    }
