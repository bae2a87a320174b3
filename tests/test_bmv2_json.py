"""p4c's JSON for BMv2 in place of a P4 program: `testdata/bmv2_json/swap.json`, written by hand."""

import json
import shutil
from pathlib import Path

import pytest

import weir
from command import weir as command
from weir.errors import FileError
from weir.stf.bench import Bench

SWAP = Path(__file__).parent.parent / "testdata/bmv2_json/swap.json"
FRAME = bytes.fromhex("0200000000aa 0200000000bb 0800 01020304")
SWAPPED = bytes.fromhex("0200000000bb 0200000000aa 0800 01020304")


@pytest.mark.parametrize("executor", ["interp", "native"])
def test_json_and_its_source_give_the_same_packets(executor: str):
    for file in (SWAP, SWAP.with_suffix(".p4")):
        program = weir.compile(file, executor=executor)
        bench = Bench(program, range(4))
        bench.switch.runtime.run("table_add I.ports I.to_port 0x0800 => 3")
        journey = bench.send(1, FRAME)
        assert [(out.port, out.packet) for out in bench.take_outputs()] == [(3, SWAPPED)], journey
        assert bench.switch.counter("I.seen")[1].packets == 1


def test_names_are_those_of_the_program():
    of_json, of_source = weir.compile(SWAP), weir.compile(SWAP.with_suffix(".p4"))
    assert list(of_json.tables) == list(of_source.tables) == ["I.ports"]
    assert [key.name for key in of_json.tables["I.ports"].keys] == ["hdr.ethernet.kind"]
    ids = [
        [line for line in program.p4info().decode().splitlines() if " id: " in line]
        for program in (of_json, of_source)
    ]
    assert set(ids[0]) <= set(ids[1])


def test_traces_show_the_source_as_far_as_it_is_there(tmp_path: Path):
    bench = Bench(weir.compile(SWAP), range(4))
    assert "swap.p4:38" in str(bench.send(1, FRAME))
    alone = tmp_path / "alone.json"
    shutil.copy(SWAP, alone)
    assert weir.compile(alone).sources == {}
    assert "swap.p4" in weir.compile(SWAP).sources


def test_the_source_next_to_it_is_not_what_runs(tmp_path: Path):
    """The JSON is refused if it was compiled from another version of the program, or with other
    macros."""
    shutil.copy(SWAP, tmp_path / "swap.json")
    (tmp_path / "swap.p4").write_text("this is not a program\n")
    bench = Bench(weir.compile(tmp_path / "swap.json"), range(4))
    bench.send(1, FRAME)
    assert [(out.port, out.packet) for out in bench.take_outputs()] == [(2, SWAPPED)]


def test_commands_accept_json(tmp_path: Path):
    assert command("check", SWAP)[0] == 0
    code, out, _ = command("ir", SWAP)
    assert code == 0 and "table I.ports" in out and "tbl_swap37" not in out
    frame = FRAME.hex()
    code, out, err = command("trace", SWAP, "--packet", frame, "--port", "1")
    assert code == 0 and "swap.p4" in out, err
    test = tmp_path / "swap.stf"
    test.write_text(f"packet 1 {frame}\nexpect 2 {SWAPPED.hex()}\n")
    assert command("test", SWAP, test)[0] == 0


def test_a_topology_can_name_json(tmp_path: Path):
    (tmp_path / "build").mkdir()
    shutil.copy(SWAP, tmp_path / "build/swap.json")
    topology = {
        "hosts": {"h1": {"ip": "10.0.1.1/24"}, "h2": {"ip": "10.0.1.2/24"}},
        "switches": {"s1": {"program": "build/swap.json"}},
        "links": [["h1", "s1-p1"], ["h2", "s1-p2"]],
    }
    (tmp_path / "topology.json").write_text(json.dumps(topology))
    with weir.Network.load(tmp_path / "topology.json") as net:
        assert list(net.switch("s1").program.tables) == ["I.ports"]


def test_wrong_json_is_refused(tmp_path: Path):
    with pytest.raises(FileError, match="the macro N changes nothing: give it to p4c"):
        weir.compile(SWAP, defines={"N": "1"})
    document = json.loads(SWAP.read_text())
    document["actions"][2]["primitives"][0]["op"] = "asign"
    wrong = tmp_path / "wrong.json"
    wrong.write_text(json.dumps(document))
    with pytest.raises(FileError, match='there is no primitive "asign"; did you mean "assign"'):
        weir.compile(wrong)
    wrong.write_text('{"program": "router.p4", "tables": []}')
    with pytest.raises(FileError, match="carries no P4 program, and p4c did not compile it for BMv2"):
        weir.compile(wrong)
