"""The cell magic ``%%p4`` of notebooks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from IPython.core.interactiveshell import ExecutionResult, InteractiveShell
from IPython.utils.capture import CapturedIO, capture_output

import weir
import weir.lab.new

PROGRAM = (Path(weir.lab.new.__file__).parent / "templates/hello/hello.p4").read_text(encoding="utf-8")


@pytest.fixture
def shell(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[InteractiveShell]:
    monkeypatch.chdir(tmp_path)
    shell = InteractiveShell.instance(ipython_dir=str(tmp_path / "ipython"))
    shell.run_line_magic("load_ext", "weir.notebook")
    yield shell
    InteractiveShell.clear_instance()


def run(shell: InteractiveShell, cell: str) -> tuple[ExecutionResult, CapturedIO]:
    with capture_output() as captured:
        result = shell.run_cell(cell)
    return result, captured


def test_a_program_is_a_variable_that_networks_run(shell: InteractiveShell) -> None:
    result, _ = run(shell, f"%%p4 hello\n{PROGRAM}")
    program = shell.user_ns["hello"]
    assert result.success and isinstance(program, weir.Program)
    # Two runs of a notebook have the same output.
    assert repr(program) == "<weir.Program hello.p4: 0 tables>" and "weir-p4-" not in program._repr_html_()
    topology = weir.Topology()
    topology.add_switch("s1")
    for number in (1, 2):
        topology.add_host(f"h{number}", ip=f"10.0.0.{number}/24")
        topology.add_link(f"h{number}", "s1")
    with weir.Network(topology, p4=program) as net:
        assert net.host("h1").ping("h2", count=2).received == 2


def test_files_of_the_folder_can_be_included(shell: InteractiveShell, tmp_path: Path) -> None:
    (tmp_path / "more.p4").write_text("const bit<8> MORE = 3;\n", encoding="utf-8")
    text = PROGRAM.replace("struct headers", '#include "more.p4"\nstruct headers')
    assert run(shell, f"%%p4 hello\n{text}")[0].success


def test_a_wrong_program_shows_its_mistakes(shell: InteractiveShell) -> None:
    run(shell, f"%%p4 hello\n{PROGRAM}")
    result, captured = run(shell, f"%%p4 hello\n{PROGRAM.replace('ingress_port', 'ingres<b>port')}")
    assert not result.success and "hello" not in shell.user_ns
    assert "error: hello: the program has errors" in captured.stdout
    assert "Traceback" not in captured.stdout and "run_cell_magic" not in captured.stdout
    html = captured.outputs[0].data["text/html"]
    assert "hello.p4:15:" in html and "weir-p4-" not in html
    assert "ingres&lt;b&gt;port" in html and "<b>" not in html
    # A cell that compiles again has the variable again.
    run(shell, f"%%p4 hello\n{PROGRAM}")
    assert "hello" in shell.user_ns


@pytest.mark.parametrize("name", ["", "a b", "../x", "1a", "a.p4", "\x1b[31m", "class"])
def test_the_name_is_that_of_a_variable(shell: InteractiveShell, name: str) -> None:
    result, captured = run(shell, f"%%p4 {name}\n{PROGRAM}")
    assert not result.success
    assert "takes the name of a variable" in captured.stdout and "\x1b" not in captured.stdout
