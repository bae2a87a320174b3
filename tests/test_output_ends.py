"""Every command ends without a traceback if the reader of its output leaves or the disk is full."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from command import NET, RUN, WEIR
from weir.cli.app import app

TOPOLOGY, P4 = str(NET / "topology.json"), str(NET / "router.p4")
STF = str(Path(__file__).parent.parent / "testdata" / "stf" / "copies.stf")
EXPERIMENT = '''"""Text."""
import weir

@weir.experiment(rate=[1, 2])
def doubled(rate):
    """Twice."""
    return {"y": 2 * rate}
'''

PRINTING = [
    ["--help"],
    ["--version"],
    ["--version", "--verbose"],
    ["check", "--help"],
    ["check", "--json", "wrong.p4"],
    ["explain"],
    ["explain", "preprocess-define"],
    ["compile", P4, "--p4info", "-"],
    ["ir", P4],
    ["test", STF],
    ["test", "--json", STF],
    ["trace", P4, "--packet", "00" * 60, "--port", "1"],
    [*RUN, "-c", "h1 ping -c 1 h2"],
    [*RUN, "-c", "nodes", "--json"],
    ["shims", "install", "new"],
    ["topology", "check", TOPOLOGY],
    ["topology", "schema"],
    ["draw", TOPOLOGY],
    ["ping", TOPOLOGY, "h1", "h2", "-c", "1", "--p4", P4],
    ["ping", TOPOLOGY, "h1", "h2", "-c", "1", "--p4", P4, "--json"],
    ["iperf", TOPOLOGY, "h1", "h2", "-t", "0.1", "--p4", P4],
    ["example", "list"],
    ["example", "copy", "nat", "new"],
    ["grade", "--help"],
    ["ui", "--help"],
    ["grade", "tags", "--copy", "new"],
    ["lab", "list"],
    ["lab", "list", "--json"],
    ["lab", "list", "delay"],
    ["lab", "copy", "delay", "new"],
    ["lab", "new", "new"],
    ["experiment", "list", "own.py"],
    ["experiment", "run", "own.py", "--out", "out"],
    ["telemetry", "--help"],
    ["ap", "--help"],
    ["top", "--help"],
    ["bench", "compile", P4],
    ["bfrt", "--help"],
    ["completion", "bash"],
    ["man", "new"],
    ["switch", "--help"],
    ["switch", "--version"],
    ["link", "--help"],
]


def test_all_commands_are_here():
    assert {*app.list_commands(None)} <= {words[0] for words in PRINTING}


@contextmanager
def full_disk() -> Iterator[int]:
    out = os.open("/dev/full", os.O_WRONLY)
    yield out
    os.close(out)


@contextmanager
def closed_pipe() -> Iterator[int]:
    ours, far_end = os.pipe()
    os.close(ours)
    yield far_end
    os.close(far_end)


def end(words: list[str], folder: Path, **streams: int) -> tuple[int, str]:
    """Runs a command that buffers its output; returns its exit code and its other output."""
    (folder / "wrong.p4").write_text("header h_t { bit<8> a }\n")
    (folder / "own.py").write_text(EXPERIMENT)
    env = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    rest = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | streams
    ended = subprocess.run(
        words if words[0] == sys.executable else [WEIR, *words],
        cwd=folder,
        env=env,
        text=True,
        check=False,
        timeout=120,
        **rest,
    )
    return ended.returncode, (ended.stdout or "") + (ended.stderr or "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
@pytest.mark.parametrize("words", PRINTING, ids=" ".join)
def test_a_full_disk_is_one_message(words: list[str], tmp_path: Path):
    with full_disk() as out:
        code, err = end(words, tmp_path, stdout=out)
    messages = [line for line in err.splitlines() if line.endswith("No space left on device")]
    assert (code, len(messages)) == (1, 1), err
    assert messages[0].startswith("error: ") and "Traceback" not in err and "ignored" not in err


@pytest.mark.parametrize("words", PRINTING, ids=" ".join)
def test_a_closed_pipe_is_silent(words: list[str], tmp_path: Path):
    with closed_pipe() as out:
        code, err = end(words, tmp_path, stdout=out)
    # Progress and notes may appear.
    assert (code, [word for word in ("error", "Traceback", "ignored") if word in err]) == (1, []), err


def test_stand_ins_end_like_commands(tmp_path: Path):
    code = "import sys; from weir.dropin.p4c import bm2_ss; sys.exit(bm2_ss())"
    words = [sys.executable, "-c", code, "--version"]
    with closed_pipe() as out:
        assert end(words, tmp_path, stdout=out) == (1, "")
    if Path("/dev/full").exists():
        with full_disk() as out:
            assert end(words, tmp_path, stdout=out) == (1, "p4c-bm2-ss: error: No space left on device\n")


@pytest.mark.parametrize("opened", [full_disk, closed_pipe])
@pytest.mark.parametrize(
    ("words", "expected"),
    [(["nosuch"], 2), (["check", "missing.p4"], 1), (["lab", "run", "dely"], 1), (["switch", "-x"], 2)],
)
def test_a_lost_error_keeps_its_code(words: list[str], expected: int, opened, tmp_path: Path):
    if opened is full_disk and not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    with opened() as err:
        assert end(words, tmp_path, stderr=err) == (expected, "")
