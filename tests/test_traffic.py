"""Traffic and what is measured of it, as a user asks for it."""

import itertools
import re
import subprocess
import sys
from pathlib import Path

import polars
import pytest

import weir

NET = Path(__file__).parent / "net"


@pytest.fixture
def h1(network: weir.Network) -> weir.Host:
    return network.host("h1")


def test_a_flow_below_capacity_arrives_whole(network: weir.Network, h1: weir.Host):
    result = h1.iperf("h2", udp=True, rate="1Mbit", duration="10s", packets=True)
    # Datagrams of 11760 bits leave every 11.76 ms: the last one before 10 s is number 850.
    assert (result.sent, result.received, result.lost, result.loss) == (851, 851, 0, 0)
    assert (result.sent_bytes, result.bytes) == (851 * 1470, 851 * 1470)
    [stream] = result.streams
    # 1 ms and 2 ms of the links, 1 µs of the switch, and 1512 bytes at 10 Mbit/s.
    assert stream.delay_min_ms == stream.delay_max_ms == pytest.approx(1 + 2 + 0.001 + 1.2096)
    assert stream.delay_deviation_ms == result.jitter_ms == 0
    assert len(stream.delays) == 851 and stream.delays.max == stream.delay_max_ms
    assert list(stream.numbers) == list(range(851))
    assert stream.duration_s == pytest.approx(9.996 + 0.0042106)
    assert [interval.sent for interval in result.intervals[:10]] == [86] + [85] * 9
    assert result.goodput_mbps == pytest.approx(1, rel=0.01)


