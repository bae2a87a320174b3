"""The texts of results: before the run, after it, and of results without figures."""

import warnings
from pathlib import Path

import polars
import pytest

import weir


@pytest.fixture
def h1(network: weir.Network) -> weir.Host:
    return network.host("h1")


def test_pings_are_printed_as_ping_does(network: weir.Network, h1: weir.Host):
    assert str(h1.ping("h2")) == (
        "h1 -> h2 (10.0.2.2): 3/3 received, 0% lost\nrtt min/avg/max/mdev 6.159/6.159/6.159/0.000 ms"
    )
    network.link("h1", "s1").loss = "100%"
    assert str(h1.ping("h2", count=2, interval="1ms", timeout="1ms")) == (
        "h1 -> h2 (10.0.2.2): 0/2 received, 100% lost\n"
        "Why: the link from h1-eth0 to s1-p1 lost 2 packets on the wire."
    )
    h1.cmd("ip route del default")
    assert str(h1.ping("10.0.2.2", count=1)).splitlines()[1] == "no route to the target"


def test_datagrams_that_could_not_leave_are_told(network: weir.Network, h1: weir.Host):
    h1.cmd("ip route del default")
    result = h1.iperf("h2", udp=True, count=5)
    assert (result.sent, result.refused, result.errors) == (0, 5, 0)
    assert str(result).endswith("\n5 not sent: no route\nWhy: h1 has no route to the target.")


def test_flows_have_no_past_before_their_time(network: weir.Network, h1: weir.Host):
    network.run_for("20s")
    for udp in (False, True):
        result = h1.start_iperf("h2", udp=udp, duration="1s").result()
        assert (result.bytes, result.duration_s) == (0, 0)
        assert result.streams[0].start_ns == 20 * 10**9
        assert result.to_frame().is_empty()
        for figure in (lambda result=result: result.fairness, lambda result=result: result.goodput.variation):
            with pytest.raises(weir.MeasureError):
                figure()
    requests = h1.start_requests("h2")
    assert str(requests.result()) == "h1 -> h2: 0/0 finished, 0 failed"
    with pytest.raises(weir.MeasureError, match="h1 to h2: none of 0 exchanges has finished"):
        _ = requests.result().mean_ms
    with pytest.raises(weir.MeasureError, match="h1 to h2: none of 0 exchanges has finished"):
        requests.result().percentile_ms(50)
    assert h1.start_ping("h2").result().rtt_avg_ms is None


def test_a_series_without_values_has_no_figures():
    empty = weir.Series("one_way_delay", "ms", [], [])
    for figure in ("mean", "min", "max", "deviation", "variation"):
        with pytest.raises(weir.MeasureError, match="one way delay: there is no value"):
            getattr(empty, figure)
    with pytest.raises(ValueError, match="one way delay"):
        empty.percentile(50)
    with pytest.raises(weir.MeasureError, match="101 percent is not from 0 to 100"):
        weir.Series("a", "", [1], [1]).percentile(101)


def test_empty_results_can_be_drawn(h1: weir.Host, tmp_path: Path):
    result = h1.start_iperf("h2", trace=True).result()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for table in (result, result.goodput, result.streams[0].trace, h1.start_requests("h2").result()):
            table.plot(tmp_path / "a.png")
            assert (tmp_path / "a.png").exists()
        result.streams[0].trace.plot_window(tmp_path / "b.png")
        assert (tmp_path / "b.png").exists()


def test_results_show_what_they_are(network: weir.Network, h1: weir.Host, tmp_path: Path):
    sampler, sniffer = network.sample("h1", "10ms"), h1.sniff("udp")
    flow = h1.start_iperf("h2", udp=True, count=5, packets=True)
    assert repr(flow) == "<weir.UdpFlow, running>"
    result = flow.wait()
    assert repr(flow) == "<weir.UdpFlow, finished>"
    assert repr(result.streams[0].delays) == "<weir.Series delay: 5 values, 4.2106 to 4.2106 ms>"
    assert repr(sampler) == "<weir.Sampler of h1>"
    assert repr(sampler.queue()).startswith("<weir.QueueSeries queue: ")
    assert repr(sampler.samples()).startswith("<weir.EndSamples h1: ")
    assert repr(sniffer) == "<weir.Sniffer of h1-eth0: 5 frames>"
    frame = sniffer.to_frame()
    assert frame.columns == ["time_s", "end", "outbound", "bytes", "data"]
    assert frame["bytes"].to_list() == [1512] * 5 and frame.schema["data"] == polars.Binary
    capture = network.capture(tmp_path / "a.pcapng", "h1")
    assert repr(capture) == f"<weir.Capture {tmp_path / 'a.pcapng'}, open>"
    capture.close()
    assert repr(capture) == f"<weir.Capture {tmp_path / 'a.pcapng'}>"
    assert len(repr(h1.iperf("h2", size="1MB", trace=True))) < 500


@pytest.mark.parametrize("path", [5, ""])
def test_files_have_names(h1: weir.Host, path):
    result = h1.ping("h2", count=1)
    for write in (result.to_csv, result.to_parquet, result.plot):
        with pytest.raises(weir.FileError, match="expected the name of a file, found"):
            write(path)


def test_only_flows_are_waited_for(network: weir.Network, h1: weir.Host):
    flow = h1.start_iperf("h2", size="1kB")
    for wrong in (5, [flow], None):
        with pytest.raises(weir.NetworkError, match="is not a flow: expected results of start_… methods"):
            network.wait(flow, wrong)
    assert network.now == 0


def test_closed_networks_do_not_run(network: weir.Network, h1: weir.Host):
    flow = h1.start_iperf("h2", duration="1s")
    network.run_for("100ms")
    sent = flow.result().bytes
    network.close()
    for call in (
        flow.wait,
        lambda: network.wait(flow),
        lambda: network.at("1h", print),
        lambda: network.after("1h", print),
        lambda: network.sample("h1", "1s"),
        lambda: network.sniff("h1"),
    ):
        with pytest.raises(weir.NetworkError, match="the network is closed"):
            call()
    assert flow.result().bytes == sent > 0


def test_a_replay_ends_before_the_clock_does(network: weir.Network, h1: weir.Host, tmp_path: Path):
    capture = network.capture(tmp_path / "a.pcapng", "h1")
    h1.ping("h2", count=2)
    capture.close()
    for speed in (1e-300, 1e-10):
        with pytest.raises(weir.NetworkError, match="the capture would last longer than the clock can count"):
            h1.start_replay(tmp_path / "a.pcapng", speed=speed)
