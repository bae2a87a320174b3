"""The control plane of a switch in the Linux world is that of the virtual world."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from linux_networks import eventually, two_hosts

import weir
from weir.control import CloneSession, Count, MeterCounts, Rates, Replica, Switch
from weir.errors import ControlError

ROOT = Path(__file__).parents[2]
COMMANDS = (Path(__file__).parent / "control.txt").read_text(encoding="utf-8").splitlines()

pytestmark = pytest.mark.usefixtures("namespaces")


@pytest.fixture(scope="module")
def switches(namespaces: list[str]) -> Iterator[dict[str, Switch]]:
    """A switch with every kind of object in each world."""
    program = weir.compile(ROOT / "testdata" / "switch" / "control.p4")
    with (
        weir.Network(two_hosts(), program, world="virtual") as virtual,
        weir.Network(two_hosts(), program, world="linux") as linux,
    ):
        yield {"virtual": virtual.switch("s1"), "linux": linux.switch("s1")}


@pytest.fixture(params=["virtual", "linux"])
def s1(switches: dict[str, Switch], request: pytest.FixtureRequest) -> Iterator[Switch]:
    """The switch in each world, reset."""
    switch = switches[request.param]
    switch.reset()
    yield switch
    for session in switch.clone_sessions():
        switch.delete_clone_session(session)


def played(switch: Switch, line: str) -> list[str]:
    """The output of a command; error messages differ between the worlds."""
    try:
        return switch.runtime.run(line)
    except ControlError as error:
        assert "no runtime command" not in str(error) or line.startswith("table_ad ")
        assert "P4Runtime has no" not in str(error) or line in NOT_IN_P4RUNTIME
        return ["error"]


NOT_IN_P4RUNTIME = {
    "table_indirect_set_default_with_group balance 0": "error",
}
"""Commands with another answer in the Linux world, and what is in it."""


def test_runtime_commands_print_the_same_in_both_worlds(switches: dict[str, Switch]):
    for line in COMMANDS:
        virtual, linux = (played(switch, line) for switch in switches.values())
        if expected := NOT_IN_P4RUNTIME.get(line):
            assert linux != virtual
            assert expected in "\n".join(linux), line
            switches["virtual"].table("balance").reset_default()
        else:
            assert linux == virtual, line


def test_a_reset_keeps_clone_sessions_alone(s1: Switch):
    s1.table("prefixes").insert({}, "drop")
    s1.register("number").write(0, 5)
    s1.value_set("noted").add(1, 2)
    s1.set_clone_session(5, port=2)
    s1.reset()
    assert (len(s1.table("prefixes")), s1.register("number")[0], len(s1.value_set("noted"))) == (0, 0, 0)
    assert (len(s1.table("fixed")), s1.clone_sessions()) == (2, {5: CloneSession(2)})


def test_objects_are_read_and_written(s1: Switch):
    handle = s1.table("all_kinds").insert({"hdr.request.what": 9}, "to", {"port": 2}, priority=1)
    s1.counter("hits").write(handle, 5, 6)
    assert (handle, s1.counter("hits")[handle]) == (0, Count(5, 6))
    assert s1.table("all_kinds").entry(handle).packets == 5
    s1.counter("both").write(3, packets=7, bytes=8)
    assert s1.counter("both").cells()[2:4] == [Count(), Count(7, 8)]
    pair = s1.register("pair")
    pair.write(1, {"first": 5, "second": 9})
    assert (pair[1], pair.read_fields(1)) == (5 << 100 | 9, {"first": 5, "second": 9})
    rates = Rates(1000, 10, 2000, 20)
    s1.meter("by_packets").write(2, rates)
    assert s1.meter("by_packets").cells() == [None, None, rates, None]
    assert s1.meter("by_packets").counts(2) == MeterCounts()
    s1.table("prefixes").insert({}, "paced")
    s1.table("prefixes").set_rates({}, rates)
    assert s1.table("prefixes").rates({}) == rates == s1.meter("pace")[0]


def test_groups_and_sessions_are_read_as_written(s1: Switch):
    ways, places = s1.action_profile("ways"), s1.action_profile("places")
    assert [ways.add_member("to", {"port": port}) for port in (1, 2)] == [0, 1]
    assert (ways.add_group([0, 1]), ways.add_group({1: 4}, number=5)) == (0, 5)
    assert ways.groups() == {0: {0: 1, 1: 1}, 5: {1: 4}}
    assert (places.add_member("to", {"port": 1}), len(places.members())) == (0, 1)
    table = s1.table("balance")
    table.insert({"hdr.request.index": 1}, group=0)
    assert [entry.target for entry in table.entries()] == ["group 0"]
    replicas = [Replica(1, 9), Replica(2)]
    s1.set_multicast_group(4, replicas)
    s1.set_clone_session(3, replicas=replicas, length=60)
    assert (s1.multicast_groups(), s1.clone_sessions()) == (
        {4: replicas},
        {3: CloneSession(replicas=tuple(replicas), length=60)},
    )


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda s1: s1.set_clone_session(0, port=1), "P4Runtime has no session 0"),
        (lambda s1: s1.set_clone_session(2, group=4), "no clones to a multicast group"),
        (lambda s1: s1.crc("crc16_custom"), "parameters of CRC calculations"),
        (lambda s1: s1.runtime.run("set_queue_depth 5"), "depths and rates of queues"),
        (lambda s1: s1.runtime.run("get_time_elapsed"), "the time of a switch"),
        (lambda s1: s1.meter("by_packets").write(0, Rates(0.1, 1, 0.2, 2)), "whole"),
    ],
)
def test_calls_without_a_p4runtime_request_are_refused(switches: dict[str, Switch], call, expected: str):
    with pytest.raises(ControlError, match=expected):
        call(switches["linux"])


def test_digests_arrive_at_once_and_after_a_reset(namespaces: list[str]):
    topology = weir.Topology()
    topology.add_switch("s1", cpu_port=510)
    topology.add_host("h1", ip="10.0.0.1/24")
    topology.add_link("h1", "s1")
    with weir.Network(topology, ROOT / "tests" / "net" / "controller.p4", world="linux") as network:
        s1, seen = network.switch("s1"), []
        s1.on_digest(lambda digest: seen.append(digest["src"]))
        for number in (1, 2):
            network.host("h1").send(bytes([8, 0, 0, 0, 0, 9, 8, 0, 0, 0, 0, number, 8, 0, *range(50)]))
            eventually(lambda number=number: (network.run_for("5ms"), len(seen))[1] == number)
            s1.reset()
    assert seen == [0x080000000001, 0x080000000002]


PORTS = """\
#include <core.p4>
#include <v1model.p4>
@p4runtime_translation("", string)
@p4runtime_translation_mappings({{"Ethernet0", 2}})
type bit<9> port_id_t;
struct pair_t { port_id_t port; int<8> sign; }
@controller_header("packet_out") header packet_out_t { port_id_t egress_port; bit<7> rest; }
struct headers_t { packet_out_t packet_out; }
struct metadata_t { port_id_t port; }
parser MyParser(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    state start { transition select(standard.ingress_port) { 510: sent; default: accept; } }
    state sent { packet.extract(hdr.packet_out); transition accept; }
}
control MyChecksum(inout headers_t hdr, inout metadata_t meta) { apply {} }
control MyIngress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) {
    register<port_id_t>(4) last;
    register<pair_t>(4) pair;
    action send(port_id_t port, int<8> by) { standard.egress_spec = (bit<9>) port + (bit<9>) (int<9>) by; }
    table ways { key = { meta.port: exact; } actions = { send; NoAction; } }
    table masked { key = { standard.ingress_port: ternary; } actions = { NoAction; } }
    apply {
        meta.port = (port_id_t) standard.ingress_port;
        if (hdr.packet_out.isValid()) { standard.egress_spec = (bit<9>) hdr.packet_out.egress_port; }
        ways.apply();
        masked.apply();
        last.write(0, (port_id_t) standard.ingress_port);
        pair_t both = { (port_id_t) standard.ingress_port, -5 };
        pair.write(0, both);
    }
}
control MyEgress(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard) { apply {} }
control MyDeparser(packet_out packet, in headers_t hdr) { apply {} }
V1Switch(MyParser(), MyChecksum(), MyIngress(), MyEgress(), MyChecksum(), MyDeparser()) main;
"""


@pytest.fixture(scope="module")
def named(namespaces: list[str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Switch]]:
    """A switch whose ports have names in each world."""
    file = tmp_path_factory.mktemp("named") / "ports.p4"
    file.write_text(PORTS, encoding="utf-8")
    topology = two_hosts()
    topology.switches["s1"].cpu_port = 510
    program = weir.compile(file)
    with (
        weir.Network(topology, program, world="virtual") as virtual,
        weir.Network(topology, program, world="linux") as linux,
    ):
        yield [virtual.switch("s1"), linux.switch("s1")]


def test_values_with_names_are_the_same_in_both_worlds(named: list[Switch]):
    for s1 in named:
        last, pair = (s1.register(name) for name in ("last", "pair"))
        last.write(1, "Ethernet0")
        last.write(2, 3)
        assert last.cells()[1:] == [2, 3, 0]
        pair.write(1, {"port": 2, "sign": -5})
        assert (pair.read_fields(1), pair.read_fields(2)) == (
            {"port": 2, "sign": -5},
            {"port": 0, "sign": 0},
        )
        ways = s1.table("ways")
        for key, port in (("Ethernet0", 1), (1, "Ethernet0"), ("0x3", "02"), ("04", 5)):
            ways.insert({"meta.port": key}, "send", {"port": port, "by": -5})
        assert [str(entry) for entry in ways.entries()] == [
            "meta.port=Ethernet0 -> MyIngress.send(port=1, by=-5)",
            "meta.port=1 -> MyIngress.send(port=Ethernet0, by=-5)",
            "meta.port=3 -> MyIngress.send(port=Ethernet0, by=-5)",
            "meta.port=4 -> MyIngress.send(port=5, by=-5)",
        ]


@pytest.mark.parametrize(
    "line",
    [
        "show_tables",
        "show_actions",
        "table_info ways",
        "table_dump ways",
        "register_read last 1",
        "register_read last",
        "register_read pair 1",
        "table_add ways send Ethernet1 => 1 2",
        "table_add ways send 512 => 1 2",
        "table_add ways send 7 => 1 200000",
        "table_add masked NoAction 127 => 1",
        "table_add masked NoAction 0x1ff&&&512 => 1",
        "mc_node_create 0 512",
    ],
)
def test_lines_about_values_with_names_print_the_same(named: list[Switch], line: str):
    printed = []
    for s1 in named:
        try:
            printed.append(s1.runtime.run(line))
        except ControlError as error:
            printed.append(str(error))
    assert printed[0] == printed[1]


PACKET_OUTS = {
    "egress_port": [2, "2", "0x2", "Ethernet0", "Ethernet1", 512, -1, "512", "", True, 1.5, None],
    "rest": [127, "0b11", 128, "x"],
    "port": [2],
}


@pytest.mark.parametrize(
    ("field", "value"), [(name, one) for name, all in PACKET_OUTS.items() for one in all]
)
def test_packets_out_take_the_same_values_in_both_worlds(named: list[Switch], field: str, value: object):
    messages = []
    for s1 in named:
        try:
            s1.packet_out(b"x" * 20, **{field: value})
            messages.append("sent")
        except ControlError as error:
            messages.append(str(error))
    assert messages[0] == messages[1]
    good = {"egress_port": (2, "2", "0x2", "Ethernet0", True), "rest": (127, "0b11")}.get(field, ())
    assert (messages[0] == "sent") == (value in good), messages[0]
    assert messages[0] == "sent" or "packet_out: " in messages[0]


TRANSLATED = """
#include <v1model.p4>
@p4runtime_translation("example.org/v1/port", bit<32>) type bit<9> port_t;
@p4runtime_translation("example.org/v1/vrf", bit<32>) type bit<16> vrf_t;
header eth_t { bit<48> dst; bit<48> src; bit<16> type; }
struct headers_t { eth_t eth; }
struct meta_t { vrf_t vrf; }
parser P(packet_in p, out headers_t h, inout meta_t m, inout standard_metadata_t sm) {
    state start { p.extract(h.eth); m.vrf = (vrf_t) h.eth.type; transition accept; }
}
control V(inout headers_t h, inout meta_t m) { apply { } }
control I(inout headers_t h, inout meta_t m, inout standard_metadata_t sm) {
    register<vrf_t>(4) seen;
    action to(port_t port) { sm.egress_spec = (bit<9>) port; }
    table exact_vrf { key = { m.vrf: exact; } actions = { to; } }
    table whole_vrf { key = { m.vrf: ternary; } actions = { to; } }
    table long_vrf { key = { m.vrf: lpm; } actions = { to; } }
    apply { exact_vrf.apply(); whole_vrf.apply(); long_vrf.apply(); seen.write(0, m.vrf); }
}
control E(inout headers_t h, inout meta_t m, inout standard_metadata_t sm) { apply { } }
control D(packet_out p, in headers_t h) { apply { p.emit(h.eth); } }
V1Switch(P(), V(), I(), E(), V(), D()) main;
"""


def test_translated_values_are_the_switchs_in_both_worlds(namespaces: list[str], tmp_path: Path):
    file = tmp_path / "translated.p4"
    file.write_text(TRANSLATED)
    topology = two_hosts()
    topology.switches["s1"].cpu_port = 300
    program, seen = weir.compile(file), {}
    lines = [
        "show_tables", "show_actions", "table_info exact_vrf",
        "table_add exact_vrf to 7 => 2", "table_add exact_vrf to 8 => 300", "table_dump exact_vrf",
        "table_add whole_vrf to 7&&&0xffff => 300 1", "table_add whole_vrf to 0&&&0 => 1 2",
        "table_dump whole_vrf", "table_add long_vrf to 7/16 => 1", "table_dump long_vrf",
        "register_write seen 1 65535", "register_read seen 1",
        "mirroring_add 5 300", "mirroring_get 5",
        "mc_mgrp_create 1", "mc_node_create 9 1 300", "mc_node_associate 1 0", "mc_dump",
    ]  # fmt: skip
    for world in ("virtual", "linux"):
        with weir.Network(topology, program, world=world) as net:
            switch = net.switch("s1")
            seen[world] = [switch.runtime.run(line) for line in lines]
            table = switch.table("exact_vrf")
            widths = table.info.keys[0].width, table.info.actions[0].params[0].width
            assert (*widths, switch.register("seen").width) == (16, 9, 16)
            assert [entry.params for entry in table.entries()] == [{"port": "2"}, {"port": "300"}]
            for line in ("table_add exact_vrf to 65536 => 1", "table_add exact_vrf to 1 => 512"):
                with pytest.raises(ControlError, match=r"does not fit in (16|9) bits"):
                    switch.runtime.run(line)
    assert seen["linux"] == seen["virtual"]


def test_classes_that_clones_cannot_have_are_refused_in_both_worlds(s1: Switch):
    with pytest.raises(ControlError, match=r"classes are 0 to 7|number from 0 to 7, not 8"):
        s1.set_clone_session(5, port=1, priority=8)
    assert s1.clone_sessions() == {}
    s1.set_clone_session(5, port=1, priority=0)


def test_equal_copies_are_refused_with_the_reason_and_nodes_stay(switches: dict[str, Switch]):
    s1 = switches["linux"]
    s1.reset()
    nodes = []
    for line in ("mc_mgrp_create 9", "mc_node_create 0 1 2", "mc_node_create 0 2"):
        nodes += [words.split()[1] for words in s1.runtime.run(line)]
    s1.runtime.run(f"mc_node_associate 9 {nodes[0]}")
    before = s1.runtime.run("mc_dump")
    with pytest.raises(ControlError, match="two copies for port 2 with replication id 0: P4Runtime"):
        s1.runtime.run(f"mc_node_associate 9 {nodes[1]}")
    assert s1.runtime.run("mc_dump") == before
