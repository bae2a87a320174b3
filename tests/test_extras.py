"""Features that work without the libraries of the extra `lab`, and errors that name the extra."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from command import NET, RUN, WEIR

HIDDEN = ("cloudpickle", "duckdb", "jinja2", "loky", "matplotlib", "numpy", "polars", "scipy")
MISSING = "which is not installed: pip install 'p4weir[lab]'\n"


@pytest.fixture
def bare(tmp_path: Path):
    """Runs the command in an environment in which these libraries cannot be imported."""
    hide = tmp_path / "hide"
    hide.mkdir()
    (hide / "sitecustomize.py").write_text(f"import sys\nsys.modules.update(dict.fromkeys({HIDDEN}))\n")

    def call(*args: str | Path) -> tuple[int, str, str]:
        ended = subprocess.run(
            [WEIR, *map(str, args)],
            env={**os.environ, "PYTHONPATH": str(hide)},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert "Traceback" not in ended.stderr, ended.stderr
        return ended.returncode, ended.stdout, ended.stderr

    return call


def test_programs_are_checked_tested_and_traced(bare):
    assert bare("check", NET / "router.p4") == (0, "", "")
    stf = Path(__file__).parent.parent / "testdata" / "stf"
    assert bare("test", stf / "match.p4", stf / "match.stf")[0] == 0
    code, out, _ = bare("trace", NET / "router.p4", "--port", "1", "--packet", "00" * 60)
    assert code == 0 and out.startswith("packet 0: in on port 1")
    assert "bad-cast" in bare("explain", "bad-cast")[1]
    assert bare("ir", NET / "router.p4")[0] == 0


def test_networks_run(bare, tmp_path: Path):
    code, out, _ = bare(*RUN, "-c", "h1 ping -c 1 h2", "-c", "h1 iperf -n 10000 -b 1M h2", "-c", "tables s1")
    assert code == 0 and "1 received" in out and "ipv4_lpm" in out
    net = [NET / "topology.json", "h1", "h2", "--p4", NET / "router.p4"]
    assert bare("ping", *net, "-c", "2", "--csv", "rtt.csv", "--json")[0] == 0
    assert len((tmp_path / "rtt.csv").read_text().splitlines()) == 3
    assert bare("lab", "list")[0] == 0


def test_without_the_labs_the_command_says_what_to_install(bare, tmp_path: Path):
    hidden = 'lambda **chosen: tuple(one for one in found(**chosen) if one.dist.name != "p4weir-labs")'
    start = f"import importlib.metadata as m\nfound = m.entry_points\nm.entry_points = {hidden}\n"
    (tmp_path / "hide" / "sitecustomize.py").write_text(start)
    missing = "Weir's own labs are not installed: pip install 'p4weir[lab]'\n"
    assert bare("lab", "list") == (1, "", f"error: {missing}")
    for command in (("run", "delay"), ("list", "delay"), ("copy", "delay", "mine")):
        assert bare("lab", *command) == (1, "", f'error: there is no lab "delay": {missing}')
    assert bare("lab", "fit", "a.csv") == (1, "", "error: a.csv: no such file\n")
    # Labs of others work.
    code, out, _ = bare("lab", "list", Path(__file__).parent / "labs" / "tiny")
    assert code == 0 and "product" in out


def test_commands_name_a_missing_extra_before_they_run(bare, tmp_path: Path):
    net = [NET / "topology.json", "h1", "h2", "--p4", NET / "router.p4"]
    for command in ("ping", "iperf"):
        assert bare(command, *net, "--plot", "a.png") == (1, "", f"error: plots need matplotlib, {MISSING}")
    assert bare("draw", "none.json", "-o", "a.png") == (1, "", f"error: plots need matplotlib, {MISSING}")
    assert bare("draw", NET / "topology.json") == (0, "topology.svg\n", "")
    lacks = f"error: telemetry stores need duckdb, {MISSING}"
    assert bare("telemetry", "listen", "--udp", "127.0.0.1:0", "--store", "run1") == (1, "", lacks)
    code, out, err = bare("lab", "run", "delay", "--quick")
    assert (code, out) == (1, "") and err.startswith("error: labs need ") and err.endswith(MISSING)
    assert not (tmp_path / "out").exists()
    (tmp_path / "study.py").write_text(
        "import weir\n\n@weir.experiment(a=[1])\ndef study(a):\n    return a\n"
    )
    code, out, err = bare("experiment", "list", tmp_path / "study.py")
    assert (code, out, err) == (1, "", f"error: experiments need cloudpickle, {MISSING}")


def test_results_are_lists_and_files_without_the_extra(bare, tmp_path: Path):
    script = tmp_path / "script.py"
    script.write_text(
        "import json, weir\n"
        f"with weir.Network.load({str(NET / 'topology.json')!r}, {str(NET / 'router.p4')!r}) as net:\n"
        "    result = net.host('h1').ping('h2', count=2)\n"
        "print(json.dumps(result.rows()))\n"
        "for call in (result.to_frame, lambda: result.to_parquet('a'), lambda: result.plot('a.png')):\n"
        "    try:\n"
        "        call()\n"
        "    except weir.MissingExtraError as error:\n"
        "        print(error)\n"
    )
    ended = subprocess.run(
        [WEIR.with_name("python"), script],
        env={**os.environ, "PYTHONPATH": str(tmp_path / "hide")},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    rows, *errors = ended.stdout.splitlines(keepends=True)
    assert [row["seq"] for row in json.loads(rows)] == [1, 2]
    assert set(json.loads(rows)[0]) == {"seq", "time_s", "rtt_ms", "ttl", "bytes"}
    assert errors == [
        f"{what}, {MISSING}" for what in ("data frames need polars",) * 2 + ("plots need matplotlib",)
    ]


def test_telemetry_without_the_extra_has_its_numbers_and_names_the_extra(bare, tmp_path: Path):
    script = tmp_path / "script.py"
    script.write_text(
        "import weir\n"
        "from weir.telemetry import PORT_INT, Instruction, words_of\n"
        "print(PORT_INT, words_of(Instruction.NODE | Instruction.INGRESS_TIME))\n"
        "for name in ('Collector', 'read_reports', 'Hop'):\n"
        "    try:\n"
        "        getattr(weir.telemetry, name)\n"
        "    except weir.MissingExtraError as error:\n"
        "        print(error)\n"
    )
    ended = subprocess.run(
        [WEIR.with_name("python"), script],
        env={**os.environ, "PYTHONPATH": str(tmp_path / "hide")},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    # The class of hops alone needs nothing.
    assert ended.stdout == "5555 3\n" + f"telemetry reports need numpy, {MISSING}" * 2
