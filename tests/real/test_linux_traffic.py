"""Traffic, captures and samples of ``Network(world="linux")``."""

import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
from linux_networks import ROUTER, eventually, fill, two_hosts

import weir
from needed import skip
from weir.errors import NetworkError

SINK = """
import socket
server = socket.create_server(("10.7.0.2", 7000))
server.settimeout(30)
connection = server.accept()[0]
connection.settimeout(30)
count = 0
while part := connection.recv(1 << 16):
    count += len(part)
connection.sendall(str(count).encode())
"""
"""Counts the bytes of a connection inside a tunnel, and answers with their number."""

SOURCE = """
import socket, time
for _ in range(100):
    try:
        connection = socket.create_connection(("10.7.0.2", 7000), timeout=5)
        break
    except OSError:
        time.sleep(0.1)
connection.settimeout(20)
connection.sendall(bytes(2_000_000))
connection.shutdown(socket.SHUT_WR)
print(connection.recv(100).decode(), end="")
"""
"""Sends these bytes."""

pytestmark = pytest.mark.usefixtures("namespaces")


@pytest.fixture(scope="module")
def slow_net(namespaces: list[str]):
    """A network whose link at h1 is ten times as fast as the link at h2, whose queue holds 50
    packets."""
    topology = two_hosts(rate="100Mbit")
    topology.links[1].rate_bps, topology.links[1].queue = 10_000_000, "50p"
    with weir.Network(topology, ROUTER, world="linux") as network:
        fill(network)
        yield network


def test_flows_of_datagrams_are_those_of_the_virtual_world(slow_net: weir.Network):
    result = slow_net.host("h1").iperf("h2", udp=True, rate="20Mbit", duration="400ms", linger="200ms")
    (stream,) = result.streams
    # 20 Mbit/s for 0.4 s; half of them leave, and 50 wait at the end.
    assert result.sent == pytest.approx(680, abs=10)
    assert 50 < result.received < result.sent
    assert stream.delay_max_ms > 55
    assert (stream.target, stream.server, result.duplicates) == ("h2", "h2", 0)
    assert stream.sent_bytes == 1470 * result.sent
    assert sum(interval.sent for interval in stream.intervals) == result.sent


def test_a_sender_that_is_too_slow_for_its_rate_ends_in_time(net: weir.Network):
    # One process cannot send 1.7 million datagrams a second.
    result = net.host("h1").iperf("h2", udp=True, rate="1Gbit", length="72B", duration="100ms")
    (stream,) = result.streams
    assert 0 < result.sent < 173_000
    assert stream.intervals[-1].end_s < 1.5


def test_datagrams_come_back_and_in_parallel(net: weir.Network):
    back = net.host("h1").iperf("h2", udp=True, reverse=True, count=20, rate="10Mbit", packets=True)
    assert (back.source, back.received, list(back.streams[0].numbers)) == ("h2", 20, list(range(20)))
    assert len(back.streams[0].delays) == 20
    several = net.host("h1").iperf("h2", udp=True, count=20, rate="5Mbit", parallel=3)
    assert [stream.received for stream in several.streams] == [20, 20, 20]


@pytest.mark.parametrize("options", [{}, {"reverse": True}, {"parallel": 2}, {"congestion": "reno"}])
def test_tcp_fills_the_slowest_link(slow_net: weir.Network, options: dict):
    result = slow_net.host("h1").iperf("h2", duration="600ms", interval="200ms", **options)
    # Headers of IP and TCP take a part of the 10 Mbit/s.
    assert 4 < result.goodput_mbps < 9.8
    for stream in result.streams:
        assert (stream.outcome, stream.bytes) == ("closed", stream.acked)
        assert sum(interval.bytes for interval in stream.intervals) == stream.bytes
        assert stream.mss == 1448
        assert stream.rtt_ms is not None
        assert stream.recoveries is None


def test_a_flow_of_a_size_ends_when_all_has_arrived(net: weir.Network):
    result = net.host("h1").iperf("h2", size="300kB")
    assert result.bytes == 300_000
    flow = net.host("h1").start_iperf("h2", duration="60s", rate="8Mbit")
    eventually(lambda: (net.run_for("10ms"), flow.result().bytes > 50_000)[1])
    flow.stop()
    assert flow.wait().streams[0].outcome == "closed"


def test_flows_that_the_kernel_cannot_send_are_refused(net: weir.Network):
    h1 = net.host("h1")
    for options, expected in [
        ({"congestion": "bbr-draft"}, 'Linux has no "bbr-draft"'),
        ({"ecn": True}, "net.ipv4.tcp_ecn"),
        ({"trace": True}, "the kernel does not report single segments"),
    ]:
        with pytest.raises(NetworkError, match=expected):
            h1.iperf("h2", **options)
    with net.host("h2").popen(
        [sys.executable, "-c", "import socket as s; x = s.create_server(('', 5999)); input()"],
        stdin=subprocess.PIPE,
    ) as server:
        eventually(lambda: "5999" in net.host("h2").cmd("cat /proc/net/tcp | grep -i 176F && echo 5999"))
        with pytest.raises(NetworkError, match="h2, port 5999: Address already in use"):
            h1.iperf("h2", port=5999)
        server.stdin.close()
    h1.cmd("ip route del default")
    with pytest.raises(NetworkError, match="no route to the target"):
        h1.iperf("h2", duration="100ms")
    h1.cmd("ip route add default via 10.0.1.254")


