"""The stand-ins for the programs of Tofino's software."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from weir.dropin.options import read
from weir.dropin.tofino import bf_p4c, p4_build, run_bfshell, run_switchd, run_tofino_model
from weir.dropin.tofino.places import default_interfaces, read_interfaces
from weir.dropin.tofino.shell import _scripts
from weir.dropin.tofino.switchd import _RUN, _SWITCHD, command_line
from weir.errors import FileError

PROGRAM = Path(__file__).parents[2] / "testdata" / "tna" / "registers.p4"


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder for compiled programs that contains one program."""
    monkeypatch.setenv("SDE_INSTALL", str(tmp_path / "install"))
    assert p4_build([str(PROGRAM), "P4_NAME=cells", "P4FLAGS=-D X=1", "--with-tofino"]) == 0
    return tmp_path / "install"


def test_a_built_program_starts_with_its_interfaces(install: Path, tmp_path: Path):
    tables = json.loads((install / "share/tofinopd/cells/bf-rt.json").read_text())
    assert tables["schema_version"] == "1.0.0"
    ports = tmp_path / "ports.json"
    ports.write_text(
        json.dumps(
            {
                "PortToVeth": [{"device_port": 9, "veth1": 2, "veth2": 3}],
                "PortToIf": [{"device_port": 1, "if": "lo"}],
            }
        )
    )
    assert read_interfaces(ports) == {9: "veth2", 1: "lo"}
    line = command_line(read(["-p", "cells", "-f", str(ports), "--arch", "tf1"], _RUN))
    program = install / "share/tofinopd/cells/pipe/cells.json"
    assert line == ["weir switch", str(program), "--end-at-hangup", "--bfrt", "127.0.0.1:50052", "-i", "1@lo"]
    assert program.read_bytes() == program.with_name("tofino.bin").read_bytes()
    configuration = install / "share/p4/targets/tofino/cells.conf"
    listed = install / "share" / "weir-ports.json"
    listed.write_text(ports.read_text())
    given = ["--conf-file", str(configuration), "--install-dir", str(install), "--bfrt-grpc-port=1"]
    assert command_line(read(given, _SWITCHD))[3:] == ["--bfrt", "127.0.0.1:1", "-i", "1@lo"]
    assert default_interfaces("tofino2")[8] == "veth0" and default_interfaces("tofino")[64] == "veth250"


def test_the_compiler_writes_the_folder_of_tofino_s(tmp_path: Path):
    out = tmp_path / "out"
    assert bf_p4c(["--target", "tofino", "--arch", "tna", "-o", str(out), "-g", str(PROGRAM)]) == 0
    names = {str(path.relative_to(out)) for path in out.rglob("*") if path.is_file()}
    assert {"bf-rt.json", "registers.conf", "pipe/context.json", "pipe/tofino.bin"} <= names


@pytest.mark.parametrize(
    ("act", "arguments", "expected"),
    [
        (p4_build, [], "expected one P4 program, found none"),
        (bf_p4c, ["--target", "tofino9", "x.p4"], "there is no chip tofino9 here"),
        (run_switchd, [], "expected -p NAME or -c FILE"),
        (run_switchd, ["-p", "other"], "other is not built"),
        (run_switchd, ["-p", "cells", "--skip-p4"], "--skip-p4 is not supported"),
        (run_switchd, ["-p", "cells", "-f", "/dev/null"], "is not JSON"),
        (run_bfshell, ["-a", "1.2.3.4"], "-a is not supported"),
    ],
)
def test_mistakes_are_explained(install: Path, capsys: pytest.CaptureFixture[str], act, arguments, expected):
    assert act(arguments) == 1
    assert expected in capsys.readouterr().err


def test_all_show_their_options(capsys: pytest.CaptureFixture[str]):
    for act in (p4_build, bf_p4c, run_switchd, run_tofino_model, run_bfshell):
        assert act(["--help"]) == 0
        assert "Usage: " in capsys.readouterr().out


def test_files_of_commands_name_scripts(tmp_path: Path):
    file = tmp_path / "commands"
    file.write_text("# start\nbfrt_python /a/b.py true\nexit\n")
    assert _scripts(file) == ["/a/b.py"]
    with pytest.raises(FileError):
        _scripts(tmp_path / "none")
