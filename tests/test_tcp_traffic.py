"""TCP traffic of users: iperf, requests, short flows, traces."""

import re
from pathlib import Path

import polars
import pytest

import weir


@pytest.fixture
def h1(network: weir.Network) -> weir.Host:
    return network.host("h1")


def test_a_flow_fills_its_link(network: weir.Network, h1: weir.Host):
    result = h1.iperf("h2", duration="10s")
    # 1448 of 1514 bytes are payload.
    assert result.goodput_mbps == pytest.approx(10 * 1448 / 1514, rel=0.01)
    [stream] = result.streams
    assert (stream.outcome, stream.bytes, stream.mss) == ("closed", stream.acked, 1448)
    # 1 ms and 2 ms each way, 1 µs in the switch, SYN and SYN-ACK.
    assert stream.rtt_min_ms == pytest.approx(6.1, abs=0.1)
    assert sum(interval.bytes for interval in result.intervals) == result.bytes
    assert [interval.end_s - interval.start_s for interval in result.intervals[:10]] == pytest.approx(
        [1] * 10
    )
    assert result.intervals[5].goodput_bps == pytest.approx(9.564e6, rel=0.005)
    assert result.intervals[-1].end_s == pytest.approx(result.duration_s)
    # The series has whole seconds only, for figures such as the coefficient of variation.
    assert len(result.goodput) == 10 and result.goodput.variation < 0.02
    assert result.goodput.times_ns[-1] == result.streams[0].start_ns + 10**10
    network.run_for("2min")
    assert network.audit().in_flight.total == 0


def test_parallel_and_reverse_bytes_are_exact(h1: weir.Host):
    result = h1.iperf("h2", size="1MB", parallel=3, reverse=True, congestion="reno")
    assert (result.source, result.target) == ("h2", "h1")
    assert [stream.bytes for stream in result.streams] == [1_000_000] * 3
    assert len({stream.source_port for stream in result.streams}) == 3
    assert result.fairness > 0.9
    frame = result.to_frame()
    assert frame["bytes"].sum() == 3_000_000
    assert frame.schema["rtt_ms"] == polars.Float64


@pytest.mark.parametrize("congestion", ["reno", "cubic", "cubic-rfc", "bbr", "bbr-draft"])
def test_congestion_controls_differ(network: weir.Network, h1: weir.Host, congestion: str):
    sampler = network.sample("s1-p2", every="10ms")
    result = h1.iperf("h2", duration="10s", congestion=congestion)
    assert result.goodput_mbps > 9.3
    queue = sampler.queue().between(5, 10).mean
    # BBR keeps its queue nearly empty; the other algorithms fill theirs.
    assert queue < 15 if congestion.startswith("bbr") else queue > 30


def test_options(h1: weir.Host):
    assert h1.iperf("h2", duration="1s", mss="500B").streams[0].mss == 488
    paced = h1.iperf("h2", duration="5s", rate="2Mbit")
    assert 1.9 < paced.goodput_mbps < 2
    # A window of 10 kB a round trip of some 7.3 ms.
    small = h1.iperf("h2", duration="2s", window="5kB")
    assert small.goodput_mbps < 6.5


def test_a_trace_tells_each_segment(network: weir.Network, h1: weir.Host, tmp_path: Path):
    network.link("h2", "s1").queue = "20p"
    result = h1.iperf("h2", duration="5s", trace=True, congestion="reno")
    [stream] = result.streams
    trace = stream.trace
    assert trace.count("resent") == stream.retransmits > 0
    assert trace.count("recovery") == stream.recoveries > 0
    assert trace.count("timeout") == stream.timeouts == 0
    frame = trace.to_frame()
    sent = frame.filter(polars.col("kind") == "sent")
    # All bytes and the FIN, each new one once.
    assert sent["length"].sum() == stream.bytes + 1
    assert frame["time_s"].is_sorted()
    # The link takes 1.2112 ms for a segment; at most 20 segments wait in front of it.
    assert stream.delays.min == pytest.approx(3.001 + 1.2112, abs=0.05)
    assert 15 < stream.delays.percentile(90) < 3.1 + 22 * 1.2112 and len(stream.delays.jitter) == len(
        stream.delays
    )
    assert stream.rtt_variation_ms is not None and 0 < stream.loss < 0.1
    assert trace.window.max > trace.window.values[-1] > 1
    trace.plot(tmp_path / "sequence.svg")
    assert (tmp_path / "sequence.svg").exists()
    trace.plot_window(tmp_path / "window.png", title="Reno")
    assert (tmp_path / "window.png").exists()
    result.plot(tmp_path / "goodput.pdf")
    assert (tmp_path / "goodput.pdf").exists()