def test_what_exceeds_the_capacity_is_lost_and_nothing_else(network: weir.Network, h1: weir.Host):
    result = h1.iperf("h2", udp=True, rate="20Mbit", duration="2s")
    audit = network.audit()
    [full] = [drop for drop in audit.drops if drop.reason == "queue full"]
    assert full.place == "s1-p2->h2-eth0"
    assert result.lost == full.packets == audit.dropped
    assert sum(interval.lost for interval in result.intervals) == result.lost
    # The link behind the switch takes 1512 bytes in 1.2096 ms; its queue of 1000 drains after the sending.
    assert result.goodput_mbps == pytest.approx(10 * 1470 / 1512, rel=0.005)
    assert result.sent == -(-2 * 20_000_000 // 11_760)
    assert audit.balances and audit.in_flight.total == 0


def test_how_much_is_sent(h1: weir.Host):
    assert h1.iperf("h2", udp=True, size="10kB", length="1000B").sent == 10
    assert h1.iperf("h2", udp=True, size="10001B", length="1000B").sent == 11
    assert h1.iperf("h2", udp=True, count=7).bytes == 7 * 1470


def test_parallel_flows_and_reverse(network: weir.Network, h1: weir.Host):
    result = h1.iperf("h2", udp=True, rate="2Mbit", count=100, parallel=3, reverse=True, source_port=6000)
    assert (result.source, result.target) == ("h2", "h1")
    assert [(stream.sent, stream.received, stream.source_port) for stream in result.streams] == [
        (100, 100, 6000),
        (100, 100, 6001),
        (100, 100, 6002),
    ]
    assert result.received == 300
    frame = result.to_frame()
    assert frame["stream"].unique().sort().to_list() == [1, 2, 3]
    assert frame["bytes"].sum() == 300 * 1470
    assert frame.schema["jitter_ms"] == polars.Float64
    assert sum(interval.bytes for interval in result.intervals) == 300 * 1470


def test_in_reverse_the_client_asks_first(network: weir.Network, h1: weir.Host):
    first = network.sniff("h1", "udp")
    result = h1.iperf("h2", udp=True, rate="1Mbit", count=5, reverse=True, source_port=6000)
    assert [frame.outbound for frame in first.frames] == [True] + [False] * 5
    [stream] = result.streams
    assert (stream.source, stream.target, stream.reverse) == ("h2", "h1", True)
    assert (stream.received, stream.source_port, stream.port) == (5, 6000, 5201)
    opened = network.sniff("h1", "tcp[tcpflags] & tcp-syn != 0")
    result = h1.iperf("h2", size="100kB", reverse=True, congestion="bbr")
    assert [frame.outbound for frame in opened.frames] == [True, False], "SYN, SYN-ACK"
    assert (result.source, result.target, result.bytes) == ("h2", "h1", 100_000)
    network.link("h1", "s1").up = False
    with pytest.raises(weir.NetworkError, match="h2 to h1: no datagram arrived after 10 requests to the server"):
        h1.iperf("h2", udp=True, reverse=True)


def test_requests_in_datagrams(network: weir.Network, h1: weir.Host):
    fct = h1.requests("h2", 20, udp=True, request="50B", response="500B", think="10ms")
    # 1 ms, 2 ms and 1 µs each way, 92 and 542 bytes at 10 Mbit/s on one link each.
    assert fct.times_ms == pytest.approx([2 * 3.001 + (92 + 542) * 8e-4] * 20)
    network.link("h1", "s1").loss = "20%"
    lossy = h1.requests("h2", 200, udp=True, timeout="50ms")
    assert 40 < lossy.failed < 110 and lossy.finished == 200 - lossy.failed
    assert {exchange.failure for exchange in lossy.exchanges} == {None, "timed out"}
    again = h1.requests("h2", 200, udp=True, every="20ms", timeout="50ms", tries=20)
    assert (again.finished, again.failed) == (200, 0)
    assert sum(exchange.repeats for exchange in again.exchanges) > 40
    assert len({exchange.request for exchange in again.exchanges}) > 20, "sizes are drawn"
    regular = h1.requests("h2", 3, udp=True, every="100ms", random=False, request=["50B", "60B"])
    starts = [exchange.start_ns for exchange in regular.exchanges]
    assert [start - starts[0] for start in starts] == [0, 10**8, 2 * 10**8]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"udp": True, "keep": True}, "keep does not apply to UDP"),
        ({"udp": True, "congestion": "bbr"}, "congestion does not apply to UDP"),
        ({"timeout": "2s"}, "timeout and tries do not apply to TCP"),
        (
            {"udp": True, "request": "15B"},
            "request: 15 bytes are out of range: expected 16B to 65507B",
        ),
        ({"udp": True, "tries": 0}, "tries: 0 is out of range"),
        ({"think": "1s", "every": "1s"}, "think and every are given: expected one of them"),
        ({"every": "1s", "keep": True}, "keep: with every, each request has a connection of its own"),
        ({"count": 0}, "count: 0 is out of range"),
        ({"request": "0B"}, "request: 0 bytes are out of range: expected 1B or more"),
        ({"response": 100}, 'a bare number 100 has no unit: did you mean "100B"?'),
    ],
)
def test_mistakes_in_requests_are_told(h1: weir.Host, options: dict, message: str):
    with pytest.raises(weir.WeirError, match=re.escape(message)):
        h1.requests("h2", **options)


def test_on_off_and_poisson_over_tcp(h1: weir.Host):
    bursts = h1.on_off(
        "h2", "4Mbit", on="100ms", off="400ms", random=False, udp=False, duration="2s", length="1kB",
        interval="100ms",
    )  # fmt: skip
    assert bursts.bytes == 4 * 50 * 1000
    assert sum(interval.bytes > 0 for interval in bursts.intervals) < 10
    steady = h1.poisson("h2", "1Mbit", udp=False, duration="10s", congestion="reno")
    assert steady.goodput_mbps == pytest.approx(1, rel=0.15)
    with pytest.raises(weir.NetworkError, match="count does not apply to TCP"):
        h1.on_off("h2", "4Mbit", on="1s", off="1s", udp=False, count=5)
    with pytest.raises(weir.NetworkError, match="congestion does not apply to UDP"):
        h1.poisson("h2", "4Mbit", congestion="reno")


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


