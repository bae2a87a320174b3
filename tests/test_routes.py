"""Entries that a network computes from its topology."""

from pathlib import Path

import pytest

import weir
from weir.errors import NetworkError
from weir.topology import RouteTable, Topology, shapes

NET = Path(__file__).parent / "net"


def program(tmp_path, ingress, name="own.p4"):
    """A program with IPv4 headers and this ingress."""
    file = tmp_path / name
    text = (NET / "router.p4").read_text()
    start, end = text.index("control MyIngress"), text.index("control MyEgress")
    parameters = "(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t standard_metadata)"
    file.write_text(f"{text[:start]}control MyIngress{parameters} {{{ingress}}}\n{text[end:]}")
    return file


def routes_of(net, switch, table):
    return {
        entry.match["hdr.ipv4.dstAddr"]: entry.params for entry in net.switch(switch).table(table).entries()
    }


FORWARD = """
    action drop() { mark_to_drop(standard_metadata); }
    action forward(mac_t next, bit<9> port) {
        standard_metadata.egress_spec = port;
        hdr.ethernet.dstAddr = next;
    }
"""
TABLE = "table {} {{ key = {{ hdr.ipv4.dstAddr: {}; }} actions = {{ {} drop; }} default_action = drop(); }}\n"
APPLY = "apply { if (hdr.ipv4.isValid()) { %s.apply(); } else { drop(); } }"


def test_the_router_of_this_repository_fits_the_shapes():
    with weir.Network(shapes.chain(3), NET / "router.p4") as net:
        assert net.host("h1").ping("h3", count=1).received == 1


@pytest.mark.parametrize("match", ["lpm", "exact"])
def test_an_annotated_table_is_filled_whatever_its_name(tmp_path, match):
    file = program(tmp_path, FORWARD + "@route " + TABLE.format("where", match, "forward;") + APPLY % "where")
    topology = Topology()
    for number in (1, 2):
        topology.add_host(f"h{number}", f"10.0.{number}.1/24", gateway=f"10.0.{number}.254")
    topology.add_switch("s1")
    for number in (1, 2):
        topology.hosts[f"h{number}"].arp[f"10.0.{number}.254"] = "08:00:00:00:ff:01"
        topology.add_link(f"h{number}", f"s1-p{number}")
    with weir.Network(topology, file) as net:
        assert net.host("h1").ping("h2", count=1).received == 1


def test_an_unannotated_table_of_a_plain_topology_stays_empty():
    topology = shapes.star(2)
    topology.routes = "annotated"
    with weir.Network(topology, NET / "router.p4") as net:
        assert len(net.switch("s1").table("ipv4_lpm")) == 0


@pytest.mark.parametrize("topology", [shapes.star(2, routes=None), shapes.from_text("star:2,routes=none")])
def test_no_routes_on_request(topology):
    with weir.Network(topology, "router") as net:
        assert len(net.switch("s1").table("ipv4_routes")) == 0


def test_a_program_without_routes_says_where_to_turn_them_off(tmp_path):
    file = program(tmp_path, "apply { }")
    with pytest.raises(NetworkError, match=r"set topology\.routes = None .* such as dumbbell:4,routes=none"):
        weir.Network(shapes.dumbbell(4), file)
    topology = shapes.dumbbell(4)
    topology.routes = None
    weir.Network(topology, file).close()
    weir.Network(shapes.from_text("dumbbell:4,routes=none"), file).close()


def test_entries_of_the_topology_are_not_added_to():
    topology = shapes.star(2)
    topology.switches["s1"].entries = {"target": "bmv2", "table_entries": []}
    with weir.Network(topology, "router") as net:
        assert len(net.switch("s1").table("ipv4_routes")) == 0


def test_names_in_the_program_can_be_given(tmp_path):
    ingress = (
        FORWARD
        + "action mirror(bit<9> port, bit<9> copy, mac_t a, mac_t b) { standard_metadata.egress_spec = port; }"
        + TABLE.format("first", "lpm", "forward;")
        + TABLE.format("second", "lpm", "forward; mirror;")
        + APPLY % "second"
    )
    file = program(tmp_path, ingress)
    with pytest.raises(
        NetworkError, match=r"MyIngress\.first and MyIngress\.second could both hold IPv4 routes"
    ):
        weir.Network(shapes.star(2), file)
    for topology in (
        shapes.star(2, routes=RouteTable(table="second")),
        shapes.from_text("star:2,routes=second"),
    ):
        with weir.Network(topology, file) as net:
            assert net.host("h1").ping("h2", count=1).received == 1
            assert len(net.switch("s1").table("first")) == 0
    with pytest.raises(weir.ControlError) as caught:
        weir.Network(shapes.star(2, routes=RouteTable(table="secnd")), file)
    assert "second" in str(caught.value)


