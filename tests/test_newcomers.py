"""Mistakes of newcomers: shell signs, switches in place of hosts, units, places of files, YAML."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import weir
from command import NET, weir as command
from weir.cli.shell.shell import Shell

HOSTS = {f"h{number}": {"ip": f"10.0.0.{number}/24"} for number in (1, 2)}
BRIDGED = {"hosts": HOSTS, "switches": {"s1": {}}, "links": [["h1", "s1-p1"], ["h2", "s1-p2"]]}


@pytest.fixture
def bridged(tmp_path: Path) -> Path:
    """A topology whose switch has no program."""
    (tmp_path / "topology.json").write_text(json.dumps(BRIDGED))
    return tmp_path / "topology.json"


@pytest.mark.parametrize(
    "args",
    [("run", "-c", "h1 ping -c 1 h2"), ("ping", "h1", "h2", "-c", "1"), ("iperf", "h1", "h2", "-t", "0.01")],
)
def test_the_program_that_switches_run_by_themselves_is_told(bridged: Path, args: tuple[str, ...]):
    code, out, err = command(args[0], str(bridged), *args[1:])
    assert code == 0 and out
    assert err == (
        "note: s1 runs l2_switch, a switch that learns addresses and comes with Weir; --p4 FILE.p4 chooses another\n"
    )


def test_a_shape_tells_of_its_router_and_json_stays_json():
    code, out, err = command("ping", "--shape", "chain:2", "h1", "h2", "-c", "1", "--json")
    assert code == 0 and json.loads(out)["received"] == 1
    assert err.startswith(
        "note: s1, s2 run router, a program that comes with Weir, with routes to all hosts;"
    )


def test_nothing_is_told_of_programs_that_were_chosen(bridged: Path):
    assert command("ping", str(bridged), "h1", "h2", "-c", "1", "--p4", "l2_switch")[2] == ""
    assert (
        command("ping", str(NET / "topology.json"), "h1", "h2", "-c", "1", "--p4", str(NET / "router.p4"))[2]
        == ""
    )


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("h1 ping -c 1 h2 | grep time", "weir run … -c 'h1 ping -c 1 h2' | grep time"),
        ("h1 ping -c 1 h2 > out.txt", "weir run … -c 'h1 ping -c 1 h2' > out.txt"),
        ("pingall >out.txt", '">" works in a shell, but not at this prompt'),
        ("h1 ping h2 && h2 ping h1", 'type each command on a line of its own; did you mean "h1 ping h2"?'),
        ("h1 ping h2; h2 ping h1", 'type each command on a line of its own; did you mean "h1 ping h2"?'),
        ("iperf s1 h2", 'iperf: s1 is a switch, and only hosts send and answer; did you mean "h1 iperf h2"?'),
        ("s1 ping h2", 'ping: s1 is a switch, and only hosts send and answer; did you mean "h1 ping h2"?'),
        ("iperf s1 s1", "iperf: s1 is a switch, and only hosts send and answer"),
        ("s1 iperf3 h2", "iperf3: s1 is a switch, and only hosts send and answer"),
        ("h1 iperf s1", '"s1" is a switch, and only hosts send and answer: there are h1, h2'),
        ("h1 ping s1", '"s1" is a switch, and only hosts send and answer: there are h1, h2'),
        ("h1 iperf -u -b 1Mbit h2", 'iperf: -b takes a number such as 10 or 2.5M, found "1Mbit"; did you mean "1M"?'),
        ("h1 iperf -b 2.5Gbps h2", 'found "2.5Gbps"; did you mean "2.5G"?'),
        ("h1 iperf -b 100kbit/s h2", 'found "100kbit/s"; did you mean "100k"?'),
        ("h1 iperf -n 5MB h2", 'found "5MB"; did you mean "5M"?'),
    ],
)  # fmt: skip
def test_mistyped_commands_are_refused(network: weir.Network, capsys, typed: str, message: str):
    assert not Shell(network).run(typed)
    out, err = capsys.readouterr()
    assert not out and message in err and err.count("\n") == 1


def test_bits_are_no_bytes(network: weir.Network, capsys):
    # -n counts bytes: leaving out the unit would send eight times as much.
    assert not Shell(network).run("h1 iperf -n 5Mbit h2")
    assert "did you mean" not in capsys.readouterr().err


def test_runtime_commands_keep_their_arrows(network: weir.Network):
    assert Shell(network).run("s1 table_add ipv4_lpm ipv4_forward 10.0.9.0/24 => 08:00:00:00:09:99 1")


@pytest.mark.parametrize(
    "args", [("iperf", "s1", "h2"), ("iperf", "h1", "s1"), ("ping", "s1", "h2"), ("ping", "h1", "s1")]
)
def test_a_switch_in_place_of_a_host(bridged: Path, args: tuple[str, ...]):
    code, out, err = command(args[0], str(bridged), *args[1:])
    assert (code, out) == (1, "")
    assert err.endswith('error: "s1" is a switch, and only hosts send and answer: there are h1, h2\n')


@pytest.mark.parametrize("option", ["--plot", "--csv"])
@pytest.mark.parametrize("tool", ["ping", "iperf"])
def test_a_missing_folder_is_told_before_the_run(bridged: Path, tool: str, option: str):
    name = "a.svg" if option == "--plot" else "a.csv"
    missing, folder = bridged.parent / "no" / name, bridged.parent / "folder.svg"
    folder.mkdir()
    run = (tool, str(bridged), "h1", "h2", "-W" if tool == "ping" else "-t", "0.01", option)
    code, out, err = command(*run, str(missing))
    assert (code, out) == (1, "")
    assert err == (
        f'error: {missing}: cannot be written: there is no folder {missing.parent}; did you mean "mkdir -p {missing.parent}"?\n'
    )
    assert command(*run, str(folder))[2] == f"error: {folder}: cannot be written: it is a folder\n"
    assert command(*run, str(bridged / name))[2].endswith(f"{bridged} is a file, not a folder\n")
    # A device, a link to a file of another folder, and an existing file are written as before.
    written = bridged.parent / name
    written.write_text("old")
    assert command(*run, str(written))[0] == 0 and written.read_text() != "old"


def test_other_commands_check_before_they_read(tmp_path: Path):
    missing = tmp_path / "no" / "a.svg"
    for args in (
        ("draw", "no-such-file.json", "-o", str(missing)),
        ("example", "run", "aqm", "--plot", str(missing)),
        ("telemetry", "drops", "no-such-store", "--csv", str(missing)),
        ("lab", "fit", "no-such-file.csv", "--out", str(missing)),
    ):
        code, out, err = command(*args)
        assert (code, out) == (1, "") and f"{missing}: cannot be written: there is no folder" in err


def test_yaml_is_told_how_to_become_json(tmp_path: Path):
    (tmp_path / "net.yaml").write_text("hosts:\n  h1: {ip: 10.0.0.1/24}\n")
    with pytest.raises(weir.TopologyError, match="is YAML, and Weir reads JSON") as caught:
        weir.Topology.load(tmp_path / "net.yaml")
    assert f"< {tmp_path / 'net.yaml'} > {tmp_path / 'net.json'}" in str(caught.value)
    lab = {"name": "lab", "topology": {"nodes": {"h1": {"kind": "linux"}}}}
    (tmp_path / "lab.clab.yml").write_text("name: lab\ntopology:\n  nodes:\n    h1: {kind: linux}\n")
    (tmp_path / "lab.clab.json").write_text(json.dumps(lab))
    for name in ("lab.clab.yml", "lab.clab.json"):
        with pytest.raises(
            weir.TopologyError, match="a topology of containerlab, whose nodes are containers"
        ):
            weir.Topology.load(tmp_path / name)


def test_python_says_what_to_do_about_a_missing_folder(bridged: Path, tmp_path: Path):
    script = tmp_path / "script.py"
    script.write_text(
        "import sys, weir\n"
        f"with weir.Network.load({str(bridged)!r}) as net:\n"
        "    result = net.host('h1').ping('h2', count=1)\n"
        "    eval(sys.argv[1])\n"
    )
    for call, name in [
        ("result.plot('no/a.png')", "no/a.png"),
        ("result.to_csv('no/a.csv')", "no/a.csv"),
        ("result.to_parquet('no/b/a.parquet')", "no/b/a.parquet"),
        ("net.capture('no/a.pcapng', ['h1'])", "no/a.pcapng"),
    ]:
        ended = subprocess.run(
            [sys.executable, script, call], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        folder = Path(name).parent
        first, *frames = ended.stderr.splitlines()
        assert first == (
            f'FileError: {name}: cannot be written: there is no folder {folder}; did you mean "mkdir -p {folder}"?'
        )
        # No line of Weir or of the context managers between.
        assert {line.split('"')[1] for line in frames if 'File "' in line} == {str(script), "<string>"}


def test_compile_says_what_to_do_about_a_missing_folder(tmp_path: Path):
    missing = tmp_path / "no" / "a.txtpb"
    code, out, err = command("compile", str(NET / "router.p4"), "--p4info", str(missing))
    assert (code, out) == (1, "")
    assert err == (
        f"error: {missing}: cannot be written: there is no folder {missing.parent}; "
        f'did you mean "mkdir -p {missing.parent}"?\n'
    )