@pytest.fixture(scope="module")
def delayed(namespaces: list[str]):
    """A network whose second link delays by 5 ms; a capture of each link is written."""
    topology = two_hosts()
    topology.links[1].delay_ns = 5_000_000
    with weir.Network(topology, ROUTER, world="linux") as network:
        fill(network)
        yield network


def test_requests_that_fit_no_datagram_are_refused_as_in_virtual_networks(delayed: weir.Network):
    with pytest.raises(NetworkError, match=r"^ping: 65508 bytes of payload; expected at most 65507$"):
        delayed.host("h1").ping("h2", count=1, size=65508)


def test_links_delay_and_lose_frames(delayed: weir.Network):
    h1, link = delayed.host("h1"), delayed.link("h2", "s1")
    # Upper limits leave time to a computer with other work.
    assert 10 < h1.ping("h2", count=3, interval="10ms").rtt_min_ms < 500
    assert link.delay == "5ms"
    link.delay = "20ms"
    assert 40 < h1.ping("h2", count=2, interval="10ms").rtt_min_ms < 500
    link.loss = "100%"
    assert h1.ping("h2", count=2, interval="10ms", timeout="100ms").received == 0
    link.loss = "0%"
    link.jitter = "1ms"
    link.delay = "5ms"
    link.up = False
    assert h1.ping("h2", count=1, timeout="50ms").received == 0
    # The links' process logs each change: more than fits in a pipe.
    for _ in range(1000):
        link.up = True
        link.up = False
    link.up = True
    eventually(lambda: h1.ping("h2", count=1, timeout="100ms").received)


def test_datagrams_end_in_time_behind_a_full_socket(namespaces: list[str]):
    topology = two_hosts()
    topology.links[0].rate_bps = 1_000_000
    with weir.Network(topology, ROUTER, world="linux") as net:
        fill(net)
        # The socket's own buffer is full long before the queue of the link.
        result = net.host("h1").iperf("h2", udp=True, rate="100Mbit", duration="200ms", linger="0s")
        assert 0 < result.sent < 1600
        h1 = net.host("h1")
        h1.cmd("ip route add unreachable 10.0.2.0/24")
        assert h1.iperf("h2", udp=True, rate="10Mbit", duration="50ms", linger="0s").received == 0


def test_a_frame_that_cannot_leave_is_an_error_of_its_own(net: weir.Network):
    h1 = net.host("h1")
    with pytest.raises(NetworkError, match="Message too long"):
        h1.send(bytes(4000))
    sniffer = net.sniff(["h2"])
    h1.send(bytes(60))
    sniffer.stop()


def test_disciplines_of_users_keep_the_rate(namespaces: list[str]):
    topology = two_hosts(rate="10Mbit")
    with weir.Network(topology, ROUTER, world="linux") as net:
        h1 = net.host("h1")
        h1.tc("qdisc add dev eth0 root pfifo limit 7")
        text = h1.cmd("tc qdisc show dev eth0")
        assert "tbf" in text and "rate 10Mbit" in text and "limit 7p" in text
        h1.tc("qdisc del dev eth0 root")
        text = h1.cmd("tc qdisc show dev eth0")
        assert "rate 10Mbit" in text and "limit 7p" not in text


def test_frames_are_seen_and_captured(delayed: weir.Network, tmp_path: Path):
    h1 = delayed.host("h1")
    sniffer = delayed.sniff(["h1", "s1-p2"], "icmp and host 10.0.2.2")
    capture = delayed.capture(tmp_path / "h.pcapng", ["h1", "h2"], "icmp")
    result = h1.ping("h2", count=3, interval="10ms", size=100)
    h1.iperf("h2", udp=True, count=3, linger="50ms")
    frames = sniffer.stop()
    assert result.received == 3
    assert (frames[0].end, frames[0].outbound) == ("h1", True)
    # Requests and replies at both ends. On a busy computer a request may leave before the last one
    # has crossed.
    assert Counter((frame.end, frame.outbound, len(frame)) for frame in frames) == {
        (end, outbound, 142): 3 for end in ("h1", "s1-p2") for outbound in (True, False)
    }
    # The sniffer saw the first request when the ping sent it.
    assert abs(frames[0].time_ns - result.replies[0].time_ns) < 5_000_000_000
    rows = weir._core.read_capture(str(capture.close()), 1 << 20)
    assert [len(frame) for _, frame in rows] == [142] * 12
    assert rows == sorted(rows, key=lambda row: row[0])
    assert abs(rows[0][0] / 1e9 - time.time()) < 100


