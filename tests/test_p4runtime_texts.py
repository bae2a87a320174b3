"""Texts that stand for numbers at a P4Runtime client, in all messages with ports and networks."""

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import weir
from weir.control import GroupMember, Replica, WeightedAction
from weir.errors import ControlError
from weir.p4runtime import Client, ServerOptions

PROGRAM = """\
#include <core.p4>
#include <v1model.p4>
@p4runtime_translation("", string)
@p4runtime_translation_mappings({{"Ethernet0", 2}, {"Ethernet4", 1}})
type bit<9> port_id_t;
@p4runtime_translation("", string)
type bit<12> vrf_id_t;
@p4runtime_translation("example.org/tunnel", 32)
type bit<16> tunnel_t;
header tag_t { bit<16> kind; }
@controller_header("packet_in") header packet_in_t { port_id_t ingress_port; bit<7> rest; }
@controller_header("packet_out") header packet_out_t { port_id_t egress_port; bit<7> rest; }
struct headers_t { packet_in_t packet_in; packet_out_t packet_out; tag_t tag; }
struct learned_t { bit<16> kind; port_id_t port; }
struct metadata_t { port_id_t in_port; vrf_id_t vrf; tunnel_t tunnel; }
parser MyParser(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start {
        meta.in_port = (port_id_t) standard.ingress_port;
        transition select(standard.ingress_port) { 510: out_; default: tag; }
    }
    state out_ { packet.extract(hdr.packet_out); transition tag; }
    state tag { packet.extract(hdr.tag); transition accept; }
}
control MyVerify(inout headers_t hdr, inout metadata_t meta) { apply {} }
control MyIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    action_selector(HashAlgorithm.crc16, 16, 14) ways;
    register<port_id_t>(4) last;
    action send(port_id_t port) { standard.egress_spec = (bit<9>) port; }
    action enter(vrf_id_t vrf, tunnel_t tunnel) { meta.vrf = vrf; meta.tunnel = tunnel; }
    table from_port { key = { meta.in_port: exact; } actions = { send; enter; NoAction; } }
    table masked { key = { meta.vrf: optional; meta.tunnel: exact; } actions = { send; NoAction; } }
    table spread {
        key = { hdr.tag.kind: exact; meta.vrf: selector; } actions = { send; NoAction; } implementation = ways;
    }
    apply {
        learned_t learned = { hdr.tag.kind, meta.in_port };
        digest(1, learned);
        last.write(0, meta.in_port);
        if (hdr.packet_out.isValid()) {
            standard.egress_spec = (bit<9>) hdr.packet_out.egress_port;
        } else {
            from_port.apply();
            masked.apply();
            spread.apply();
            if (hdr.tag.kind == 7) { standard.egress_spec = 510; }
        }
    }
}
control MyEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    apply {
        hdr.packet_out.setInvalid();
        if (standard.egress_port == 510) { hdr.packet_in.setValid(); hdr.packet_in.ingress_port = meta.in_port; }
    }
}
control MyCompute(inout headers_t hdr, inout metadata_t meta) { apply {} }
control MyDeparser(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr.packet_in); packet.emit(hdr.tag); } }
V1Switch(MyParser(), MyVerify(), MyIngress(), MyEgress(), MyCompute(), MyDeparser()) main;
"""


def serve(folder: Path, texts: object = None) -> weir.Network:
    """A network of two hosts at a switch with a controller, which may have a file of texts."""
    path = folder / "ports.p4"
    path.write_text(PROGRAM)
    topo = weir.Topology()
    topo.add_switch("s1", cpu_port=510)
    for number in (1, 2):
        topo.add_host(f"h{number}", f"10.0.1.{number}/24", f"08:00:00:00:00:0{number}")
        topo.add_link(f"h{number}", f"s1-p{number}", delay="1ms")
    file = None
    if texts is not None:
        file = folder / "texts.json"
        file.write_text(json.dumps(texts))
    return weir.Network(topo, path, p4runtime=ServerOptions("127.0.0.1:0", texts=file))


@pytest.fixture
def net(tmp_path: Path) -> Iterator[weir.Network]:
    with serve(tmp_path) as network:
        yield network


@pytest.fixture
def client(net: weir.Network) -> Iterator[Client]:
    with Client(net.p4runtime.address("s1")) as found:
        yield found


def test_keys_and_parameters_are_texts(client: Client):
    table = client.table("from_port")
    table.insert({"in_port": "Ethernet0"}, "send", {"port": "Ethernet4"})
    # Digits are texts, too, and so is a number.
    table.insert({"in_port": "7"}, "send", {"port": 8})
    table.insert({"in_port": 9}, "enter", {"vrf": 5, "tunnel": 6})
    by_port = {entry.match["meta.in_port"]: dict(entry.params) for entry in table.entries()}
    assert by_port == {
        "Ethernet0": {"port": "Ethernet4"},
        "7": {"port": "8"},
        "9": {"vrf": "5", "tunnel": "6"},
    }
    # The digits of a number with a name are read back as the name.
    with pytest.raises(ControlError, match="already"):
        table.insert({"in_port": "2"}, "send", {"port": "1"})
    table.delete({"in_port": "Ethernet0"})
    assert [entry.match["meta.in_port"] for entry in table.entries()] == ["7", "9"]
    optional = client.table("masked")
    optional.insert({"vrf": "*", "tunnel": 3}, "send", {"port": "2"}, priority=1)
    optional.insert({"vrf": "12", "tunnel": 3}, "send", {"port": "2"}, priority=2)
    assert sorted(entry.match["meta.vrf"] for entry in optional.entries()) == ["*", "12"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Ethernet9", 'no number stands for "Ethernet9" in the type `port_id_t`; did you mean "Ethernet0"?'),
        ("ethernet0", 'no number stands for "ethernet0"'),
        ("", 'no number stands for ""'),
        ("007", 'no number stands for "007"'),
        ("512", "needs 10 bits"),
        ("a\0b", "no number stands for the bytes"),
        ("\0", "not a text for a value"),
        ("x" * 1025, "at most 1024 bytes"),
        ("x" * 1024, "no number stands for"),
        ("Ethernet0\n", "no number stands for"),
        ("\u202eEthernet0", "no number stands for"),
        (True, "expected a text"),
        (None, "expected a text"),
        ([1, 2], "expected one value|expected a value"),
        (-1, 'no number stands for "-1"'),
    ],
)
def test_other_texts_are_refused(client: Client, text: object, message: str):
    with pytest.raises(ControlError, match=message.replace("?", r"\?")):
        client.table("from_port").insert({"in_port": text}, "send", {"port": "1"})
    if text is not None and not isinstance(text, list):
        with pytest.raises(ControlError, match=message.replace("?", r"\?")):
            client.table("from_port").insert({"in_port": "1"}, "send", {"port": text})
    assert client.table("from_port").entries() == []


