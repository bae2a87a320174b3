"""Signed values and values with names, written and read from Python and files."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

import weir
from weir.errors import ControlError, NetworkError, TopologyError
from weir.p4runtime import ServerOptions
from weir.topology import shapes

PROGRAM = """\
#include <core.p4>
#include <v1model.p4>
@p4runtime_translation("", string)
@p4runtime_translation_mappings({{"Ethernet0", 2}, {"Ethernet4", 1}})
type bit<9> port_id_t;
header ethernet_t { bit<48> dst; bit<48> src; int<16> type; }
struct headers_t { ethernet_t ethernet; }
struct seen_t { int<16> type; bool odd; error problem; port_id_t port; }
struct pair_t { int<8> left; bit<8> right; }
struct metadata_t { port_id_t port; }
parser MyParser(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    value_set<int<16>>(4) types;
    state start {
        packet.extract(hdr.ethernet);
        meta.port = (port_id_t) standard.ingress_port;
        transition select(hdr.ethernet.type) { types: accept; default: accept; }
    }
}
control MyVerify(inout headers_t hdr, inout metadata_t meta) { apply {} }
control MyIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    register<int<12>>(2) single;
    register<pair_t>(2) pairs;
    action send(port_id_t port) { standard.egress_spec = (bit<9>) port; }
    action add(int<16> by) { hdr.ethernet.type = hdr.ethernet.type + by; }
    table ports { key = { meta.port: exact; } actions = { send; NoAction; } }
    table types { key = { hdr.ethernet.type: exact; } actions = { add; NoAction; } }
    table masked { key = { hdr.ethernet.type: ternary; meta.port: ternary; } actions = { add; NoAction; } }
    apply {
        ports.apply();
        types.apply();
        masked.apply();
        digest<seen_t>(1, { hdr.ethernet.type, standard.ingress_port == 1, standard.parser_error, meta.port });
        log_msg("type {} at {}", { hdr.ethernet.type, standard.ingress_port });
        single.write(0, (int<12>) hdr.ethernet.type);
        pair_t pair;
        pairs.read(pair, 0);
        pairs.write(0, pair);
    }
}
control MyEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) { apply {} }
control MyCompute(inout headers_t hdr, inout metadata_t meta) { apply {} }
control MyDeparser(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr); } }
V1Switch(MyParser(), MyVerify(), MyIngress(), MyEgress(), MyCompute(), MyDeparser()) main;
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "program.p4"
    path.write_text(PROGRAM)
    return path


@pytest.fixture
def net(program: Path) -> Iterator[weir.Network]:
    topology = weir.Topology()
    topology.add_switch("s1")
    for number in (1, 2):
        neighbours = {f"10.0.1.{3 - number}": f"08:00:00:00:00:0{3 - number}"}
        topology.add_host(f"h{number}", f"10.0.1.{number}/24", f"08:00:00:00:00:0{number}", arp=neighbours)
        topology.add_link(f"h{number}", f"s1-p{number}", delay="1ms")
    with weir.Network(topology, p4=program) as network:
        yield network


def test_signed_values_keep_their_sign(net: weir.Network):
    s1 = net.switch("s1")
    types = s1.table("types")
    types.insert({"hdr.ethernet.type": -5}, "add", {"by": "-3"})
    types.insert({"hdr.ethernet.type": 0x0800}, "add", {"by": -2048 - 7})
    assert [str(entry) for entry in types.entries()] == [
        "hdr.ethernet.type=-5 -> MyIngress.add(by=-3)",
        "hdr.ethernet.type=2048 -> MyIngress.add(by=-2055)",
    ]
    with pytest.raises(ControlError, match="-32769 does not fit in 16 bits"):
        types.insert({"hdr.ethernet.type": -32769}, "NoAction")
    single, pairs = s1.register("single"), s1.register("pairs")
    single.write(1, -7)
    pairs.write(1, {"left": -6, "right": 200})
    assert (single[1], single.cells(), pairs.read_fields(1)) == (-7, [0, -7], {"left": -6, "right": 200})
    s1.value_set("types").add(-4)
    assert s1.value_set("types").members() == [["-4"]] or "-4" in str(s1.value_set("types").members())
    # The type of IPv4 becomes -7.
    net.host("h1").ping("h2", count=1, timeout="100ms")
    digest = s1.digests()[0]
    assert (digest["type"], digest["odd"], digest["problem"]) == (-7, 1, 0)
    assert str(digest).endswith("type = -7, odd = true, problem = error.NoError, port = 1")
    assert s1.log()[0].text == "type -7 at 1"
    assert single[0] == -7


