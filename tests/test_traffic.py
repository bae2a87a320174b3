"""Traffic from Python: flows, pings and requests, and their results."""

import itertools
import re
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


def test_loss_equals_excess_load(network: weir.Network, h1: weir.Host):
    result = h1.iperf("h2", udp=True, rate="20Mbit", duration="2s")
    audit = network.audit()
    [full] = [drop for drop in audit.drops if drop.reason == "queue full"]
    assert full.place == "s1-p2->h2-eth0"
    assert result.lost == full.packets == audit.dropped
    assert sum(interval.lost for interval in result.intervals) == result.lost
    # The link behind the switch takes 1512 bytes in 1.2096 ms; its queue of 1000 drains after the
    # sending.
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
    with pytest.raises(
        weir.NetworkError, match="h2 to h1: no datagram arrived after 10 requests to the server"
    ):
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
        (
            {"every": "1s", "keep": True},
            "keep and every are given: with every, each request has its own connection",
        ),
        ({"count": 0}, "count: 0 is out of range"),
        ({"request": "0B"}, "request: 0 bytes are out of range: expected 1B or more"),
        ({"response": 100}, 'a bare number 100 has no unit; did you mean "100B"?'),
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


def test_unknown_addresses_need_a_named_server(network: weir.Network, h1: weir.Host):
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
        ({"udp": True, "length": 1470}, 'has no unit; did you mean "1470B"'),
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


def test_delays_of_several_flows(network: weir.Network, h1: weir.Host):
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