def test_replicas_and_watched_ports_are_numbers_here_and_texts_there(net: weir.Network, client: Client):
    client.set_multicast_group(1, [Replica(1, 3), Replica(2, 4), Replica(5, 6)])
    client.set_clone_session(7, 2)
    assert client.multicast_groups() == net.switch("s1").multicast_groups()
    assert client.clone_sessions()[7].port == 2
    [replica] = net.switch("s1").clone_sessions()[7].replicas
    assert replica.port == 2
    assert [replica.port for replica in client.multicast_groups()[1]] == [1, 2, 5]
    selector = client.action_profile("ways")
    one, other = (
        selector.add_member("send", {"port": "Ethernet0"}),
        selector.add_member("send", {"port": "5"}),
    )
    group = selector.add_group([GroupMember(one, watch_port=1), GroupMember(other, watch_port=2)])
    assert [member.watch_port for member in selector.group(group)] == [1, 2]


def test_packets_and_digests_have_texts(net: weir.Network, client: Client):
    assert client.digests() == []
    net.host("h2").send(bytes.fromhex("0007"))
    net.run_for("10ms")
    packets, digests = [], []
    for _ in range(1000):
        packets += client.packets_in()
        digests += client.digests()
        if packets and digests:
            break
        time.sleep(0.01)
    [packet], [digest] = packets, digests
    assert packet["ingress_port"] == "Ethernet0"
    assert packet.payload == bytes.fromhex("0007")
    assert (digest["port"], digest["kind"]) == ("Ethernet0", 7)
    assert "port = Ethernet0" in str(digest)
    sniffer = net.sniff("h1")
    for number, port in enumerate(("Ethernet4", "1", 1), 1):
        client.packet_out(bytes.fromhex("0009"), egress_port=port)
        for _ in range(1000):
            net.run_for("1ms")
            if len(sniffer.frames) >= number:
                break
            time.sleep(0.01)
    assert [frame.data for frame in sniffer.frames] == [bytes.fromhex("0009")] * 3
    with pytest.raises(ControlError, match="at most 1024 bytes"):
        client.packet_out(b"", egress_port="x" * 1025)
    with pytest.raises(ControlError, match="rest"):
        client.packet_out(b"", rest="x")
    with pytest.raises(ControlError, match="egress_port"):
        client.packet_out(b"", egress_port=-1)


def test_registers_have_texts(net: weir.Network, client: Client):
    net.host("h2").send(bytes.fromhex("0001"))
    net.run_for("10ms")
    register = client.register("last")
    assert register.read(0) == "Ethernet0"
    # The cell has no id, so the message shows none.
    with pytest.raises(ControlError, match=r"`port_id_t`: no number stands for") as caught:
        register.write(0, "Ethernet9")
    assert "id 0" not in str(caught.value)


def test_a_file_gives_names_and_numbers(tmp_path: Path):
    texts = {"port_id_t": {"texts": {"up": 2, "": 3}}, "vrf_id_t": {"allocate": True}}
    with serve(tmp_path, texts) as net, Client(net.p4runtime.address("s1")) as client:
        table = client.table("from_port")
        table.insert({"in_port": "up"}, "send", {"port": ""})
        table.insert({"in_port": "4"}, "enter", {"vrf": "blue", "tunnel": 1})
        table.insert({"in_port": "5"}, "enter", {"vrf": "été", "tunnel": 1})
        by_port = {entry.match["meta.in_port"]: entry.params for entry in table.entries()}
        assert by_port["up"] == {"port": ""}
        assert [by_port[port]["vrf"] for port in ("4", "5")] == ["blue", "été"]
        assert net.switch("s1").table("from_port").entries()[0].params["port"] == "3"
        # The file's names replace the program's.
        with pytest.raises(ControlError, match="Ethernet0"):
            table.insert({"in_port": "Ethernet0"}, "send", {"port": "1"})
        client.set_multicast_group(1, [2, 4])
        with pytest.raises(ControlError, match='the port "up", for which its P4Info has no number'):
            client.multicast_groups()


def test_action_sets_have_texts(client: Client):
    table = client.table("spread")
    table.insert(
        {"kind": 1},
        actions=[
            WeightedAction("send", {"port": "Ethernet0"}, weight=2),
            WeightedAction("send", {"port": 3}, watch_port=2),
        ],
    )
    [entry] = table.entries()
    assert "Ethernet0" in str(entry)