def test_a_sampler_sees_the_queues_inside_a_switch_by_priority(tmp_path: Path):
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
        assert sampler.queue("s1-p2").max <= 1, "nothing waits at the link"
        samples = sampler.samples("s1-p2")
        assert samples.to_frame()["waiting_1"].max() == 64
        assert samples.plot(tmp_path / "a.png").exists()
        with pytest.raises(weir.NetworkError, match="s1-p2 has no priority 8: expected 0 to 7"):
            sampler.switch_queue("s1-p2", priority=8)
        with pytest.raises(weir.NetworkError, match="h1 is the end of a host"):
            sampler.switch_queue("h1")
    with pytest.raises(weir.TopologyError, match="priorities: 9 is out of range: expected 1 to 8"):
        topo.add_switch("s2", priorities=9)


def test_flows_run_beside_each_other(network: weir.Network, h1: weir.Host):
    h2 = network.host("h2")
    flow = h1.start_iperf(h2, udp=True, rate="1Mbit", duration="5s")
    pings = [h1.start_ping(h2, 4), h2.start_ping(h1, 4, interval="500ms")]
    assert not flow.finished and flow.result().sent == 0
    network.run_for("1s")
    assert flow.result().sent == 86
    network.wait(flow, *pings)
    assert [ping.result().received for ping in pings] == [4, 4]
    assert flow.finished and flow.result().lost == 0
    assert network.now == pytest.approx(5.0, abs=0.02)


def test_a_flow_can_be_stopped(network: weir.Network, h1: weir.Host):
    flow = h1.start_iperf("h2", udp=True, rate="1Mbit", duration="1h")
    network.at("1s", flow.stop)
    assert flow.wait().sent == 86
    assert network.now < 1.1


def test_patterns(h1: weir.Host):
    poisson = h1.start_poisson("h2", "1Mbit", duration="20s", length="1000B", packets=True).wait()
    assert poisson.sent == pytest.approx(2500, rel=0.1)
    on_off = h1.start_on_off(
        "h2", "8Mbit", on="100ms", off="300ms", random=False, duration="2s", length="1000B"
    )
    # Five bursts of a hundred.
    assert on_off.wait().sent == 500


def test_a_data_plane_may_send_it_elsewhere(network: weir.Network, h1: weir.Host):
    with pytest.raises(
        weir.NetworkError,
        match=r"no host has the address 10.0.2.99: name the one that receives with server=…",
    ):
        h1.iperf("10.0.2.99", udp=True)
    result = h1.iperf("10.0.2.99", udp=True, server="h2", count=5)
    assert (result.sent, result.received) == (5, 0)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"udp": True, "rate": 5}, "has no unit"),
        ({"udp": True, "length": 1470}, 'has no unit: did you mean "1470B"'),
        ({"udp": True, "length": "15B"}, "expected 16B to 65507B"),
        ({"udp": True, "size": "0B"}, "nothing would be sent"),
        ({"udp": True, "duration": "0s"}, "nothing would be sent"),
        ({"udp": True, "duration": "1s", "size": "1MB"}, "duration and size are given"),
        ({"udp": True, "count": 0}, "count: 0 is out of range"),
        ({"udp": True, "parallel": 0}, "parallel: 0 is out of range"),
        ({"udp": True, "port": 0}, "port: 0 is out of range"),
        ({"udp": True, "port": 65536}, "expected 1 to 65535"),
        ({"udp": True, "source_port": 65535, "parallel": 2}, "source_port of the last flow"),
        ({"udp": True, "interval": "10ns"}, "report intervals below 1 µs"),
        ({"udp": True, "server": "h9"}, 'no host "h9"'),
        ({"udp": True, "reverse": "yes"}, "reverse: 'yes' is neither True nor False"),
        ({"trace": 1}, "trace: 1 is neither True nor False"),
        ({"ip_options": "abc"}, "ip_options: a str is not bytes"),
    ],
)
def test_mistakes_are_told(h1: weir.Host, options: dict, message: str):
    with pytest.raises(weir.WeirError, match=re.escape(message)):
        h1.iperf("h2", **options)