def test_flows_share_and_can_be_stopped(network: weir.Network, h1: weir.Host):
    flows = [h1.start_iperf("h2", duration="1h") for _ in range(2)]
    network.run_for("10s")
    assert all(not flow.finished and flow.result().streams[0].outcome == "open" for flow in flows)
    shares = [flow.result().bytes for flow in flows]
    assert weir.measure.jain(shares) > 0.9
    for flow in flows:
        flow.stop()
    network.wait(*flows)
    assert network.now < 12
    assert {flow.result().streams[0].outcome for flow in flows} == {"closed"}


def test_requests_take_their_round_trips(h1: weir.Host):
    one_connection = h1.requests("h2", 5, request="100B", response="1kB", think="1s")
    assert (one_connection.finished, one_connection.failed, len(one_connection)) == (5, 0, 5)
    # The first request waits for the handshake, too.
    assert [round(time / 6.5) for time in one_connection.times_ms] == [2, 1, 1, 1, 1]
    alone = h1.requests("h2", 3, request="100B", response="1kB", keep=False)
    assert [round(time / 6.5) for time in alone.times_ms] == [2, 2, 2]
    assert alone.to_frame().columns == ["start_s", "request", "response", "fct_ms", "failure", "server"]
    assert {exchange.server for exchange in alone.exchanges} == {"h2"}


def test_short_flows_and_their_completion_times(network: weir.Network, h1: weir.Host, tmp_path: Path):
    fct = h1.transfers("h2", 200, every="20ms", size="10kB")
    assert (fct.finished, fct.failed) == (200, 0)
    assert fct.percentile_ms(0) > 9
    assert fct.percentile_ms(50) < fct.percentile_ms(99)
    assert "200/200 finished" in str(fct)
    fct.plot(tmp_path / "fct.png")
    assert (tmp_path / "fct.png").exists()
    regular = h1.transfers("h2", 5, every="100ms", size=["1kB", "2kB"], random=False)
    starts = [exchange.start_ns for exchange in regular.exchanges]
    assert [start - starts[0] for start in starts] == [0, 10**8, 2 * 10**8, 3 * 10**8, 4 * 10**8]
    assert {exchange.request for exchange in regular.exchanges} <= {1000, 2000}
    # However many are asked for, none takes memory before its time.
    many = h1.start_transfers("h2", 2**62, every="1s", random=False)
    network.run_for("2500ms")
    many.stop()
    assert len(many.result()) == 3
    network.run_for("2min")
    assert network.audit().in_flight.total == 0


def test_unreachable_host(network: weir.Network, h1: weir.Host):
    network.link("h2", "s1").loss = "100%"
    with pytest.raises(weir.NetworkError, match="h1 to h2, TCP port 5201: nobody answered"):
        h1.iperf("h2")


def test_redirected_flows_are_reported():
    topo = weir.Topology()
    for name in ("h1", "h2", "h3"):
        topo.add_host(name, ip=f"10.0.0.{name[1]}/24")
    topo.add_link("h1", "h2", rate="10Mbit")
    with weir.Network(topo) as net:
        h1, h2 = net.host("h1"), net.host("h2")
        h2.serve(5201)
        with pytest.raises(
            weir.NetworkError, match=r"all arrived, but not at h3: name the host that receives"
        ):
            h1.iperf(h2, size="10kB", server="h3")
        result = h1.iperf(h2, size="10kB", server=h2)
        assert (result.bytes, result.streams[0].server) == (10_000, "h2")


class Listener(weir.HostProgram):
    pass


def test_a_port_that_is_taken(network: weir.Network, h1: weir.Host):
    network.host("h2").run(Listener(), udp=5201)
    with pytest.raises(weir.NetworkError, match="UDP port 5201 of h2 is in use"):
        h1.iperf("h2", udp=True)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"congestion": "cubik"},
            'no congestion control "cubik" (there are: reno, cubic, cubic-rfc, bbr, bbr-draft); did you mean "cubic"?',
        ),
        ({"mss": "63B"}, "mss: 63 bytes are out of range"),
        ({"mss": 1460}, "has no unit"),
        ({"window": "0B"}, "window: 0 bytes"),
        ({"count": 5}, "count does not apply to TCP: give udp=True"),
        ({"length": "5B"}, "length does not apply to TCP"),
        ({"udp": True, "congestion": "reno"}, "congestion does not apply to UDP"),
        ({"udp": True, "trace": True}, "trace does not apply to UDP"),
        ({"size": "0B"}, "nothing would be sent"),
        ({"size": "1MB", "duration": "1s"}, "duration and size are given"),
        ({"ip_options": bytes(41)}, "41 bytes of IP options"),
    ],
)
def test_mistakes_are_told(h1: weir.Host, options: dict, message: str):
    with pytest.raises(weir.WeirError, match=re.escape(message)):
        h1.iperf("h2", **options)


