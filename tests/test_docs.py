"""What the page about traffic shows does what it says."""

import re
import shutil
from pathlib import Path

import pytest

import weir

NET = Path(__file__).parent / "net"
PAGE = (Path(__file__).parent.parent / "docs" / "reference" / "traffic.md").read_text()
FIRST, BALANCED, *PROGRAMS = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)


def test_the_first_example(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    shutil.copytree(NET, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    exec(FIRST, {})
    out = capsys.readouterr().out
    assert "h1 -> h2: " in out and "delivered, 0 dropped" in out
    assert Path("queue.png").exists() and Path("window.png").exists()


def test_the_load_balancer(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    monkeypatch.chdir(NET)
    names: dict = {"weir": weir}
    exec(BALANCED, names)
    assert names["requests"].finished == 30
    assert {stream.server for stream in names["flows"].streams} == set(names["backends"])
    assert sum(names["datagrams"].streams[0].by_server.values()) == 100
    out = capsys.readouterr().out
    assert all(name in out for name in names["backends"])


def test_the_programs(network: weir.Network, capsys: pytest.CaptureFixture[str]):
    h1, h2 = network.host("h1"), network.host("h2")
    names: dict = {"weir": weir, "h1": h1, "h2": h2}
    for text in PROGRAMS:
        exec(text, names)
    h2.run(names["Server"](), tcp=80)
    h1.run(names["Download"]())
    network.run_for("5s")
    lines = capsys.readouterr().out.splitlines()
    assert sum(int(line.split()[1]) for line in lines[:-1]) == 1_000_000
    assert lines[-1] == "closed"