def test_negative_numbers_have_any_base_and_masks_a_sign(net: weir.Network):
    s1 = net.switch("s1")
    types, masked = s1.table("types"), s1.table("masked")
    types.insert({"hdr.ethernet.type": "-0x7"}, "add", {"by": "-0b11"})
    s1.runtime.run("table_add types add -0X8 => -0x_8000")
    assert [str(entry) for entry in types.entries()] == [
        "hdr.ethernet.type=-7 -> MyIngress.add(by=-3)",
        "hdr.ethernet.type=-8 -> MyIngress.add(by=-32768)",
    ]
    with pytest.raises(ControlError, match="-0x8001 does not fit in 16 bits"):
        types.insert({"hdr.ethernet.type": "-0x8001"}, "NoAction")
    masked.insert({"hdr.ethernet.type": (-5, -1), "meta.port": "*"}, "NoAction", priority=1)
    s1.runtime.run("table_add masked NoAction -6&&&-1 0&&&0 => 2")
    masked.insert({"hdr.ethernet.type": ("-16", "-0x10"), "meta.port": "*"}, "NoAction", priority=3)
    assert [entry.match["hdr.ethernet.type"] for entry in masked.entries()] == [
        "0xfffb &&& 0xffff",
        "0xfffa &&& 0xffff",
        "0xfff0 &&& 0xfff0",
    ]
    with pytest.raises(ControlError, match="-1 is negative"):
        masked.insert({"hdr.ethernet.type": "*", "meta.port": (1, -1)}, "NoAction", priority=4)


def test_names_of_ports_are_taken_and_shown(net: weir.Network):
    s1 = net.switch("s1")
    ports = s1.table("ports")
    ports.insert({"meta.port": "Ethernet4"}, "send", {"port": "Ethernet0"})
    ports.insert({"meta.port": 2}, "send", {"port": 1})
    assert [str(entry) for entry in ports.entries()] == [
        "meta.port=Ethernet4 -> MyIngress.send(port=Ethernet0)",
        "meta.port=Ethernet0 -> MyIngress.send(port=Ethernet4)",
    ]
    assert net.host("h1").ping("h2", count=1, timeout="1s").received == 1
    with pytest.raises(ControlError, match=r'cannot read the value "Ethernet7".*did you mean'):
        ports.insert({"meta.port": "Ethernet7"}, "NoAction")
    assert s1.runtime.run("table_dump ports")[0] == "0: Ethernet4 => MyIngress.send Ethernet0"


def test_ports_without_bits_are_refused(net: weir.Network):
    s1 = net.switch("s1")
    wrong = "there is no port 512: ports of the program have 9 bits, 0 to 511"
    with pytest.raises(ControlError, match=wrong):
        s1.set_multicast_group(1, [1, 512])
    with pytest.raises(ControlError, match=wrong):
        s1.set_clone_session(1, 512)
    with pytest.raises(ControlError, match=wrong):
        s1.runtime.run("mc_node_create 1 512")


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ("absent.json", "texts: absent.json: no such file"),
        ({"port_id_t": {"text": {}}}, 'unknown key "text"; did you mean "texts"'),
        ({"port_id_t": {"texts": {"a": 1, "b": 1}}}, 'the number 1 has two texts: "a" and "b"'),
        ({"port_id_t": {"texts": {"2": 3}}}, 'the text "2" is the number 2, not 3'),
    ],
)
def test_wrong_files_of_texts_are_refused(texts: object, message: str, program: Path):
    options = ServerOptions("127.0.0.1:0", texts=texts)
    with pytest.raises(NetworkError) as caught:
        weir.Network(shapes.star(2, routes=None), p4=program, p4runtime=options).close()
    assert message in str(caught.value)


def test_a_named_pipe_is_no_file_of_texts(tmp_path: Path):
    path = tmp_path / "texts.json"
    os.mkfifo(path)
    with pytest.raises(NetworkError, match=r"texts: .*texts\.json: .*it is a named pipe, expected a file"):
        ServerOptions("127.0.0.1:0", texts=path).texts_file()


def test_a_file_of_texts_is_taken(program: Path, tmp_path: Path):
    path = tmp_path / "texts.json"
    path.write_text(json.dumps({"port_id_t": {"texts": {"eth0": 1}, "allocate": True}}))
    options = ServerOptions("127.0.0.1:0", texts=path)
    with weir.Network(shapes.star(2, routes=None), p4=program, p4runtime=options) as network:
        assert network.p4runtime.device_id("s1") == 0


def test_all_mistakes_of_entries_are_told_at_once(net: weir.Network, tmp_path: Path):
    path = tmp_path / "s1-runtime.json"
    entries = [
        {"table": "port", "match": {}, "action_name": "send"},
        {
            "table": "ports",
            "match": {"meta.port": "Ethernet0"},
            "action_name": "send",
            "action_params": {"port": 1},
        },
        {"table": "types", "match": {"hdr.ethernet.type": -40000}, "action_name": "NoAction"},
    ]
    path.write_text(json.dumps({"table_entries": entries}, indent=1))
    with pytest.raises(ControlError) as caught:
        net.switch("s1").load_entries(path)
    first, second = str(caught.value).splitlines()
    assert 'there is no table "port"' in first
    assert "-40000 does not fit in 16 bits" in second
    assert first.startswith(f"{path}:4:")
    assert [error.where for error in caught.value.others] != []
    assert len(net.switch("s1").table("ports")) == 0


def test_all_mistakes_of_a_topology_are_told_at_once(tmp_path: Path):
    path = tmp_path / "topology.json"
    hosts = {f"h{number}": {"ip": "10.0.0.1", "mac": "08:00:00:00:00:01"} for number in range(25)}
    path.write_text(json.dumps({"hosts": hosts, "switches": {}, "links": [["h1", "h2"]]}, indent=1))
    with pytest.raises(TopologyError) as caught:
        weir.Topology.load(path)
    lines = str(caught.value).splitlines()
    assert len(lines) == 21
    assert lines[-1] == "and 5 more mistakes"
    assert len(caught.value.others) == 24