def test_a_flood_follows_the_replies(network: weir.Network, h1: weir.Host):
    result = h1.ping("h2", count=5, flood=True)
    sent = [reply.time_ns for reply in result.replies]
    assert [after - before for before, after in itertools.pairwise(sent)] == [
        reply.rtt_ns for reply in result.replies[:-1]
    ]


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
    assert seen.plot(tmp_path / "queue.png").exists()
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
        (lambda net: net.sample("h9", every="1ms"), 'no host "h9"'),
        (lambda net: net.sample("s1-p7", every="1ms"), "port 7 of `s1` is not connected"),
        (lambda net: net.sample("h1", every="0s"), "interval of 0"),
        (lambda net: net.sample([], every="1s"), "no link end is given"),
        (lambda net: net.sniff("h1", "tcp prot 80"), "column 5"),
        (lambda net: net.host("h1").sniff(interface="eth9"), "not connected"),
        (lambda net: net.host("h1").sniff(interface="wlan"), "expected eth0, eth1 and so on"),
    ],
)
def test_wrong_ends_and_filters_are_told(network: weir.Network, call, message: str):
    with pytest.raises(weir.NetworkError, match=re.escape(message)):
        call(network)


def test_delays_of_several_flows_are_those_of_all_arrivals(network: weir.Network, h1: weir.Host):
    network.link("h1", "s1").jitter = "2ms"
    result = h1.iperf("h2", udp=True, rate="1Mbit", count=200, parallel=3, packets=True)
    delays = [delay for stream in result.streams for delay in stream.delays.values]
    assert len(delays) == 600
    assert (result.delay_min_ms, result.delay_max_ms) == (min(delays), max(delays))
    assert result.delay_mean_ms == pytest.approx(weir.measure.mean(delays))
    assert result.delay_deviation_ms == pytest.approx(weir.measure.standard_deviation(delays))
    network.link("h1", "s1").loss = "100%"
    nothing = h1.iperf("h2", udp=True, count=2)
    assert (nothing.delay_min_ms, nothing.delay_max_ms, nothing.delay_deviation_ms) == (None, None, None)


