"""The examples of the how-to guides about real interfaces, typed as they are printed."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HOW_TO = Path(__file__).parents[2] / "docs" / "how-to"


@pytest.mark.parametrize("page", ["real-interfaces.md", "real-links.md"])
def test_the_example_reaches_its_ping(namespaces: list[str], tmp_path: Path, page: str):
    if shutil.which("ping") is None:
        if os.environ.get("WEIR_REQUIRE_NAMESPACES"):
            pytest.fail("WEIR_REQUIRE_NAMESPACES is set, but ping is not installed (Debian: iputils-ping)")
        pytest.skip("ping is not installed")
    text = (HOW_TO / page).read_text(encoding="utf-8")
    for name, program in re.findall(r'^```p4 title="(.*?)"\n(.*?)^```$', text, re.MULTILINE | re.DOTALL):
        (tmp_path / name).write_text(program)
    (typed,) = re.findall(r"^unshare .* sh\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    # People type more slowly than a busy computer starts a process.
    ping = "ip netns exec h1 ping -c 3 10.0.0.2\n"
    assert ping in typed
    wait = "until ip netns exec h1 ping -q -c 1 -W 1 10.0.0.2 >ready; do sleep 0.1; done\n"
    weir = tmp_path / "weir"
    weir.write_text(f'#!/bin/sh\nexec {sys.executable} -m weir "$@"\n')
    weir.chmod(0o755)
    ended = subprocess.run(
        [*namespaces, "sh"],
        input=typed.replace(ping, wait + ping),
        cwd=tmp_path,
        env=os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert "3 packets transmitted, 3 received" in ended.stdout, ended.stdout + ended.stderr
    assert "not found" not in ended.stderr and ended.returncode == 0, ended.stderr
