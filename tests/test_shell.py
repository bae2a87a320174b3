"""The commands of ``weir run`` and ``weir topology``."""

import json
from pathlib import Path

import pytest

from command import NET, RUN, commands, weir

DELAY = Path(__file__).parent.parent / "labs" / "weir_labs" / "delay"


def test_help_is_a_table_of_80_columns_in_groups():
    code, out, err = weir(*commands("help"))
    assert (code, err) == (0, "")
    lines = out.splitlines()
    assert max(map(len, lines)) <= 80
    assert [line for line in lines if line and line[0].isupper()] == [
        "Traffic",
        "Show",
        "Watch",
        "Change",
        "Session",
    ]
    for command in (
        "HOST ping TARGET",
        "HOST traceroute TARGET",
        "capture [FILE END...]",
        "counters SWITCH [COUNTER]",
    ):
        assert any(line.startswith(f"  {command} ") for line in lines), command
    for command in ("nodes", "why", "jobs", "wait [TIME|%N]", "source FILE", "packets SWITCH"):
        assert any(line.startswith(f"  {command} ") for line in lines), command


@pytest.mark.parametrize(
    "name", ["ping", "iperf", "traceroute", "trace", "capture", "tools", "packet_out", "link"]
)
def test_the_description_of_a_command_has_80_columns(name: str):
    code, out, err = weir(*commands(f"help {name}"))
    assert (code, err) == (0, "")
    assert max(map(len, out.splitlines())) <= 80
    assert "Example: " in out


def test_question_marks_are_help():
    assert weir(*commands("?")) == weir(*commands("help"))
    assert weir(*commands("? ping")) == weir(*commands("help ping"))
    assert weir(*commands("s1 ?")) == weir(*commands("s1 help"))
    assert "HOST traceroute" in weir(*commands("h1 ?"))[1]


def test_nodes_show_programs_and_profiles():
    code, out, err = weir(*commands("nodes"), "--profile", "bmv2-vm")
    assert (code, err) == (0, "")
    assert out.splitlines()[-1].split() == [
        "s1",
        str(NET / "router.p4"),
        "bmv2-vm",
        "(312.5us,",
        "3,200",
        "passes/s)",
        "1",
        "2",
    ]


def test_captures(tmp_path: Path):
    file = tmp_path / "pings.pcapng"
    lines = [
        f"capture {file} h1 s1-p2 -f icmp",
        "capture",
        "h1 ping -c 2 h2",
        "capture off",
        "capture",
        "h1 ping -c 1 h2",
    ]
    code, out, err = weir(*commands(*lines))
    assert (code, err) == (0, "")
    assert f"{file} is being written\n" in out
    assert f"{file} is complete\nnothing is captured\n" in out
    import weir as package

    assert len(package._core.read_capture(str(file), 100)) == 8


def test_a_capture_is_complete_at_the_end(tmp_path: Path):
    file = tmp_path / "all.pcapng"
    assert weir(*commands(f"capture {file} h1", "h1 ping -c 1 h2"))[0] == 0
    assert file.exists()


def test_files_of_commands(tmp_path: Path):
    (tmp_path / "inner.txt").write_text("wait 1\nh1 png h2\n")
    (tmp_path / "setup.txt").write_text(
        "# links\n\nlink h1 s1 rate 5Mbit\nlink h1 s1 delay 3ms\nsource inner.txt\nlinks\nsource setup.txt\n"
    )
    code, out, err = weir(*commands("source setup.txt"), cwd=tmp_path)
    assert code == 1
    assert out.splitlines() == [
        "the network's time is 1s",
        "end  end    rate    delay  loss",
        "h1   s1-p1  5Mbit   3ms    0%",
        "h2   s1-p2  10Mbit  2ms    0%",
    ]
    first, second = err.splitlines()
    assert first.startswith('error: inner.txt:2: h1 has no command "png"')
    assert second == "error: setup.txt:7: source: setup.txt is already being read"


