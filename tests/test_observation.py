"""Samplers, sniffers, captures, raw frames and the account of packets."""

import re
from pathlib import Path

import pytest

import weir

NET = Path(__file__).parent / "net"


@pytest.fixture
def h1(network: weir.Network) -> weir.Host:
    return network.host("h1")


PRIORITIES = """
#include <core.p4>
#include <v1model.p4>
header ethernet_t { bit<96> addresses; bit<16> kind; }
header ipv4_t { bit<8> vihl; bit<6> dscp; bit<2> ecn; bit<144> rest; }
struct headers { ethernet_t ethernet; ipv4_t ipv4; }
struct meta {}
parser P(packet_in p, out headers h, inout meta m, inout standard_metadata_t s) {
    state start { p.extract(h.ethernet); transition select(h.ethernet.kind) { 0x800: ipv4; default: accept; } }
    state ipv4 { p.extract(h.ipv4); transition accept; }
}
control V(inout headers h, inout meta m) { apply {} }
control I(inout headers h, inout meta m, inout standard_metadata_t s) {
    apply {
        s.egress_spec = s.ingress_port == 1 ? 9w2 : 9w1;
        if (s.packet_length > 1000) { s.priority = 1; } else { s.priority = 6; }
    }
}
control E(inout headers h, inout meta m, inout standard_metadata_t s) { apply {} }
control C(inout headers h, inout meta m) { apply {} }
control D(packet_out p, in headers h) { apply { p.emit(h); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
"""


def test_samplers_see_switch_queues(tmp_path: Path):
    (tmp_path / "p.p4").write_text(PRIORITIES)
    topo = weir.Topology()
    topo.add_switch("s1", p4=tmp_path / "p.p4", queue_rate="link", queue_depth=64, priorities=8)
    topo.add_host("h1", ip="10.0.0.1/24")
    topo.add_host("h2", ip="10.0.0.2/24")
    topo.add_link("h1", "s1-p1", delay="1ms")
    topo.add_link("h2", "s1-p2", rate="10Mbit", delay="1ms")
    with weir.Network(topo) as net:
        h1 = net.host("h1")
        h1.ping("h2", count=1)
        sampler = net.sample(["s1-p2", "h1"], every="5ms")
        assert len(sampler.switch_queue("s1-p2")) == len(sampler.switch_queue("s1-p2", priority=1)) == 0
        large = h1.start_iperf("h2", udp=True, rate="12Mbit", duration="500ms", port=5001)
        small = h1.start_iperf("h2", udp=True, rate="2Mbit", length="100B", duration="500ms", port=5002)
        net.wait(large, small)
        assert small.result().lost == 0, "it goes first"
        assert large.result().lost > 50
        assert sampler.switch_queue("s1-p2", priority=1).max == 64
        assert sampler.switch_queue("s1-p2", priority=6).max < 5
        assert sampler.switch_queue("s1-p2").max >= 64
        assert sampler.switch_queue("s1-p2", priority=3).max == 0
        assert sampler.samples("s1-p2").link_queue.max <= 1, "nothing waits at the link"
        assert sampler.queue("s1-p2").max >= 64
        samples = sampler.samples("s1-p2")
        assert samples.to_frame()["waiting_1"].max() == 64
        samples.plot(tmp_path / "a.png")
        assert (tmp_path / "a.png").exists()
        with pytest.raises(weir.NetworkError, match="s1-p2 has no priority 8: expected 0 to 7"):
            sampler.switch_queue("s1-p2", priority=8)
        with pytest.raises(weir.NetworkError, match="h1 is the end of a host"):
            sampler.switch_queue("h1")
    with pytest.raises(weir.TopologyError, match="priorities: 9 is out of range: expected 1 to 8"):
        topo.add_switch("s2", priorities=9)


