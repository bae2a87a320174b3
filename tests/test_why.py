"""The places and reasons of drops in results and at the prompt."""

import json
from pathlib import Path

import pytest

import weir
from command import NET, RUN, weir as weir_command
from star import star
from weir.cli.shell.shell import Shell
from weir.measure import Drop
from weir.measure.losses import Losses
from weir.topology import shapes

FROM_H1 = {"hdr.ipv4.srcAddr": ["10.0.1.1", "0xffffffff"]}
TO_H2 = {"hdr.ipv4.dstAddr": ["10.0.2.2", 32]}


def direct(**link: object) -> weir.Network:
    """Two hosts on one link."""
    topo = weir.Topology()
    topo.add_host("h1", "10.0.1.1/24")
    topo.add_host("h2", "10.0.1.2/24")
    topo.add_link("h1", "h2", **{"rate": "unlimited", "delay": "5ms", **link})  # type: ignore[arg-type]
    return weir.Network(topo)


def empty(router: weir.Program) -> weir.Network:
    """A network h1 - s1 - h2 with the router of tests/net, without its entries."""
    topo = weir.Topology.load(NET / "topology.json")
    topo.switches["s1"].entries = None
    return weir.Network(topo, router)


def test_nothing_is_said_if_nothing_is_lost(network: weir.Network):
    h1 = network.host("h1")
    assert h1.ping("h2", count=1).why is None
    assert h1.iperf("h2", udp=True, count=3).why is None
    assert h1.requests("h2", count=1).why is None
    assert network.ping_all().why is None


def test_a_table_that_missed(router: weir.Program):
    with empty(router) as net:
        result = net.host("h1").ping("h2", count=2)
        assert result.why == (
            "the program of s1 dropped 2 packets in ingress: table MyIngress.ipv4_lpm (no entries) missed "
            "2 times and ran its default, MyIngress.drop; the last was ICMP from 10.0.1.1 to 10.0.2.2."
        )
        assert str(result).endswith(f"\nWhy: {result.why}")
        assert json.loads(json.dumps(result.to_dict()))["why"] == result.why


def test_an_entry_that_drops(network: weir.Network):
    network.switch("s1").table("acl").insert(FROM_H1, "drop", priority=1)
    result = network.host("h1").ping("h2", count=3)
    assert result.why == (
        "the program of s1 dropped 3 packets in ingress: by an entry's action or in its code, not by a table's default action; "
        "the last was ICMP from 10.0.1.1 to 10.0.2.2."
    )


def test_only_what_was_dropped_meanwhile_counts(network: weir.Network):
    h1, acl = network.host("h1"), network.switch("s1").table("acl")
    acl.insert(FROM_H1, "drop", priority=1)
    h1.ping("h2", count=3)
    acl.clear()
    network.link("h2", "s1").up = False
    why = h1.ping("h2", count=1).why
    assert why == "the link from s1-p2 to h2-eth0 was down for 1 packet."


def test_a_time_to_live_that_is_over(network: weir.Network):
    network.switch("s1").table("acl").insert({"hdr.ipv4.ttl": [0, 1]}, "drop", priority=1)
    result = network.host("h1").ping("h2", count=1, ttl=1)
    assert result.why is not None
    assert result.why.endswith(
        "ICMP from 10.0.1.1 to 10.0.2.2 whose time to live had run out (1 on arrival)."
    )


@pytest.mark.parametrize(
    ("port", "why"),
    [
        (
            7,
            "the program of s1 sent 1 packet to port 7, which s1 does not have: by an entry's action or in its code",
        ),
        (0, "the program of s1 sent 1 packet to port 0 (as if it had chosen none), which s1 does not have"),
    ],
)
def test_a_port_that_does_not_exist(network: weir.Network, port: int, why: str):
    table = network.switch("s1").table("ipv4_lpm")
    table.clear()
    forward = {"dstAddr": "08:00:00:00:02:22", "port": port}
    table.insert(TO_H2, "ipv4_forward", forward)
    said = network.host("h1").ping("h2", count=1).why
    assert said is not None and said.startswith(why)


def test_a_group_without_members(network: weir.Network):
    table = network.switch("s1").table("ipv4_lpm")
    table.clear()
    table.insert(TO_H2, "flood", {"group": 9})
    assert network.host("h1").ping("h2", count=1).why == (
        "the program of s1 sent 1 packet to a multicast group without members."
    )


