"""The core's typed stubs say what the core has: names, arguments, defaults."""

import subprocess
import sys
from pathlib import Path

import weir._core

ROOT = Path(__file__).parent.parent


def test_the_stubs_fit_the_module():
    # The allowed names are aliases of types, which only the stubs have.
    arguments = ["weir._core", "--mypy-config-file", "pyproject.toml", "--allowlist", "tests/stubs.allow"]
    done = subprocess.run(
        [sys.executable, "-m", "mypy.stubtest", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_stubs_list_all_that_is_public():
    assert set(weir._core.__all__) == {name for name in vars(weir._core) if not name.startswith("_")} | {
        "__version__"
    }