def test_pacing_changes_while_a_flow_runs(network: weir.Network, h1: weir.Host):
    flow = h1.start_iperf("h2", duration="6s")
    network.at("2s", lambda: flow.pace("2Mbit"))
    rates = [interval.goodput_bps / 1e6 for interval in flow.wait().intervals]
    assert rates[1] > 9 and 1.8 < rates[4] < 2
    with pytest.raises(weir.UnitError):
        flow.pace("0Mbit")


def test_options_of_the_handshake_can_come_back(network: weir.Network):
    topo = weir.Topology()
    topo.add_host("h1", ip="10.0.1.1/24")
    topo.add_host("h2", ip="10.0.1.2/24")
    topo.add_link("h1", "h2")
    options = bytes([0x9E, 8, 1, 2, 3, 4, 5, 6])
    with weir.Network(topo) as net:
        h1 = net.host("h1")
        assert h1.iperf("h2", size="1kB", ip_options=options).streams[0].ip_options == b""
        net.host("h2").serve(5201, reflect_options=True)
        assert h1.iperf("h2", size="1kB", ip_options=options).streams[0].ip_options == options


def test_instant_loops_do_not_hang():
    topo = weir.Topology()
    topo.add_host("h1", ip="10.0.1.1/24")
    topo.add_host("h2", ip="10.0.1.2/24")
    topo.add_link("h1", "h2", rate="unlimited")
    with weir.Network(topo) as net:
        stands = pytest.raises(
            weir.NetworkError, match="time does not advance at 0ns: there is an endless loop without delays"
        )
        with pytest.warns(weir.WeirWarning, match="TCP over unlimited links"), stands:
            net.host("h1").iperf("h2", duration="1s")
        # The flow was ended: time passes again.
        net.run_for("1s")


def test_a_flow_has_two_ends(h1: weir.Host):
    for call in (h1.iperf, h1.requests, h1.start_transfers):
        with pytest.raises(weir.NetworkError, match="h1 is both ends of the flow: expected another host"):
            call(h1)
    for wrong in (object(), weir.HostProgram):
        with pytest.raises(weir.NetworkError, match="is not a program: expected an object of a subclass of"):
            h1.run(wrong)


def test_four_flows_share_a_link():
    net_files = Path(__file__).parent / "net"
    with weir.Network.load(net_files / "topology.json", net_files / "router.p4") as network:
        link = network.link("s1", "h2")
        link.delay, link.queue = "9ms", "20p"
        flows = []
        for start in ("0s", "230ms", "410ms", "970ms"):
            network.at(
                start,
                lambda: flows.append(network.host("h1").start_iperf("h2", duration="1h", congestion="reno")),
            )
        network.run_for("30s")
        before = [flow.result().bytes for flow in flows]
        network.run_for("60s")
        shares = [flow.result().bytes - first for flow, first in zip(flows, before, strict=True)]
        for flow in flows:
            flow.stop()
        network.wait(*flows)
    assert weir.measure.jain(shares) >= 0.99
    assert sum(shares) * 8 / 60 == pytest.approx(1e7 * 1448 / 1514, rel=0.02)


def test_a_request_whose_server_gives_up_timed_out():
    topo = weir.Topology()
    topo.add_host("h1", "10.0.1.1/24")
    topo.add_host("h2", "10.0.1.2/24")
    topo.add_link("h1", "h2", delay="1ms")
    with weir.Network(topo) as net:
        net.host("h2").cmd("sysctl -w net.ipv4.tcp_retries2=1")
        link = net.link("h1", "h2")
        # The response is on the wire. The server gives up before the client does.
        net.at("5500us", lambda: setattr(link, "up", False))
        net.at("2s", lambda: setattr(link, "up", True))
        result = net.host("h1").requests("h2", count=1)
    [exchange] = result.exchanges
    assert (exchange.failure, exchange.request_ns, exchange.end_ns) == ("timed out", 5_003_184, None)
    assert str(result.why).startswith("the link from h2-eth0 to h1-eth0 was down for 9 packets")
