"""Queueing disciplines in the queues of switches, in virtual networks, commands and on the command
line."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import weir
from weir import qdisc
from weir.topology import Topology

DEPTHS = Path(__file__).parent / "net/depths.p4"
ROUTER = Path(__file__).parent / "net/router.p4"
WIRE = Path(__file__).parent / "net/psa_wire.p4"

# Disciplines without random numbers, or whose random numbers do not matter here.
SAME: dict[str, qdisc.Qdisc] = {
    "codel": qdisc.Codel(target="2ms", interval="10ms"),
    "bfifo": qdisc.Fifo("20kB"),
    "fq_codel": qdisc.FqCodel(target="2ms", interval="10ms", limit="60p"),
    "tbf": qdisc.Tbf("4Mbit", "3000B", "30kB"),
    "htb": qdisc.Htb([qdisc.HtbClass(0x10, rate="3Mbit", queue=qdisc.Codel(target="1ms"))], default=0x10),
}


@pytest.fixture(scope="module")
def depths() -> weir.Program:
    return weir.compile(DEPTHS)


def pair(**switch: Any) -> Topology:
    """A topology of h1, at 100 Mbit/s, and h2, at 10 Mbit/s, on s1."""
    topo = Topology()
    topo.add_host("h1", ip="10.0.0.1/24", arp={"10.0.0.2": "08:00:00:00:00:02"})
    topo.add_host("h2", ip="10.0.0.2/24", arp={"10.0.0.1": "08:00:00:00:00:01"})
    topo.add_switch("s1", **switch)
    topo.add_link("h1", "s1-p1", rate="100Mbit")
    topo.add_link("h2", "s1-p2", rate="10Mbit")
    return topo


def flood(net: weir.Network, ecn: int = 0) -> list[tuple[int, bytes]]:
    """Sends UDP packets of 1250 bytes at 20 Mbit/s for 0.15 s; returns those that h2 gets."""
    sniffer = net.host("h2").sniff("udp")
    header = bytes.fromhex("080000000002 080000000001 0800 45") + bytes([ecn])
    header += bytes.fromhex("04d4 0000 0000 4011 0000 0a000001 0a000002 0007 0009 04c0 0000")
    for number in range(300):
        frame = header + number.to_bytes(2, "big")
        net.at(f"{number * 500}us", lambda frame=frame: net.host("h1").send(frame.ljust(1250, b"\0")))
    net.run_for("2s")
    return [(arrival.time_ns, arrival.data) for arrival in sniffer.frames]


@pytest.mark.parametrize("kind", SAME)
def test_a_discipline_drops_the_same_packets_in_the_switch_and_at_the_link(depths: weir.Program, kind: str):
    with weir.Network(pair(queue_rate="link"), depths) as net:
        s1 = net.switch("s1")
        s1.set_queue_discipline(SAME[kind], port=2)
        in_switch = flood(net)
        [queue] = s1.queues(2)
        assert queue.dropped == 300 - len(in_switch) > 15
        assert net.audit().balances
        depth = s1.register("MyEgress.max_enqueued")[0]
        assert depth > 10, "the program sees the queue of the discipline"
    with weir.Network(pair(queue_rate=None), depths) as net:
        net.interface("s1-p2").qdisc = SAME[kind]
        at_link = flood(net)
        assert net.audit().balances
    assert in_switch == at_link


@pytest.mark.parametrize("program", [DEPTHS, WIRE], ids=["v1model", "PSA"])
def test_marked_packets_leave_with_the_mark(program: Path):
    with weir.Network(pair(queue_rate="link"), program) as net:
        s1 = net.switch("s1")
        s1.set_queue_discipline(qdisc.Codel(target="2ms", interval="10ms", ecn=True), port=2)
        arrived = [data[15] for _, data in flood(net, ecn=2)]
        [queue] = s1.queues(2)
        assert len(arrived) == 300 and queue.dropped == 0
        assert arrived.count(3) == queue.marked > 15
        assert arrived.count(2) == 300 - queue.marked


def test_switches_mark_congestion_instead_of_dropping():
    topo = Topology()
    topo.add_switch("s1", queue_rate="link")
    topo.add_host("h1", ip="10.0.1.1/24", gateway="10.0.1.10", arp={"10.0.1.10": "08:00:00:00:01:00"})
    topo.add_host("h2", ip="10.0.2.2/24", gateway="10.0.2.20", arp={"10.0.2.20": "08:00:00:00:02:00"})
    topo.add_link("h1", "s1", rate="100Mbit", delay="5ms")
    topo.add_link("h2", "s1", rate="10Mbit", delay="1ms")
    with weir.Network(topo, ROUTER) as net:
        h1, h2, s1 = net.host("h1"), net.host("h2"), net.switch("s1")
        for number, host in ((1, h1), (2, h2)):
            action = {"dstAddr": host.mac, "port": number}
            s1.table("ipv4_lpm").insert({"hdr.ipv4.dstAddr": f"10.0.{number}.0/24"}, "ipv4_forward", action)
        s1.set_queue_discipline(qdisc.FqCodel(), port=2)
        result = h1.iperf(h2, duration="5s", parallel=2, ecn=True)
        assert (result.retransmits, s1.queues(2)[0].dropped) == (0, 0)
        assert s1.queues(2)[0].marked > 20
        assert result.goodput_mbps > 9
        without = h1.iperf(h2, duration="5s", parallel=2)
        assert without.retransmits > 0 and s1.queues(2)[0].dropped > 0
        assert "dropped by CoDel" in str(net.audit())


def test_commands_set_disciplines_and_show_them(depths: weir.Program, tmp_path: Path):
    commands = tmp_path / "s1-commands.txt"
    commands.write_text("set_queue_discipline 2:0 codel target 2ms\n")
    with weir.Network(pair(queue_rate="link", commands=commands), depths) as net:
        s1 = net.switch("s1")
        text = "codel limit 1000 target 2ms interval 100ms"
        assert s1.queues(2)[0].discipline == text
        assert s1.queues(1)[0].discipline is None
        shown = (
            f"priority 0: 0 packets waiting, {text} (dropped 0, marked 0), rate unlimited, of the port 10Mbit"
        )
        assert s1.runtime.run("show_queues 2") == [shown]
        assert s1.runtime.run("show_ports") == [
            "port 1: 0 packets waiting, depth 1000, rate 100Mbit",
            "port 2: 0 packets waiting, 1 queue with a discipline, rate 10Mbit",
        ]
        shaped = "handle 1: htb default 10 ; class add parent 1: classid 1:10 htb rate 5mbit"
        s1.runtime.run(f"set_queue_discipline 2 {shaped}")
        assert (s1.queues(2)[0].discipline or "").startswith("htb default 10")
        s1.runtime.run("set_queue_discipline all none")
        assert s1.queues(2)[0].discipline is None


def test_disciplines_that_a_switch_cannot_have_are_refused(depths: weir.Program):
    with weir.Network(pair(queue_rate="link"), depths) as net:
        s1 = net.switch("s1")
        for discipline, said in [
            (qdisc.Netem(delay="1ms"), "use netem at the port's link"),
            (qdisc.Tbf("1Mbit", "2kB", "9kB", queue=qdisc.Netem(loss="1%")), "use netem at the port's link"),
            (qdisc.Fq(horizon="1s"), "horizon has no effect"),
            (qdisc.Codel(interval="0ms"), "codel interval: 0 ns is out of range; expected 1 ns or more"),
        ]:
            with pytest.raises(weir.ControlError, match=said):
                s1.set_queue_discipline(discipline, port=2)
        for command, said in [
            ("set_queue_discipline 2 codell", "did you mean"),
            ("set_queue_discipline 9 codel", "the switch has no port 9; its ports: 1, 2"),
            ("set_queue_discipline 2:5 codel", "ports have 1 queue, there is no priority 5"),
            ("set_queue_discipline 2:x codel", "expected a priority"),
            ("set_queue_discipline 2 qdisc del root", "there is no discipline|expected a discipline"),
        ]:
            with pytest.raises(weir.ControlError, match=said):
                s1.runtime.run(command)
        assert s1.queues(2)[0].discipline is None
    with weir.Network(pair(queue_rate=None), depths) as net:
        s1 = net.switch("s1")
        with pytest.raises(weir.ControlError, match="without a rate no frame waits"):
            s1.set_queue_discipline(qdisc.Codel())
        s1.set_queue_discipline(qdisc.Tbf("1Mbit", "2kB", "9kB"))
        assert (s1.queues(1)[0].discipline or "").startswith("tbf rate 1mbit")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ("--qdisc 1=codel", "--qdisc: without a rate no frame waits"),
        ("--queue-rate 2=1Mbit --qdisc 2=codel", "--queue-rate: the switch has no port 2; its ports: 1"),
        ("--queue-rate 1Mbit --qdisc codell", 'did you mean "?`?codel'),
        ("--queue-rate 1Mbit --qdisc netem", "--qdisc: a switch's queue cannot delay"),
        ("--queue-rate fast", "expected a rate in packets per second"),
    ],
)
def test_weir_switch_refuses_wrong_queues(options: str, said: str):
    command = [sys.executable, "-m", "weir", "switch", "router", "-i", "1@none0", *options.split()]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert ended.returncode != 0
    assert re.search(said, ended.stderr), ended.stderr
