"""A forked command has the same effect as the command in a process of its own."""

from pathlib import Path

import pytest

from command import NET, RUN, process, weir


@pytest.mark.parametrize(
    ("words", "stdin"),
    [
        (["--version"], ""),
        (["check", NET / "router.p4"], ""),
        (["check", "missing.p4"], ""),
        (["run", "--no-such-option"], ""),
        ([*RUN], "h1 ping -c 1 h2\nnodes\n"),
        ([*RUN, "-c", "no-such-command"], ""),
        (["draw", NET / "topology.json", "-o", "here.svg"], ""),
    ],
)
def test_a_forked_command_does_the_same(words: list[str | Path], stdin: str, tmp_path: Path):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    assert weir(*words, stdin=stdin, cwd=tmp_path / "a") == process(*words, stdin=stdin, cwd=tmp_path / "b")
    files = [{path.name: path.read_bytes() for path in (tmp_path / name).iterdir()} for name in "ab"]
    assert files[0] == files[1]


def test_the_environment_of_a_test_counts(monkeypatch: pytest.MonkeyPatch):
    assert "\x1b[" not in weir("check", "missing.p4")[2]
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert weir("check", "missing.p4") == process("check", "missing.p4")