def test_traceroute():
    code, out, err = weir(
        *commands("h1 traceroute -q 1 h2", "h1 ip route del default", "h1 traceroute -m 2 -q 2 h2")
    )
    assert (code, err) == (1, "")
    lines = out.splitlines()
    assert lines[0] == "traceroute to h2 (10.0.2.2), 30 hops max"
    # The router forwards packets whose time to live is over, and sends no ICMP errors.
    assert lines[1].split()[:3] == ["1", "h2", "(10.0.2.2)"]
    assert lines[2:] == ["traceroute to h2 (10.0.2.2), 2 hops max", " 1  *  *", " 2  *  *"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("wait x", "cannot read time 'x'"),
        ("source none.txt", "none.txt: no such file"),
        ("capture off", "capture: no capture is running"),
        ("capture x.pcapng", "capture: expected a file and the ends of links"),
        ("capture x.pcapng h9", 'there is no host or switch "h9"; did you mean "h1"?'),
        ("capture x.pcapng h1 -f", "capture: expected a filter after -f"),
        ("counters s1 bytes", 'there is no counter "bytes"'),
        ("h1 traceroute", "traceroute: expected one target, found 0"),
        ("h1 traceroute -q x h2", 'traceroute: -q takes a whole number, found "x"'),
        ("h1 traceroute -m 256 h2", "max_hops: 256 is out of range: expected 1 to 255"),
        ("link h1 s1 rate", "link: expected two nodes and up, down, rate RATE"),
        ("packets s1", "s1 has no CPU port for a controller"),
        ("packet_out s1", "packet_out: expected a switch and a packet in hexadecimal digits"),
    ],
)
def test_mistakes(line: str, message: str):
    code, out, err = weir(*commands(line))
    assert (code, out) == (1, "")
    assert message in err


def _topology(folder: Path, **programs: str) -> Path:
    switches = {name: {"p4": program} for name, program in programs.items()} or {"s1": {}}
    if "s2" not in switches:
        switches["s2"] = {}
    file = folder / "topology.json"
    file.write_text(
        json.dumps({"hosts": {"h1": {"ip": "10.0.1.1/24"}}, "switches": switches, "links": [["h1", "s1-p1"]]})
    )
    return file


def test_a_program_that_no_switch_would_run_is_an_error(tmp_path: Path):
    other, own = DELAY / "delay.p4", str(NET / "router.p4")
    code, _, err = weir("run", _topology(tmp_path, s1=own, s2=own), "--p4", other, "-c", "nodes")
    assert code == 1
    assert f"no switch would run {other}: the topology names a program for each (s1: {own}, s2: {own})" in err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["--p4", NET / "router.p4"],
            f"no switch would run {NET / 'router.p4'}: the topology has no switches",
        ),
        (["--executor", "interp"], "executor (--executor) is for switches, and the topology has none"),
        (["--profile", "bmv2-vm"], "profile (--profile) is for switches, and the topology has none"),
        (["-I", NET], "include (-I) is for switches, and the topology has none"),
        (["-D", "X=1"], "-D is for the program of --p4, which is not given"),
    ],
)
def test_options_of_switches_need_switches(tmp_path: Path, options: list[str | Path], message: str):
    file = tmp_path / "topology.json"
    hosts = {f"h{number}": {"ip": f"10.0.1.{number}/24"} for number in (1, 2)}
    file.write_text(json.dumps({"hosts": hosts, "switches": {}, "links": [["h1", "h2"]]}))
    for world in ("virtual", "linux") if options[0] in ("--p4", "--executor") else ("virtual",):
        code, out, err = weir("ping", file, "h1", "h2", "-c", "1", "--world", world, *options)
        assert code != 0 and out == "" and message in err


def test_a_program_that_some_switches_do_not_run_is_a_warning(tmp_path: Path):
    other, own = DELAY / "delay.p4", str(NET / "router.p4")
    code, out, err = weir("run", _topology(tmp_path, s1=own), "--p4", other, "-c", "nodes")
    assert code == 0
    assert (
        err
        == f"warning: --p4 {other} does not apply to switches whose program the topology names: s1 ({own})\n"
    )
    assert f"s1      {own}" in out
    assert f"s2      {other}" in out


def test_seeds_and_noise_on_the_command_line():
    run = [*RUN, "-c", "h1 ping -c 3 h2"]
    assert weir(*run, "--seed", "1") == weir(*run, "--seed", "2")
    noisy = [weir(*run, "--noise", "realistic", "--seed", str(seed))[1] for seed in (1, 1, 2)]
    assert noisy[0] == noisy[1] != noisy[2]


def test_topologies_are_checked(tmp_path: Path):
    good = _topology(tmp_path)
    code, out, err = weir("topology", "check", good, NET / "topology.json")
    assert code == 0
    assert out.splitlines() == [
        f"{good} is valid (hosts: 1, switches: 2, links: 1)",
        f"{NET / 'topology.json'} is valid (hosts: 2, switches: 1, links: 2)",
    ]
    assert err == f"{good}: note: no link is connected to s2\n"
    bad = tmp_path / "bad.json"
    bad.write_text(good.read_text().replace('"s1-p1"', '"s3-p1"'))
    code, out, err = weir("topology", "check", bad, good)
    assert code == 1
    assert "bad.json:" in err
    assert 'there is no host or switch "s3-p1"; did you mean "s1-p1"?' in err
    assert "is valid" in out
