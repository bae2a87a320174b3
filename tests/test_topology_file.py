"""Topology files with more settings than the tutorials', their schema, and programs of hosts."""

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import weir
from command import NET, weir as run_weir

ROOT = Path(__file__).parent.parent
SCHEMA = ROOT / "python" / "weir" / "topology" / "topology.schema.json"

FULL: dict[str, Any] = {
    "$schema": "topology.schema.json",
    "hosts": {
        "h1": {
            "ip": "10.0.1.1/24",
            "ip6": "2001:db8::1/64",
            "gateway": "10.0.1.254",
            "arp": {"10.0.1.254": "08:00:00:00:01:00"},
            "interfaces": [{"ip": "10.0.9.1/24", "mtu": "9000B"}],
            "processing": "50us",
            "programs": [{"class": "echo.py:Echo", "udp": 7}],
        },
        "h2": {"ip": "10.0.9.2/24", "mac": "08:00:00:00:02:22"},
        "h3": {"ip": "10.0.3.3/24", "commands": ["tc qdisc add dev eth0 root fq"]},
    },
    "switches": {
        "s1": {
            "p4": str(NET / "router.p4"),
            "cpu_port": 510,
            "queue_depth": 64,
            "priorities": 8,
            "queue_rate": "link",
        }
    },
    "links": [
        {
            "ends": ["h1", "s1-p1"],
            "rate": "10Mbit",
            "delay": "5ms",
            "loss": "1%",
            "jitter": "1ms",
            "qdisc": {"s1-p1": "fq_codel"},
        },
        {
            "ends": ["h1-eth1", "h2"],
            "rate": "unlimited",
            "queue": "64kB",
            "mtu": "1500B",
            "reorder": ["1%", "5ms"],
        },
        ["h3", "s1-p3", "1ms"],
    ],
}

PROGRAM = '''
import weir

class Echo(weir.HostProgram):
    """Sends datagrams back."""

    def on_datagram(self, datagram):
        self.send_udp(datagram.source, datagram.source_port, datagram.payload, source_port=7)
'''


@pytest.fixture
def full(tmp_path: Path) -> Path:
    """A file with that topology, and its program."""
    (tmp_path / "echo.py").write_text(PROGRAM)
    file = tmp_path / "topology.json"
    file.write_text(json.dumps(FULL))
    return file


def test_all_settings_arrive_in_the_network(full: Path):
    topo = weir.Topology.load(full)
    with weir.Network(topo) as net:
        link = net.link("h1", "s1")
        assert (link.rate, link.delay, link.loss, link.jitter) == ("10Mbit", "5ms", "1%", "1000000ns")
        assert "fq_codel" in net.tc("s1", "qdisc show dev s1-p1")
        other = net.link("h1", "h2")
        assert (other.rate, other.mtu, other.reorder) == (None, "1500B", ("1%", "5000000ns"))
        assert net.link("h3", "s1").rate == "1Gbit"
        assert net.host("h1").addresses == ["10.0.1.1", "2001:db8::1", "10.0.9.1"]
        assert "default via 10.0.1.254" in net.host("h1").cmd("ip route")
        assert "fq" in net.host("h3").tc("qdisc show dev eth0")
        assert len(net.switch("s1").queues(3)) == 8
        assert net.switch("s1").has_controller


def test_programs_of_hosts_run_from_the_start(full: Path):
    with weir.Network.load(full) as net:
        answers = []

        class Ask(weir.HostProgram):
            def start(self):
                self.send_udp("10.0.9.1", 7, b"hello", source_port=99)

            def on_datagram(self, datagram):
                answers.append((datagram.payload, net.now_ns))

        net.host("h2").run(Ask(), udp=99)
        net.run_for("1s")
        assert [payload for payload, _ in answers] == [b"hello"]


@pytest.mark.parametrize(
    ("program", "message"),
    [
        ("", 'has no class "Echo" derived from weir.HostProgram (there are: none)'),
        ("class Echo: pass", 'has no class "Echo"'),
        ("import nonsense", "ModuleNotFoundError"),
        (PROGRAM.replace("Echo", "Ecko"), 'did you mean "Ecko"'),
        (PROGRAM + "    def __init__(self, port): pass\n", "cannot be made without arguments"),
    ],
)
def test_wrong_programs(full: Path, program: str, message: str):
    (full.parent / "echo.py").write_text(program)
    with pytest.raises(weir.TopologyError, match=re.escape(message)):
        weir.Network.load(full)


