"""The progress of experiments: on a terminal, in a notebook, in a pipe."""

from __future__ import annotations

import os
import pty
import re
import subprocess

import nbformat
import pytest
from nbclient import NotebookClient

import weir
from command import WEIR, weir as command
from experiment_file import FILE
from weir.experiments.progress import time_left


@pytest.mark.parametrize(
    ("passed_s", "done", "steps", "expected"),
    [
        (4.0, 4, 10, ", 6 s left"),
        (0.01, 4, 10, ", 0 s left"),
        (50.0, 1, 5, ", 3 min 20 s left"),
        (3600.0, 1, 3, ", 2 h 0 min left"),
        (4.0, 10, 10, ""),
    ],
)
def test_the_time_left_is_that_of_the_runs_so_far(passed_s, done, steps, expected):
    assert time_left(passed_s, done, steps) == expected


def test_a_pipe_gets_a_few_lines_with_the_time_left(tmp_path):
    (tmp_path / "study.py").write_text(FILE)
    _, _, shown = command("experiment", "run", "study.py:noisy", "--workers", "1", cwd=tmp_path)
    lines = [line for line in shown.splitlines() if line.startswith("noisy: ")]
    assert re.match(r"noisy: 4 of 24, \d+ s left: rate=1Mbit queue=16", lines[0])
    assert lines[-1].startswith("noisy: 24 of 24: ")
    assert len(lines) == 6
    assert "noisy:" not in command("experiment", "run", "study.py:noisy", "--quiet", cwd=tmp_path)[2]


def test_a_terminal_gets_a_bar_with_the_time_left(tmp_path):
    (tmp_path / "study.py").write_text(FILE)
    side, theirs = pty.openpty()
    arguments = [WEIR, "experiment", "run", "study.py:noisy", "--workers", "1"]
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "120", "SLOW": "0.1"}
    with subprocess.Popen(
        arguments, cwd=tmp_path, env=environment, stdout=subprocess.DEVNULL, stderr=theirs
    ) as process:
        os.close(theirs)
        output = b""
        try:
            while part := os.read(side, 65536):
                output += part
        except OSError:  # how Linux says that the other side is closed
            pass
        os.close(side)
        assert process.wait(60) == 0
    text = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", output.decode())
    assert re.search(r"noisy .* 24/24 0:00:00 left", text)
    assert re.search(r"noisy .*/24 0:00:0[1-9] left", text)


def test_scripts_show_none_in_a_pipe(capfd):
    weir.experiment(a=[1, 2])(lambda a: a).run(workers=1)
    assert capfd.readouterr() == ("", "")


@pytest.mark.slow
def test_notebooks_show_a_bar_and_remove_it():
    book = nbformat.v4.new_notebook()
    source = "import weir\nweir.experiment(a=[1, 2])(lambda a: a).run(workers=1).runs.height"
    book.cells = [nbformat.v4.new_code_cell(source)]
    shown = []

    class Client(NotebookClient):
        def process_message(self, message, cell, index):
            if message["msg_type"] in ("display_data", "update_display_data"):
                shown.append(message["content"]["data"])
            return super().process_message(message, cell, index)

    Client(book, timeout=60, kernel_name="python3").execute()
    assert shown[0]["text/plain"] == "<lambda>: 0 of 2"
    assert re.fullmatch(r"<lambda>: 1 of 2, \d+ s left: a=1, repetition 1", shown[1]["text/plain"])
    assert '<progress value="1" max="2"' in shown[1]["text/html"]
    assert shown[-1] == {"text/plain": "", "text/html": ""}
    texts = [output.get("data", {}).get("text/plain") for output in book.cells[0].outputs]
    assert texts == ["", "2"]