def test_no_answer_to_arp():
    net = direct()
    result = net.host("h1").ping("10.0.1.77", count=1)
    assert result.why == "h1 got no answer to ARP, for which 1 packet waited."


def test_an_answer_to_arp_that_has_not_come_yet():
    topo = weir.Topology()
    topo.add_host("h1", "10.0.1.1/24")
    topo.add_host("h2", "10.0.1.2/24")
    topo.add_link("h1", "h2", rate="unlimited", delay="1s")
    with weir.Network(topo) as net:
        result = net.host("h1").ping("10.0.1.2", count=1, timeout="1s")
        assert (
            result.why
            == "10.0.1.2 has not answered the ARP request of h1 yet; 1 packet waits for the answer."
        )


def test_copies_that_a_switch_drops_do_not_hide_arp():
    """The program drops the copy of a flooded request for the port of arrival."""
    topology = weir.Topology()
    topology.add_switch("s1")
    for number in (1, 2):
        topology.add_host(f"h{number}", f"10.0.0.{number}/24")
        topology.add_link(f"h{number}", f"s1-p{number}")
    with weir.Network(topology, "l2_switch") as net:
        h1 = net.host("h1")
        why = h1.ping("10.0.0.77", count=1, timeout="1s").why
        reason = "10.0.0.77 has not answered the ARP request of h1 yet; 1 packet waits for the answer, and the program of s1 "
        assert why is not None and why.startswith(reason), why
        late = h1.ping("10.0.0.77", count=1).why
        assert late is not None and late.startswith("h1 got no answer to ARP, for which ")


EGRESS_DROPS = """
#include <v1model.p4>
header h_t { bit<48> dst; bit<48> src; bit<16> kind; }
struct H { h_t e; }
struct M { }
parser P(packet_in b, out H h, inout M m, inout standard_metadata_t s) {
    state start { b.extract(h.e); transition accept; }
}
control V(inout H h, inout M m) { apply { } }
control I(inout H h, inout M m, inout standard_metadata_t s) {
    action send() { s.egress_spec = 3 - s.ingress_port; }
    table first { key = { h.e.kind: exact; } actions = { send; } default_action = send(); }
    apply { first.apply(); }
}
control E(inout H h, inout M m, inout standard_metadata_t s) {
    action drop() { mark_to_drop(s); }
    table second { key = { h.e.src: exact; } actions = { drop; NoAction; } default_action = DEFAULT; }
    apply { second.apply(); LAST }
}
control C(inout H h, inout M m) { apply { } }
control D(packet_out b, in H h) { apply { b.emit(h); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
"""


@pytest.mark.parametrize(
    ("default", "last", "reason"),
    [
        ("drop()", "", "table E.second (no entries) missed once and ran its default, E.drop"),
        ("NoAction()", "drop();", "by an entry's action or in its code, not by a table's default action"),
    ],
)
def test_a_table_of_ingress_drops_nothing_in_egress(tmp_path: Path, default: str, last: str, reason: str):
    file = tmp_path / "drops.p4"
    file.write_text(EGRESS_DROPS.replace("DEFAULT", default).replace("LAST", last))
    topology = shapes.star(2)
    topology.routes = None
    with weir.Network(topology, file) as net:
        why = net.host("h1").ping("h2", count=1).why
    assert why is not None and why.startswith(f"the program of s1 dropped 1 packet in egress: {reason}"), why


def test_arp_that_a_program_drops(router: weir.Program):
    """The drop that kept the request from its target comes before its consequences."""
    topo = weir.Topology()
    topo.add_switch("s1")
    topo.add_host("h1", "10.0.1.1/24")
    topo.add_host("h2", "10.0.1.2/24")
    topo.add_link("h1", "s1-p1", rate="unlimited", delay="1ms")
    topo.add_link("h2", "s1-p2", rate="unlimited", delay="1ms")
    with weir.Network(topo, router) as net:
        why = net.host("h1").ping("h2", count=1).why
    assert why is not None
    assert "sent 3 packets to port 0 (as if it had chosen none), which s1 does not have" in why
    assert "the last was an ARP request for 10.0.1.2 from 10.0.1.1" in why
    assert why.endswith("; so h1 got no answer to ARP.")


