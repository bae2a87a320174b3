"""The queues of switches in the Linux world, as the switches' programs see them."""

import struct
import subprocess
import sys
import warnings
from pathlib import Path

import pytest
from linux_networks import ROUTER, fill, two_hosts, until

import weir
from weir.linux import wiring
from weir.linux.network_base import NetworkBase

pytestmark = pytest.mark.usefixtures("namespaces")

PROGRAM = Path(__file__).with_name("queues.p4")
COUNT = 30
SIZE = 1000 + 42
"""Bytes of a frame."""


BURST = f"""
import socket
UDP_SEGMENT = 103
sock = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
sock.setsockopt(socket.IPPROTO_UDP, UDP_SEGMENT, {SIZE - 42})
sock.sendto(bytes({COUNT * (SIZE - 42)}), ("10.0.0.2", 7))
"""
"""Sends all datagrams by one call of the kernel, which passes them on as one frame.

Whatever else the computer does, no time is between them when the switch gets them.
"""


class Probes(weir.HostProgram):
    """Records the values that the switch wrote into datagrams: queue on arrival and departure,
    waiting time."""

    def __init__(self) -> None:
        self.seen: list[tuple[int, int, int]] = []

    def on_datagram(self, datagram: weir.Datagram) -> None:
        self.seen.append(struct.unpack("!III", datagram.payload[:12]))


def network(**link: str) -> weir.Network:
    topology = weir.Topology()
    topology.add_host("h1", ip="10.0.0.1/24", mac="08:00:00:00:00:01", arp={"10.0.0.2": "08:00:00:00:00:02"})
    topology.add_host("h2", ip="10.0.0.2/24", mac="08:00:00:00:00:02", arp={"10.0.0.1": "08:00:00:00:00:01"})
    topology.add_switch("s1")
    topology.add_link("h1", "s1")
    topology.add_link("h2", "s1", **link)
    return weir.Network(topology, PROGRAM, world="linux")


def send_burst(net: weir.Network) -> None:
    sender = net.host("h1").popen([sys.executable, "-c", BURST], stderr=subprocess.PIPE)
    assert (sender.communicate()[1], sender.returncode) == ("", 0)


def burst(net: weir.Network, probes: Probes, arrives: int = COUNT) -> list[tuple[int, int, int]]:
    """The values in the datagrams of a burst that arrive."""
    probes.seen.clear()
    send_burst(net)
    until(net, lambda: len(probes.seen) >= arrives)
    net.run_for("30ms")
    assert len(probes.seen) == arrives
    return list(probes.seen)


def test_a_program_sees_the_queue_of_a_link_with_a_rate():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        net = network(rate="2Mbit")
    with net:
        probes = net.host("h2").run(Probes(), udp=7)
        before = net.now_ns
        depths, left, waited = zip(*burst(net, probes), strict=True)
        took = net.now_ns - before
        # Datagrams arrive much faster than they leave; the first finds an empty queue.
        assert depths[0] == 0 and max(depths) >= COUNT - 8 and list(depths) == sorted(depths), depths
        assert left[-1] == 0 and max(left) >= COUNT - 8, left
        time_each = SIZE * 8 / 2e6
        assert waited[0] < 1_000 and waited[-1] >= 0.6 * COUNT * time_each * 1e6, waited
        assert took >= 0.8 * (COUNT - 1) * time_each * 1e9
        # The link's queue is the switch's: it follows the link.
        net.link("h2", "s1").rate = "20Mbit"
        faster = [probe[2] for probe in burst(net, probes)]
        assert max(faster) < max(waited) / 3, (faster, waited)
        net.link("h2", "s1").rate, net.link("h2", "s1").queue = "2Mbit", "5p"
        # One leaves at once, and five wait.
        few = burst(net, probes, arrives=6)
        assert max(depths for depths, _, _ in few) <= 5, few
        # A discipline must see the packets, so they wait there.
        net.tc("s1", "tc qdisc add dev s1-p2 root pfifo_fast")
        assert {probe[:2] for probe in burst(net, probes)} == {(0, 0)}
        net.tc("s1", "tc qdisc del dev s1-p2 root")
        net.link("h2", "s1").rate = None
        assert {probe[:2] for probe in burst(net, probes)} == {(0, 0)}