def test_raw_frames_and_replays(net: weir.Network, tmp_path: Path):
    frame = bytes.fromhex("080000000001 080000000009 88b5") + bytes(50)
    with weir.Network(_bridge(), world="linux", pcap=tmp_path / "captures") as bridge:
        sniffer = bridge.sniff("h2", "ether proto 0x88b5")
        bridge.host("h1").send(frame)
        eventually(lambda: (bridge.run_for("5ms"), sniffer.frames)[1])
        assert [(one.data, one.outbound) for one in sniffer.frames] == [(frame, False)]
    file = tmp_path / "captures" / "h1_s1-p1.pcapng"
    with weir.Network(_bridge(), world="linux") as bridge:
        sniffer = bridge.sniff("h2", "ether proto 0x88b5")
        assert bridge.host("h1").replay(file, speed=1000) >= 1
        eventually(lambda: (bridge.run_for("5ms"), sniffer.frames)[1])


def _bridge() -> weir.Topology:
    topology = weir.Topology()
    topology.add_switch("s1")
    for number in (1, 2):
        topology.add_host(f"h{number}", ip=f"10.0.0.{number}/24")
        topology.add_link(f"h{number}", "s1")
    return topology


def test_queues_are_sampled(slow_net: weir.Network):
    sampler = slow_net.sample("s1-p2", every="5ms")
    slow_net.host("h1").iperf("h2", udp=True, rate="20Mbit", duration="200ms", linger="100ms")
    sampler.stop()
    samples = sampler.samples()
    assert len(samples) > 10
    assert max(samples.queue_packets) in range(40, 52)
    assert samples.dropped_packets[-1] > 50
    assert 0.8 < max(sampler.use().values) <= 1


@pytest.mark.parametrize(
    ("options", "count"),
    [
        ({"count": 5}, 5),
        ({"count": 5, "keep": False, "response": "200kB"}, 5),
        ({"count": 10, "every": "2ms"}, 10),
        ({"count": 5, "udp": True, "request": ["20B", "900B"]}, 5),
    ],
)
def test_requests_have_responses(net: weir.Network, options: dict, count: int):
    result = net.host("h1").requests("h2", **options)
    assert len(result.exchanges) == count
    for exchange in result.exchanges:
        assert (exchange.failure, exchange.server) == (None, "h2")
        assert exchange.start_ns < exchange.request_ns <= exchange.end_ns


def test_short_flows_end_when_they_have_arrived(net: weir.Network):
    result = net.host("h1").transfers("h2", count=10, every="3ms", size="20kB", random=False)
    assert [exchange.request for exchange in result.exchanges] == [20_000] * 10
    assert all(exchange.end_ns == exchange.request_ns for exchange in result.exchanges)


def test_requests_without_response_fail(net: weir.Network):
    h1 = net.host("h1")
    lost = h1.requests("10.0.2.99", count=2, udp=True, timeout="30ms", tries=2, server="h2")
    assert [(one.failure, one.repeats) for one in lost.exchanges] == [("timed out", 1)] * 2
    with pytest.raises(NetworkError, match="expected 12B or more"):
        h1.requests("h2", request="5B")


@pytest.mark.parametrize("link", [{}, {"rate": "100Mbit", "delay": "1ms"}], ids=["veth", "process"])
@pytest.mark.parametrize("outer", ["10.0.0", "2001:db8:"])
def test_connections_inside_a_tunnel(namespaces: list[str], link: dict[str, str], outer: str):
    """The kernel hands over large frames of VXLAN, which a switch or link has to cut."""
    topology = weir.Topology()
    topology.add_switch("s1")
    for number in (1, 2):
        topology.add_host(f"h{number}", f"10.0.0.{number}/24", ip6=f"2001:db8::{number}/64")
        topology.add_link(f"h{number}", "s1", **link)
    separator = ":" if ":" in outer else "."
    with weir.Network(topology, "l2_switch", world="linux") as net:
        for number, other in ((1, 2), (2, 1)):
            ends = f"local {outer}{separator}{number} remote {outer}{separator}{other}"
            answer = net.host(f"h{number}").cmd(
                f"ip link add vx0 type vxlan id 7 dstport 4789 {ends} dev eth0 2>&1"
            )
            if "Unknown device type" in answer:
                skip("this kernel has no VXLAN", "WEIR_REQUIRE_NAMESPACES")
            assert answer == ""
            net.host(f"h{number}").cmd(f"ip address add 10.7.0.{number}/24 dev vx0; ip link set vx0 up")
        server = net.host("h2").popen([sys.executable, "-c", SINK], stdout=subprocess.DEVNULL)
        sent = net.host("h1").cmd(f"{sys.executable} -c '{SOURCE}' 2>&1")
        assert server.wait(30) == 0, sent
    assert sent == "2000000"