def test_missing_programs(full: Path):
    (full.parent / "echo.py").unlink()
    with pytest.raises(weir.TopologyError, match="no such file"):
        weir.Network.load(full)
    code, _, err = run_weir("topology", "check", full)
    assert code == 1
    assert "no such file" in err


def test_check_runs_no_program(full: Path):
    (full.parent / "echo.py").write_text(f"raise SystemExit\n{PROGRAM}")
    assert run_weir("topology", "check", full)[0] == 0


def test_the_example_of_the_page_is_valid(tmp_path: Path):
    page = (ROOT / "docs" / "reference" / "topology.md").read_text(encoding="utf-8")
    example = re.findall(r"^```json\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert len(example) == 1
    (tmp_path / "topology.json").write_text(example[0])
    (tmp_path / "s1-runtime.json").write_text((NET / "s1-runtime.json").read_text())
    jsonschema.validate(json.loads(example[0]), json.loads(SCHEMA.read_text(encoding="utf-8")))
    with weir.Network.load(tmp_path / "topology.json", NET / "router.p4") as net:
        assert net.host("h3").ping("10.0.9.2").received == 3
        assert net.link("h2", "s1").loss == "0.1%"


def test_the_command_prints_the_schema():
    assert run_weir("topology", "schema")[1] == SCHEMA.read_text(encoding="utf-8")


def test_the_schema_accepts_what_weir_accepts(full: Path):
    validator = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8")))
    validator.check_schema(validator.schema)
    files = [full, *ROOT.rglob("tests/net/topology.json"), *ROOT.rglob("labs/weir_labs/*/topology.json")]
    assert len(files) >= 3
    for file in files:
        weir.Topology.load(file)
        validator.validate(json.loads(file.read_text()))


@pytest.mark.parametrize(
    "change",
    [
        lambda topo: topo["links"].append({"ends": ["h2", "s1-p4"], "bandwidth": 5}),
        lambda topo: topo["links"].append({"ends": ["h2"]}),
        lambda topo: topo["links"].append({"ends": ["h2", "s1-p4"], "rate": 5}),
        lambda topo: topo["links"].append({"ends": ["h2", "s1-p4"], "delay": "5"}),
        lambda topo: topo["links"].append({"ends": ["h2", "s1-p4"], "loss": "0.01"}),
        lambda topo: topo["hosts"]["h2"].pop("ip"),
        lambda topo: topo["hosts"]["h2"].update(mac="08:00"),
        lambda topo: topo["hosts"]["h2"].update(programs=[{"class": "echo.py"}]),
        lambda topo: topo["switches"]["s1"].update(program="router.p4"),
        lambda topo: topo["switches"]["s1"].update(priorities=9),
        lambda topo: topo.update(nodes={}),
        lambda topo: topo.pop("links"),
    ],
)
def test_the_schema_refuses_what_weir_refuses(full: Path, change: Any):
    validator = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text(encoding="utf-8")))
    document = json.loads(json.dumps(FULL))
    change(document)
    full.write_text(json.dumps(document))
    with pytest.raises(weir.TopologyError):
        weir.Topology.load(full)
    assert not validator.is_valid(document)


def test_the_schema_knows_each_key():
    """The keys that the reader accepts, from its source in Rust."""
    defs = json.loads(SCHEMA.read_text(encoding="utf-8"))["$defs"]
    reader = ROOT / "crates" / "weir-topology" / "src" / "read"
    for file, name in (("host", "host"), ("switch", "switch"), ("link", "link")):
        keys = re.search(
            r"const KEYS: \[&str; \d+\] = \[(.*?)\];", (reader / f"{file}.rs").read_text(), re.DOTALL
        )
        assert keys is not None
        assert set(re.findall(r'"(\w+)"', keys[1])) == set(defs[name]["properties"])