def other_pair() -> weir.Topology:
    """A network in which h2's link takes only small packets, and h3's link loses all packets."""
    topo = weir.Topology()
    topo.add_switch("s1")
    for number, link in enumerate([{}, {"mtu": "1000B"}, {"loss": "100%"}], 1):
        topo.add_host(f"h{number}", f"10.0.0.{number}/24")
        topo.add_link(f"h{number}", f"s1-p{number}", rate="10Mbit", delay="1ms", **link)  # type: ignore[arg-type]
    return topo


def test_drops_of_other_hosts_are_not_the_reason():
    with weir.Network(other_pair(), "l2_switch") as net:
        h1, h3 = net.host("h1"), net.host("h3")
        lost = h3.start_ping("h1", count=1, timeout="100ms")
        why = h1.ping("h2", count=2, size=1400).why
        assert why == "2 packets were larger than the MTU of the link from s1-p2 to h2-eth0."
        assert lost.result().why == (
            "the link from h3-eth0 to s1-p3 lost 3 packets on the wire; so h3 got no answer to ARP (1 more elsewhere)."
        )
        h3.start_ping("h1", count=1)
        late = h1.ping("h2", count=1, timeout="3ms").why
    assert late is not None and late.startswith("packets were dropped at other hosts only: ")


def test_packets_too_large_do_not_keep_an_answer_from_a_host():
    """Requests are small, so drops of large packets do not explain missing replies."""
    drops = [
        Drop("h1-eth0->s1-p1", "larger than the link's MTU", 9),
        Drop("h1-eth0", "no answer to ARP", 1),
    ]
    assert Losses(drops).sentence() == (
        "9 packets were larger than the MTU of the link from h1-eth0 to s1-p1; and h1 got no answer to ARP."
    )
    lost = [Drop("s1-p1->h1-eth0", "lost on the wire", 3), drops[1]]
    assert "; so h1 got no answer to ARP" in str(Losses(lost).sentence())
    between = [Drop("s1-p2->s2-p1", "lost on the wire", 3), drops[1]]
    assert "; and h1 got no answer to ARP" in str(Losses(between).sentence())


def test_pings_without_a_route_are_explained():
    net = direct()
    assert net.host("h1").ping("192.0.2.1", count=2).why == "h1 has no route to 192.0.2.1."


def test_lost_on_the_wire():
    net = direct(loss="100%")
    net.host("h1").cmd("arp -s 10.0.1.2 08:00:00:00:00:02")
    why = net.host("h1").ping("h2", count=4).why
    assert why == "the link from h1-eth0 to h2-eth0 lost 4 packets on the wire."


def test_a_full_queue():
    with weir.Network(star(), "router") as net:
        net.host("h1").ping("h2", count=1)
        result = net.host("h1").iperf("h2", udp=True, rate="20Mbit", duration="2s")
    assert result.lost and result.why is not None
    assert result.why.startswith(f"the queue at h1-eth0, towards s1-p1, was full for {result.lost} packets")
    assert str(result).endswith(f"Why: {result.why}")
    assert result.to_dict()["why"] == result.why


def test_a_switch_whose_queue_is_full(network: weir.Network):
    s1 = network.switch("s1")
    s1.set_queue_rate("10pps", port=2)
    s1.set_queue_depth(1, port=2)
    result = network.host("h1").iperf("h2", udp=True, count=50, rate="50Mbit")
    assert result.lost and result.why is not None
    assert result.why.startswith(f"the queue of port 2 of s1 was full for {result.lost} packets")


def test_larger_than_the_mtu():
    net = direct()
    h1 = net.host("h1")
    h1.ping("h2", count=1)
    net.link("h1", "h2").mtu = "1000B"
    why = h1.ping("h2", count=1, size=1200).why
    assert why == "1 packet was larger than the MTU of the link from h1-eth0 to h2-eth0."


def test_a_connection_that_nobody_answers(router: weir.Program):
    with empty(router) as net, pytest.raises(weir.NetworkError) as caught:
        net.host("h1").iperf("h2", size="1kB")
    assert "TCP port 5201: nobody answered. Why: the program of s1 dropped" in str(caught.value)


def test_requests_that_fail(router: weir.Program):
    with empty(router) as net:
        result = net.host("h1").requests("h2", count=1, udp=True)
    assert result.failed == 1 and result.why is not None
    assert "the last was UDP from 10.0.1.1 to 10.0.2.2" in result.why
    assert str(result).endswith(f"Why: {result.why}")


