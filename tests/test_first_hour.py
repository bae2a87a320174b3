"""From `pip install` to a plot: the page's session, played in a clean environment.

BLESS=1 rewrites the page's output and its picture.
"""

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from terminal import Terminal

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "tutorials" / "first-hour.md"


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel of this machine, made from what `make build` compiled."""
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [ROOT / "packaging" / "wheels", "--this"], env={**os.environ, "OUT": str(folder)}, check=True
    )
    return folder


@pytest.fixture
def terminal(wheel: Path, tmp_path: Path) -> Iterator[Terminal]:
    """A terminal of 80 columns in an empty folder, in which pip finds that wheel."""
    system = Path(sys.base_prefix) / "bin"
    env = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL"))}
    env |= {
        "PATH": f"{system}:/usr/bin:/bin",
        "PIP_FIND_LINKS": str(wheel),
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "PIP_ROOT_USER_ACTION": "ignore",
        "VIRTUAL_ENV_DISABLE_PROMPT": "1",
        "NO_COLOR": "1",
    }
    with Terminal(tmp_path, env) as opened:
        yield opened


def test_the_session_is_as_the_page_shows_it(terminal: Terminal, tmp_path: Path):
    text = PAGE.read_text(encoding="utf-8")
    files = iter(["tenth.p4", "topology.json"])
    started = time.monotonic()

    def play(block: re.Match[str]) -> str:
        kind, body = block[1], block[2]
        if kind in ("p4", "json"):
            (tmp_path / next(files)).write_text(body, encoding="utf-8")
            return block[0]
        if kind == "python":
            (tmp_path / "ping.py").write_text(body, encoding="utf-8")
            assert "48/60 received, 20% lost" in terminal.run("python ping.py")
            return block[0]
        commands = re.findall(r"^\$ (.*)$", body, re.MULTILINE)
        return f"```{kind}\n" + "".join(f"$ {one}\n{terminal.run(one)}" for one in commands) + "```\n"

    played = re.sub(r"```(\w+)\n(.*?)```\n", play, text, flags=re.DOTALL)
    assert all(len(line) <= 80 for line in re.findall(r"^\$ .*$", played, re.MULTILINE))
    assert (tmp_path / "rtt.png").read_bytes().startswith(b"\x89PNG")
    print(f"the session took {time.monotonic() - started:.0f} s")
    if os.environ.get("BLESS"):
        PAGE.write_text(played, encoding="utf-8")
        PAGE.with_suffix(".png").write_bytes((tmp_path / "rtt.png").read_bytes())
    assert played == text, "BLESS=1 rewrites the page"