def test_a_sampler_sees_queue_and_use(network: weir.Network, h1: weir.Host, tmp_path: Path):
    sampler = network.sample(["s1-p2", "h1"], every="10ms")
    h1.iperf("h2", udp=True, rate="20Mbit", duration="500ms")
    seen = sampler.samples("s1-p2")
    assert seen.queue.max > 300 and seen.queue.values[0] == 0
    busy = sampler.use("s1-p2").between(0.1, 0.5)
    assert busy.min == busy.max == 1
    assert sampler.throughput("s1-p2").between(0.1, 0.5).mean == pytest.approx(10, rel=0.02)
    assert sampler.queue("h1").max == 0, "its link is unlimited"
    assert seen.to_frame().columns == [
        "time_s", "end", "queue_packets", "sent_packets", "sent_bytes", "dropped_packets", "marked_packets", "busy_s",
        "waiting_0",
    ]  # fmt: skip
    seen.plot(tmp_path / "queue.png")
    assert (tmp_path / "queue.png").exists()
    with pytest.raises(weir.NetworkError, match="several ends"):
        sampler.samples()
    with pytest.raises(weir.NetworkError, match='no end "h2"'):
        sampler.queue("h2")
    count = len(seen)
    sampler.stop()
    network.run_for("1s")
    assert len(sampler.samples("h1")) == count


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda net: net.sample("s1", every="1ms"),
            '"s1" is a switch: expected one of its ports (s1-p1, s1-p2)',
        ),
        (lambda net: net.sample("h9", every="1ms"), 'no host or switch "h9"'),
        (lambda net: net.sample("s1-p7", every="1ms"), "port 7 of s1 is not connected"),
        (lambda net: net.sample("h1", every="0s"), "interval of 0"),
        (lambda net: net.sample([], every="1s"), "no link end is given"),
        (lambda net: net.sniff("h1", "tcp prot 80"), "column 5"),
        (lambda net: net.host("h1").sniff(interface="eth9"), 'h1 has no interface "eth9"'),
        (lambda net: net.host("h1").sniff(interface="wlan"), "expected eth0, eth1 and so on"),
    ],
)
def test_wrong_ends_and_filters_are_told(network: weir.Network, call, message: str):
    with pytest.raises(weir.NetworkError, match=re.escape(message)):
        call(network)


class Packet:
    """Returns the bytes, as Scapy packets do."""

    def __init__(self, data: bytes):
        self.data = data

    def __bytes__(self):
        return self.data


ECHO_REQUEST = bytes.fromhex(
    "0800000001000800000001110800"  # to the switch, from h1, IPv4
    "4500001c000100004001"
    "63dd"
    "0a0001010a000202"
    "0800f7fe00000001"
)


def test_crafted_frames_and_sniffers(network: weir.Network, h1: weir.Host):
    seen = network.sniff(["h1", "s1-p2"], "icmp")
    h1.send(ECHO_REQUEST)
    h1.send(Packet(ECHO_REQUEST))
    h1.send(bytearray(ECHO_REQUEST))
    network.run_for("1s")
    assert [(frame.end, frame.outbound) for frame in seen.frames].count(("h1", True)) == 3
    replies = [frame for frame in seen.stop() if frame.end == "h1" and not frame.outbound]
    assert len(replies) == 3
    assert bytes(replies[0])[34] == 0, "an echo reply"
    network.run_for("1s")
    for wrong in ("ff00", 5, None):
        with pytest.raises(weir.NetworkError, match="is not a packet: expected bytes"):
            h1.send(wrong)
    with pytest.raises(weir.NetworkError, match="no interface 3"):
        h1.send(ECHO_REQUEST, interface="eth3")


def test_captures_are_replayed(network: weir.Network, h1: weir.Host, tmp_path: Path):
    capture = network.capture(tmp_path / "a.pcapng", "h1", "udp and src host 10.0.1.1")
    h1.iperf("h2", udp=True, count=4, rate="1Mbit")
    h1.ping("h2", count=1)
    assert not (tmp_path / "a.pcapng").exists()
    path = capture.close()
    rows = weir._core.read_capture(str(path), 100)
    assert len(rows) == 4
    seen = network.sniff("h1", "udp")
    start = network.now_ns
    assert h1.replay(path, speed=2) == 4
    assert [frame.time_ns - start for frame in seen.frames] == [0, 5_880_000, 11_760_000, 17_640_000]
    assert [frame.data for frame in seen.frames] == [row[1] for row in rows]
    with pytest.raises(weir.NetworkError, match="expected a number above 0"):
        h1.replay(path, speed=0)
    with pytest.raises(weir.FileError, match="No such file"):
        h1.replay(tmp_path / "no")
    network.capture(tmp_path / "b.pcapng", ["h1", "h2"])
    with pytest.raises(weir.NetworkError, match=r"another capture writes .*b\.pcapng: close that first"):
        network.capture(tmp_path / "b.pcapng", "h1")
    # One that is closed is written again from the start.
    network.capture(path, "h1").close()
    network.close()
    assert (tmp_path / "b.pcapng").exists()
    assert not list(tmp_path.glob(".weir-*"))


def test_the_account_can_be_read(network: weir.Network, h1: weir.Host):
    h1.ping("h2", count=3)
    h1.iperf("h2", udp=True, rate="30Mbit", duration="1s")
    audit = network.audit()
    assert audit.created == audit.delivered + audit.dropped
    assert "dropped at s1-p2->h2-eth0: queue full" in str(audit)
    assert audit.to_frame().columns == ["place", "reason", "packets"]
    assert audit.to_frame()["packets"].sum() == audit.dropped
