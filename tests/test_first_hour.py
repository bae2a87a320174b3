"""From `pip install` to a plot: the page's session, played in a clean environment.

BLESS=1 rewrites the page's output.
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from terminal import Terminal

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "first-hour.md"


@pytest.fixture(scope="session")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a wheel: WEIR_WHEELS, or made from what `make build` compiled."""
    if ready := os.environ.get("WEIR_WHEELS"):
        return Path(ready)
    folder = tmp_path_factory.mktemp("dist")
    make = [ROOT / "packaging" / "wheels", "--this"]
    subprocess.run(make, env={**os.environ, "OUT": str(folder)}, check=True)
    return folder


@pytest.fixture
def terminal(wheels: Path, tmp_path: Path) -> Iterator[Terminal]:
    """A terminal of 80 columns in an empty folder, in which pip finds that wheel."""
    system = Path(sys.base_prefix) / "bin"
    env = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "VIRTUAL"))}
    env |= {
        "PATH": f"{system}:/usr/bin:/bin",
        "PIP_FIND_LINKS": str(wheels),
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "PIP_ROOT_USER_ACTION": "ignore",
        "VIRTUAL_ENV_DISABLE_PROMPT": "1",
        "NO_COLOR": "1",
    }
    with Terminal(tmp_path, env) as opened:
        yield opened


def test_the_session_is_as_the_page_shows_it(terminal: Terminal, tmp_path: Path):
    text = PAGE.read_text(encoding="utf-8")

    def play(block: re.Match[str]) -> str:
        language, title, body = block[1], block[2], block[3]
        if title:
            (tmp_path / title).write_text(body, encoding="utf-8")
        elif language == "python":
            (tmp_path / "ping.py").write_text(body, encoding="utf-8")
            assert "48/60 received, 20% lost" in terminal.run("python ping.py")
        else:
            assert language == "console"
            typed = re.findall(r"^\$ (.*)$", body, re.MULTILINE)
            assert all(len(command) <= 78 for command in typed)
            return "```console\n" + "".join(f"$ {one}\n{terminal.run(one)}" for one in typed) + "```\n"
        return block[0]

    played = re.sub(r'```(\w+)(?: title="(.*?)")?\n(.*?)```\n', play, text, flags=re.DOTALL)
    assert "<svg" in (tmp_path / "rtt.svg").read_text(encoding="utf-8")
    if os.environ.get("BLESS"):
        PAGE.write_text(played, encoding="utf-8")
    assert played == text, "BLESS=1 rewrites the page"