@pytest.mark.parametrize(
    ("ingress", "message"),
    [
        ("action drop() { mark_to_drop(standard_metadata); } apply { drop(); }", "has no table for routes"),
        (
            FORWARD
            + "@route table t { key = { hdr.ipv4.ttl: exact; } actions = { forward; drop; } default_action = drop(); }"
            + APPLY % "t",
            "expected one key of 32, 48 or 128 bits",
        ),
        (FORWARD + "@route " + TABLE.format("t", "lpm", "") + APPLY % "t", "needs one action for routes"),
        (
            FORWARD
            + "action other(bit<9> port) { standard_metadata.egress_spec = port; }\n@route "
            + TABLE.format("t", "lpm", "forward; other;")
            + APPLY % "t",
            "found MyIngress.forward, MyIngress.other",
        ),
        (
            "@flood action flood(bit<16> group, bit<8> x) { standard_metadata.mcast_grp = group; }"
            "table t { actions = { flood; NoAction; } default_action = NoAction(); } apply { t.apply(); }",
            "annotated with @flood, so it takes one parameter",
        ),
    ],
)
def test_programs_without_room_for_routes(tmp_path, ingress, message):
    with pytest.raises(NetworkError) as caught:
        weir.Network(shapes.star(2), program(tmp_path, ingress))
    assert message in str(caught.value)


def test_flows_use_all_shortest_paths():
    """ECMP: flows from leaf 1 to leaf 2 use both spines, and each flow uses one."""
    with weir.Network(shapes.leaf_spine(2, 2, 1)) as net:
        sampler = net.sample(["leaf1-p2", "leaf1-p3"], every="1ms")
        flows = [
            net.host("h1").start_iperf("h2", udp=True, rate="1Mbit", duration="100ms") for _ in range(16)
        ]
        net.wait(*flows)
        sent = [sampler.samples(end).sent_packets[-1] for end in sampler.ends]
    assert min(sent) > 0, sent


def test_a_table_without_selector_spreads_hosts_over_paths(tmp_path):
    file = program(tmp_path, FORWARD + TABLE.format("t", "lpm", "forward;") + APPLY % "t")
    with weir.Network(shapes.leaf_spine(2, 2, 4), file) as net:
        ports = {params["port"] for params in routes_of(net, "leaf1", "t").values()}
        assert net.host("h1").ping("h8", count=1).received == 1
    assert {"5", "6"} <= {str(port) for port in ports}


def test_links_that_are_down_carry_no_routes():
    topology = shapes.ring(4)
    topology.link("s1", "s2").up = False
    with weir.Network(topology) as net:
        assert net.host("h1").ping("h2", count=1).received == 1


def test_a_switch_that_learns_floods_a_ring_once():
    with weir.Network(shapes.ring(4, layer=2)) as net:
        # A broadcast ARP request that circled would pass the link of h2 again and again.
        seen = net.sniff("h2", "arp")
        assert net.host("h1").ping("h3", count=2).received == 2
        net.run_for("1s")
        assert len(seen.frames) == 1


def test_the_router_answers_for_gateways():
    """Hosts without permanent neighbours find their gateway by ARP and neighbour solicitation."""
    topology = Topology()
    topology.add_switch("s1")
    for number in (1, 2):
        topology.add_host(
            f"h{number}",
            f"10.0.{number}.1/24",
            ip6=f"fd00:{number}::1/64",
            gateway=f"10.0.{number}.254",
            gateway6=f"fd00:{number}::fffe",
        )
        topology.add_link(f"h{number}", f"s1-p{number}")
    with weir.Network(topology) as net:
        assert net.switch("s1").program.path.endswith("router.p4")
        assert net.host("h1").ping("h2", count=2).received == 2
        assert net.host("h1").ping("fd00:2::1", count=2).received == 2


def test_hosts_of_one_network_get_a_switch_that_learns():
    topology = Topology()
    topology.add_switch("s1")
    for number in (1, 2, 3):
        topology.add_host(f"h{number}", f"10.0.0.{number}/24")
        topology.add_link(f"h{number}", f"s1-p{number}")
    with weir.Network(topology) as net:
        assert net.switch("s1").program.path.endswith("l2_switch.p4")
        seen = net.sniff("h2", "icmp")
        assert net.host("h1").ping("h3", count=3).received == 3
        assert seen.frames == []


@pytest.mark.parametrize("name", ["router", "l2_switch", "l2-switch", "delay_line"])
def test_programs_have_no_warnings(name):
    assert weir.check(name) == []


def test_the_delay_line_delays_by_recirculating():
    with weir.Network(shapes.star(2, delay="0ms"), "delay_line", profile="bmv2-vm") as net:
        at_once = net.host("h1").ping("h2", count=1).rtt_avg_ms
        net.switch("s1").table("recirculations").set_default("set_limit", {"x": 10})
        assert net.host("h1").ping("h2", count=1).rtt_avg_ms > 5 * at_once


def test_a_file_comes_before_a_program_of_its_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "router").write_text("this is not a P4")
    assert weir.check("router")[0].severity == "error"
