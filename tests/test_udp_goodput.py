"""Goodput of datagrams, over the interval of their receiver."""

import pytest

import weir
from weir.cli.shell.shell import Shell


def line(delay: str, rate: str = "unlimited") -> weir.Network:
    """Two hosts that know each other, on a link with this delay."""
    topo = weir.Topology()
    for number, other in ((1, 2), (2, 1)):
        name = f"h{number}"
        topo.add_host(name, f"10.0.0.{number}/24", mac=f"02:00:00:00:00:0{number}")
        topo.hosts[name].arp[f"10.0.0.{other}"] = weir.topology.Mac(f"02:00:00:00:00:0{other}")
    topo.add_link("h1", "h2", rate=rate, delay=delay)
    return weir.Network(topo)


@pytest.mark.parametrize("delay", ["1us", "1ms", "100ms", "1.5s"])
@pytest.mark.parametrize(
    ("options", "bits"),
    [
        ({"rate": "900Mbit", "duration": "500ms", "length": "9000B"}, 900e6),
        ({"rate": "1Mbit", "duration": "1s"}, 1.0e6),
        ({"rate": "1Mbit", "count": 2}, 1e6),
        ({"rate": "1Mbit", "count": 50}, 1e6),
        ({"rate": "1Mbit", "size": "14700B"}, 1e6),
        ({"rate": "1Mbit", "duration": "1s", "reverse": True}, 1e6),
        ({"rate": "1Mbit", "duration": "1s", "parallel": 3}, 3e6),
    ],
)
def test_goodput_does_not_depend_on_the_delay(delay: str, options: dict, bits: float):
    """The goodput is the rate of the sender; a last datagram that leaves before the end counts as a
    whole."""
    net = line(delay)
    for name in ("h1", "h2"):
        net.host(name).cmd("ip link set dev eth0 mtu 9100")
    result = net.host("h1").iperf("h2", udp=True, **options)
    assert result.lost == 0
    assert result.goodput_bps == pytest.approx(bits, rel=0.012)
    assert sum(stream.goodput_bps for stream in result.streams) == pytest.approx(bits, rel=0.012)


def test_the_interval_is_that_of_the_receiver():
    stream = line("100ms").host("h1").iperf("h2", udp=True, rate="1Mbit", duration="2s").streams[0]
    assert stream.receiver_s == (0.1, 2.1)
    assert stream.goodput_bps == stream.bytes * 8 / 2


def test_one_datagram_has_only_its_travel():
    stream = line("100ms").host("h1").iperf("h2", udp=True, count=1).streams[0]
    assert stream.receiver_s == (0.0, 0.1) and stream.goodput_bps == pytest.approx(1470 * 8 / 0.1)


def test_one_datagram_of_a_short_time_has_its_travel_too():
    stream = line("100ms").host("h1").iperf("h2", udp=True, duration="1ns").streams[0]
    assert stream.sent == 1
    assert stream.receiver_s == (0.0, 0.1) and stream.goodput_bps == pytest.approx(1470 * 8 / 0.1)


def test_goodput_over_a_bottleneck_is_its_rate():
    """Queued datagrams arrive at the rate of the link, until after the sender has ended."""
    result = line("10ms", "1Mbit").host("h1").iperf("h2", udp=True, rate="2Mbit", count=100)
    share = 1470 / (1470 + 8 + 20 + 14)
    assert result.lost == 0 and result.goodput_bps == pytest.approx(1e6 * share, rel=0.01)


def test_goodput_counts_the_time_of_lost_datagrams():
    net = line("1ms")
    flow = net.host("h1").start_iperf("h2", udp=True, rate="1Mbit", duration="4s")
    net.at("1s", lambda: setattr(net.link("h1", "h2"), "up", False))
    assert flow.wait().goodput_bps == pytest.approx(0.25e6, rel=0.02)
    net.link("h1", "h2").up = True
    counted = net.host("h1").start_iperf("h2", udp=True, rate="1Mbit", count=340)
    net.after("1s", lambda: setattr(net.link("h1", "h2"), "up", False))
    assert counted.wait().goodput_bps == pytest.approx(0.25e6, rel=0.02)


def test_goodput_is_zero_if_nothing_arrives():
    net = line("1ms")
    net.link("h1", "h2").up = False
    result = net.host("h1").iperf("h2", udp=True, count=10)
    assert result.goodput_bps == 0 and result.streams[0].goodput_bps == 0


def test_a_flow_that_runs_or_was_stopped():
    net = line("100ms")
    flow = net.host("h1").start_iperf("h2", udp=True, rate="1Mbit", duration="10s")
    assert flow.result().goodput_bps == 0
    net.run_for("1.1s")
    assert flow.result().goodput_bps == pytest.approx(1e6, rel=0.02)
    flow.stop()
    assert flow.wait().goodput_bps == pytest.approx(1e6, rel=0.02)
    net.run_for("5s")
    assert flow.result().goodput_bps == pytest.approx(1e6, rel=0.02)


def test_iperf_prints_the_goodput(capsys):
    assert Shell(line("100ms")).run("h1 iperf -u -b 1M -t 1 h2")
    assert (
        capsys.readouterr()
        .out.splitlines()[-1]
        .startswith("[  1] 0.10-1.10 sec          126.42 kB      1.01 Mbit/s")
    )
