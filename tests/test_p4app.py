"""p4-utils' p4app.json, wherever a topology file is taken."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import weir
from command import weir as run_weir

LINKS = [["h1", "s1"], ["h2", "s1", {"bw": 10, "delay": "2ms"}], ["s1", "s2"], ["h3", "s2"]]


def write(folder: Path, strategy: str, **more: object) -> Path:
    topology = {
        "assignment_strategy": strategy,
        "hosts": {"h1": {}, "h2": {}, "h3": {}},
        "switches": {"s1": {}, "s2": {}},
        "links": LINKS,
    }
    file = folder / "p4app.json"
    file.write_text(json.dumps({"cli": True, "topology": topology, **more}))
    return file


@pytest.mark.parametrize(
    ("strategy", "program"), [("l2", "l2_switch"), ("mixed", "router"), ("l3", "router")]
)
def test_hosts_reach_each_other(tmp_path: Path, strategy: str, program: str) -> None:
    with weir.Network(write(tmp_path, strategy), p4=program) as net:
        assert net.ping_all().lost == 0


def test_own_program_and_commands(tmp_path: Path) -> None:
    program = Path(weir.__file__).parent / "programs" / "l2_switch.p4"
    (tmp_path / "own.p4").write_bytes(program.read_bytes())
    file = write(tmp_path, "l2", p4_src="own.p4")
    topology = weir.Topology.load(file)
    assert [switch.p4 for switch in topology.switches.values()] == [tmp_path / "own.p4"] * 2
    with weir.Network(topology) as net:
        assert net.host("h1").ping("h3", count=1).received == 1


def test_notes_and_refusals(tmp_path: Path) -> None:
    file = write(tmp_path, "l2", pcap_dump=True)
    assert ["pcap_dump" in note for note in weir.Topology.load(file).notes] == [True]
    code, _, errors = run_weir("topology", "check", file)
    assert code == 0
    assert 'note: "pcap_dump" has no effect: --pcap FOLDER' in errors
    file = write(tmp_path, "l2", exec_scripts=[{"cmd": "python controller.py"}])
    with pytest.raises(weir.TopologyError, match=r"\$\.exec_scripts: .*Weir starts no scripts"):
        weir.Topology.load(file)