def test_a_queue_in_a_switch_can_have_a_discipline():
    with network(rate="2Mbit") as net:
        s1, probes = net.switch("s1"), net.host("h2").run(Probes(), udp=7)
        s1.set_queue_discipline(weir.qdisc.Fifo("8p"), port=2)
        # One leaves at once, and eight wait.
        few = burst(net, probes, arrives=9)
        assert max(found for found, _, _ in few) == 7, few
        # CoDel drops from the front of the queue, after it has been late for an interval.
        s1.set_queue_discipline(weir.qdisc.Codel(target="5ms", interval="20ms"), port=2)
        probes.seen.clear()
        send_burst(net)
        # The first datagram finds an empty queue, and leaves none behind.
        until(net, lambda: len(probes.seen) > 1 and probes.seen[-1][1] == 0)
        assert COUNT / 2 < len(probes.seen) < COUNT, probes.seen
        assert max(found for found, _, _ in probes.seen) > COUNT - 8
        s1.set_queue_discipline(None, port=2)
        assert len(burst(net, probes)) == COUNT
        with pytest.raises(weir.ControlError, match="use netem at the port's link"):
            s1.set_queue_discipline(weir.qdisc.Netem(delay="1ms"), port=2)
        net.link("h2", "s1").rate = None
        with pytest.raises(weir.ControlError, match="without a rate no frame waits"):
            s1.set_queue_discipline(weir.qdisc.Codel(), port=2)


def test_a_program_is_told_where_it_sees_no_queues():
    with pytest.warns(weir.WeirWarning, match="It has no such link, so it sees empty queues"):
        net = network(rate="200Mbit")
    with net:
        probes = net.host("h2").run(Probes(), udp=7)
        assert {probe[:2] for probe in burst(net, probes)} == {(0, 0)}


@pytest.mark.parametrize("lacks", [True, False], ids=["not in the kernel", "as the kernel is"])
def test_disciplines_are_in_the_link_where_the_kernel_lacks_them(
    lacks: bool, monkeypatch: pytest.MonkeyPatch
):
    if lacks:
        monkeypatch.setattr(
            NetworkBase,
            "kernel_lacks",
            lambda _, queue: queue.partition(" ")[0] in wiring.OPTIONAL_DISCIPLINES,
        )
    topology = two_hosts(rate="8Mbit", queue=weir.qdisc.FqCodel(limit="10p"))
    with weir.Network(topology, ROUTER, world="linux") as net:
        fill(net)
        assert net.host("h1").ping("h2", count=3).received == 3
        end = net.interface("s1-p2")
        assert "fq_codel" in end.qdisc and "limit 10" in end.qdisc

        # Ten packets fit, and datagrams come ten times as fast as they leave.
        burst = net.host("h1").iperf("h2", udp=True, rate="80Mbit", length="1000B", count=400)
        assert 10 <= burst.received < 400, burst
        assert burst.why is not None and "the queue at h1-eth0" in burst.why, burst.why
        end.qdisc = weir.qdisc.Codel(ecn=True)
        assert "codel" in end.qdisc and "fq_codel" not in end.qdisc
        with pytest.raises(
            weir.NetworkError, match=r'net\.tc\("s1", "qdisc replace dev s1-p2 root handle 1: htb'
        ):
            end.qdisc = weir.qdisc.Htb([weir.qdisc.HtbClass("all", "1Mbit")], default="all")
        net.tc("s1", "tc qdisc replace dev s1-p2 root red limit 100000 avpkt 1000 bandwidth 8mbit")
        assert "red" in end.qdisc
        net.link("h2", "s1").rate = "4Mbit"
        net.link("h2", "s1").queue = "5p"
        assert "pfifo" in end.qdisc
        assert net.host("h1").ping("h2", count=3).received == 3


@pytest.mark.parametrize("first", ["pfifo", "codel"])
def test_samples_count_packets_that_wait_in_the_link(monkeypatch: pytest.MonkeyPatch, first: str):
    """The sampler follows the packets when the discipline moves between kernel and link."""
    monkeypatch.setattr(NetworkBase, "kernel_lacks", lambda _, queue: queue.startswith("codel"))
    # With a target that no wait reaches, CoDel drops nothing, however late this computer runs.
    queues = {"pfifo": "100p", "codel": weir.qdisc.Codel(limit="100p", target="5s", interval="10s")}
    with weir.Network(two_hosts(rate="8Mbit", delay="1ms"), ROUTER, world="linux") as net:
        fill(net)
        end = net.interface("h1")
        end.qdisc = queues[first]
        sampler = net.sample("h1", every="2ms")
        taken = 0
        for queue in (queues[first], *(other for name, other in queues.items() if name != first)):
            end.qdisc = queue
            flow = net.host("h1").iperf("h2", udp=True, rate="16Mbit", length="1000B", count=60)
            assert flow.received == 60, flow
            waiting = sampler.samples().queue_packets
            assert max(waiting[taken:]) >= 5
            taken = len(waiting)
        sampler.stop()
        samples = sampler.samples()
        for counts in (samples.times_ns, samples.sent_packets, samples.sent_bytes):
            assert list(counts) == sorted(counts)
        assert samples.sent_packets[-1] >= 110


def test_ends_without_a_link_are_refused():
    with weir.Network(two_hosts(), ROUTER, world="linux") as net:
        for use in (lambda end: net.sample(end, every="1ms"), net.interface, net.sniff):
            with pytest.raises(
                weir.NetworkError, match=r"port 9 of s1 is not connected.*s1-p1.*did you mean"
            ):
                use("s1-p9")