def test_actions_happen_at_their_times(network: weir.Network, h1: weir.Host):
    link = network.link("h2", "s1")
    seen = []
    network.at("2s", lambda: setattr(link, "delay", "20ms"))
    network.at("1s", lambda: seen.append(network.now))
    network.after("1s", lambda: seen.append("behind it"))
    replies = h1.ping("h2", count=4).replies
    assert seen == [1.0, "behind it"]
    rtts = [reply.rtt_ns // 1_000_000 for reply in replies]
    # Requests at 0, 1, 2 (the action comes behind it), 3 seconds.
    assert rtts == [6, 6, 42, 42]
    with pytest.raises(weir.NetworkError, match="1s has passed"):
        network.at("1s", print)


def test_nothing_within_a_run_lets_time_pass(network: weir.Network):
    network.at("1s", lambda: network.run_for("1s"))
    with pytest.raises(weir.NetworkError, match="the network runs already"):
        network.run_for("2s")
    network.run_for("1s")
    assert network.now == 2.0


def test_an_action_can_start_what_is_waited_for(network: weir.Network, h1: weir.Host):
    network.link("h1", "s1").loss = "100%"
    network.at("5s", lambda: setattr(network.link("h1", "s1"), "loss", "0%"))
    assert h1.ping("h2", count=1, timeout="2s").received == 0
    network.run_for("5s")
    assert h1.ping("h2", count=1).received == 1


class Echo(weir.HostProgram):
    def on_datagram(self, datagram: weir.Datagram):
        self.send_udp(datagram.source, datagram.source_port, datagram.payload[::-1])


class Client(weir.HostProgram):
    def __init__(self):
        self.log = []

    def start(self):
        self.after("1ms", "first")

    def on_timer(self, token):
        self.log.append((self.now_ns, token))
        self.send_udp("h2", 7, b"abc")

    def on_datagram(self, datagram):
        self.log.append((self.now_ns, datagram.payload, datagram.source, datagram.source_port))
        if len(self.log) < 6:
            self.after("10ms", "again")

    def on_error(self, error):
        self.log.append((error.icmp_type, error.code, error.source, error.port))


def test_programs_act_at_the_very_time(network: weir.Network, h1: weir.Host):
    network.host("h2").run(Echo(), udp=7)
    client = h1.run(Client(), udp=1000)
    network.run_for("1s")
    # Twice 1 ms and 2 ms and a pass of 1 µs, and a frame of 45 bytes at 10 Mbit/s.
    rtt = 2 * (3_001_000 + 36_000)
    times = [entry[0] for entry in client.log]
    assert times[:4] == [1_000_000, 1_000_000 + rtt, 11_000_000 + rtt, 11_000_000 + 2 * rtt]
    assert client.log[1][1:] == (b"cba", "10.0.2.2", 7)
    assert len(client.log) == 6


def test_programs_hear_of_errors_and_can_be_stopped(network: weir.Network, h1: weir.Host):
    client = h1.run(Client(), udp=1000)
    network.run_for("1s")
    assert client.log[1] == (3, 3, "10.0.2.2", 1000)
    client.stop()
    other = h1.run(Client(), udp=1000)
    with pytest.raises(weir.NetworkError, match="runs on no host"):
        client.send_udp("h2", 7, b"")
    with pytest.raises(weir.NetworkError, match="runs already"):
        h1.run(other)
    with pytest.raises(weir.NetworkError, match="UDP port 1000 of h1 is in use"):
        h1.run(Client(), udp=[999, 1000])
    h1.run(Client(), udp=999)
    with pytest.raises(weir.NetworkError, match="does not listen on UDP port 5"):
        other.send_udp("h2", 7, b"", source_port=5)


def test_a_program_that_cannot_start_leaves_its_ports(network: weir.Network, h1: weir.Host):
    class Late(weir.HostProgram):
        def start(self):
            self.connect("h2", 80)
            self.after(1)

    late = Late()
    for _ in range(2):
        with pytest.raises(weir.UnitError, match="delay: a bare number 1 has no unit"):
            h1.run(late, udp=1000, tcp=1000)
        with pytest.raises(weir.NetworkError, match="runs on no host"):
            _ = late.host
    network.run_for("1s")
    assert network.holds()["connections"] == 0


def test_a_callback_that_nothing_calls_is_told(h1: weir.Host):
    class Echo(weir.HostProgram):
        def on_datagramm(self, datagram):
            self.send_udp(datagram.source, datagram.source_port, datagram.payload)

    class Own(weir.HostProgram):
        def on_answer(self):
            """Called by itself."""

    with pytest.raises(
        weir.NetworkError, match='Echo has a method "on_datagramm", which nothing calls; did you'
    ):
        h1.run(Echo())
    assert isinstance(h1.run(Own()), Own)


def test_an_exception_of_a_program_reaches_who_runs_the_network(network: weir.Network, h1: weir.Host):
    class Wrong(weir.HostProgram):
        def on_datagram(self, datagram):
            raise LookupError("no such key")

    network.host("h2").run(Wrong(), udp=7)
    client = h1.run(Client(), udp=1000)
    with pytest.raises(LookupError, match="no such key"):
        network.run_for("1s")
    network.run_for("1s")
    assert len(client.log) == 1


def test_what_came_beside_a_call_that_raised_is_told_before_time_goes_on(
    network: weir.Network, h1: weir.Host
):
    class Fussy(weir.HostProgram):
        def __init__(self):
            self.log = []

        def on_datagram(self, datagram):
            if datagram.payload == b"wrong":
                raise LookupError("no such key")
            self.log.append((self.now_ns == datagram.time_ns, datagram.payload))

    # Links that take no time bring all datagrams at one instant, and both programs are called for it.
    for link in network.links:
        link.rate, link.delay = None, "0ms"
    h1.ping("h2", count=1)
    first, second = Fussy(), Fussy()
    network.host("h2").run(first, udp=7)
    network.host("h2").run(second, udp=8)
    client = h1.run(weir.HostProgram(), udp=1000)
    for payload in (b"a", b"wrong", b"b", b"wrong", b"c"):
        client.send_udp("h2", 7, payload)
        client.send_udp("h2", 8, payload.upper())
    for _ in range(2):
        with pytest.raises(LookupError, match="no such key"):
            network.run_for("1s")
    network.run_for("1s")
    assert first.log == [(True, payload) for payload in (b"a", b"b", b"c")]
    assert second.log == [(True, payload) for payload in (b"A", b"WRONG", b"B", b"WRONG", b"C")]


def test_programs_see_frames(network: weir.Network, h1: weir.Host):
    class Watcher(weir.HostProgram):
        def __init__(self):
            self.frames = []

        def on_frame(self, frame):
            self.frames.append((self.now_ns == frame.time_ns, bytes(frame)[12:14]))

    everything, probes = Watcher(), Watcher()
    network.host("h2").run(everything, frames=True)
    network.host("h2").run(probes, frames="ether proto 0x1313")
    assert h1.ping("h2", count=2).received == 2
    assert everything.frames == [(True, b"\x08\x00")] * 2
    assert probes.frames == []


class Packet:
    """As packets of Scapy have it."""

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


def test_a_capture_with_a_predicate_is_replayed_with_its_times(
    network: weir.Network, h1: weir.Host, tmp_path: Path
):
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
    # One that is closed is written anew.
    network.capture(path, "h1").close()
    network.close()
    assert (tmp_path / "b.pcapng").exists()
    assert not list(tmp_path.glob("*.part"))


RUN = """
import sys, weir
net = weir.Network.load(sys.argv[1] + "/topology.json", sys.argv[1] + "/router.p4", seed=5, pcap=sys.argv[2])
h1, h2 = net.host("h1"), net.host("h2")
net.link("h2", "s1").loss = "10%"
class Echo(weir.HostProgram):
    def on_datagram(self, datagram):
        self.send_udp(datagram.source, datagram.source_port, b"back")
h2.run(Echo(), udp=7)
flows = [h1.start_poisson(h2, "2Mbit", duration="2s"), h2.start_on_off(h1, "4Mbit", on="20ms", off="50ms", duration="2s")]
net.at("1s", lambda: setattr(net.link("h1", "s1"), "delay", "7ms"))
net.wait(*flows)
print(net.now_ns, [flow.result().streams[0].delay_mean_ms for flow in flows], net.audit())
net.close()
"""


def test_a_run_repeats_byte_by_byte_in_another_process(tmp_path: Path):
    outs = []
    for name in ("a", "b"):
        run = subprocess.run(
            [sys.executable, "-c", RUN, str(NET), str(tmp_path / name)],
            capture_output=True,
            text=True,
            check=True,
            timeout=120,
        )
        captures = [path.read_bytes() for path in sorted((tmp_path / name).glob("*"))]
        outs.append((run.stdout, captures))
    assert outs[0] == outs[1]
    assert len(outs[0][1]) == 2


def test_the_account_can_be_read(network: weir.Network, h1: weir.Host):
    h1.ping("h2", count=3)
    h1.iperf("h2", udp=True, rate="30Mbit", duration="1s")
    audit = network.audit()
    assert audit.created == audit.delivered + audit.dropped
    assert "dropped at s1-p2->h2-eth0: queue full" in str(audit)
    assert audit.to_frame().columns == ["place", "reason", "packets"]
    assert audit.to_frame()["packets"].sum() == audit.dropped
