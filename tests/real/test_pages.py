"""The examples of the how-to guides about real interfaces, typed as printed."""

import contextlib
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from needed import need

HOW_TO = Path(__file__).parents[2] / "docs" / "how-to"


@pytest.mark.parametrize("page", ["real-interfaces.md", "real-links.md"])
def test_the_example_reaches_its_ping(namespaces: list[str], tmp_path: Path, page: str):
    need("ping", required="WEIR_REQUIRE_NAMESPACES")
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
    environment = os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"}
    with subprocess.Popen(
        [*namespaces, "sh"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=tmp_path,
        env=environment,
        text=True,
        start_new_session=True,
    ) as shell:
        try:
            stdout, stderr = shell.communicate(typed.replace(ping, wait + ping), timeout=60)
        finally:
            # The switch or the link too, if the page's last commands did not run.
            with contextlib.suppress(ProcessLookupError):
                os.killpg(shell.pid, signal.SIGKILL)
    assert "3 packets transmitted, 3 received" in stdout, stdout + stderr
    assert "not found" not in stderr and shell.returncode == 0, stderr