def test_a_reply_that_comes_too_late():
    h1 = direct().host("h1")
    assert h1.ping("h2", count=1).received == 1  # Now h1 knows the hardware address.
    result = h1.ping("h2", count=1, timeout="1ms")
    assert (
        result.why
        == "no packet was dropped: the missing packets are still on their way, or arrived too late."
    )


def test_datagrams_that_wait_for_an_answer_to_arp():
    with direct(delay="100s") as net:
        result = net.host("h1").iperf("h2", udp=True, count=2)
        assert (result.lost, result.why) == (
            2,
            "10.0.1.2 has not answered the ARP request of h1 yet; 2 packets wait for the answer.",
        )


def test_requests_whose_responses_come_too_late():
    with direct(delay="3s") as net:
        result = net.host("h1").requests("h2", 2, udp=True, timeout="1s", tries=1)
        assert (result.failed, result.why) == (
            2,
            "10.0.1.2 has not answered the ARP request of h1 yet; 2 packets wait for the answer.",
        )


def test_responses_without_a_route(network: weir.Network):
    network.host("h2").cmd("ip route del default")
    result = network.host("h1").requests("h2", 2, udp=True, timeout="1s", tries=2)
    assert (result.failed, result.why) == (2, "h2 had no route for 4 packets.")
    network.audit()


def test_the_prompt_tells_the_whole_account(router: weir.Program, capsys):
    with empty(router) as net:
        shell = Shell(net)
        shell.run("why")
        shell.run("h1 ping -c 1 h2")
        shell.run("why")
        shell.run("pingall")
        shell.run("why")
    first, *rest = capsys.readouterr().out.splitlines()
    assert first == "no packet was dropped since the start"
    said = [line for line in rest if "of s1" in line or "ipv4_lpm" in line]
    assert [line.split(":")[0] for line in said] == [
        "Why",
        "The program of s1 dropped 1 packet in ingress",
        "s1",
        "Why",
        "The program of s1 dropped 2 packets in ingress",
        "s1",
    ]
    assert (
        said[2]
        == "s1: table MyIngress.ipv4_lpm (no entries) missed once and ran its default, MyIngress.drop."
    )
    assert (
        said[5]
        == "s1: table MyIngress.ipv4_lpm (no entries) missed 2 times and ran its default, MyIngress.drop."
    )


def test_the_command_line_explains_losses(tmp_path: Path):
    topology = json.loads((NET / "topology.json").read_text())
    del topology["switches"]["s1"]["runtime_json"]
    file = tmp_path / "topology.json"
    file.write_text(json.dumps(topology))
    code, out, _ = weir_command("ping", file, "h1", "h2", "-c", "1", *RUN[2:])
    assert code == 1 and out.splitlines()[-1].startswith("Why: the program of s1 dropped 1 packet in ingress")
    code, out, _ = weir_command("ping", file, "h1", "h2", "-c", "1", "--json", *RUN[2:])
    assert code == 1 and json.loads(out)["why"].startswith("the program of s1 dropped 1 packet in ingress")
    code, out, _ = weir_command("iperf", file, "h1", "h2", "-u", "-t", "1", *RUN[2:])
    assert code == 1 and "\nWhy: the program of s1 dropped" in out


def test_flooding_is_no_reason():
    """A program drops the copy for the port of arrival, and hosts refuse copies for other hosts."""
    topo = weir.Topology()
    topo.add_switch("s1")
    for number in (1, 2, 3):
        topo.add_host(f"h{number}", f"10.0.0.{number}/24")
        topo.add_link(f"h{number}", f"s1-p{number}", rate="10Mbit", delay="1ms")
    with weir.Network(topo, "l2_switch") as net:
        # h2 never sends, so the switch does not know its port.
        net.host("h1").cmd(f"arp -s 10.0.0.2 {net.host('h2').mac}")
        net.link("h2", "s1").loss = weir.impairments.Frames([3])
        result = net.host("h1").iperf("h2", udp=True, count=20)
        dropped = {drop.place: drop.packets for drop in net.audit().drops}
    assert result.lost == 1 and dropped["s1 egress"] == dropped["h3-eth0"] == 20
    assert result.why == "the link from s1-p2 to h2-eth0 lost 1 packet on the wire."


def test_reading_the_account_changes_nothing(network: weir.Network):
    before = network.events, network.now_ns
    network._clock.losses.since(network._clock.losses.mark())
    assert (network.events, network.now_ns) == before
