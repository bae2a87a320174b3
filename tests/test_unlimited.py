"""Links have a default rate; TCP that nothing limits is bounded, with a warning."""

import warnings

import pytest

import weir
from command import commands, weir as run_weir


def network(**link: str) -> weir.Network:
    topo = weir.Topology()
    topo.add_host("h1", "10.0.1.1/24")
    topo.add_host("h2", "10.0.1.2/24")
    topo.add_link("h1", "h2", delay="1ms", **link)
    return weir.Network(topo)


def test_links_have_a_rate_unless_unlimited():
    assert network().link("h1", "h2").rate == "1Gbit"
    assert network(rate="unlimited").link("h1", "h2").rate is None
    link = network(rate="10Mbit").link("h1", "h2")
    link.rate = "unlimited"
    assert link.rate is None
    with pytest.raises(weir.UnitError, match="unlimted"):
        link.rate = "unlimted"


def test_tcp_over_the_default_rate_takes_the_rate():
    with network() as net:
        result = net.host("h1").iperf("h2", duration="100ms")
    assert 0.8e9 < result.goodput_bps < 1e9


def test_tcp_that_nothing_limits_warns_and_ends_after_a_gigabyte(monkeypatch: pytest.MonkeyPatch):
    from weir.host.traffic import unlimited

    # A gigabyte takes ten seconds of real time.
    assert unlimited.MAX_BYTES == 10**9
    monkeypatch.setattr(unlimited, "MAX_BYTES", 10**6)
    with network(rate="unlimited") as net:
        with pytest.warns(weir.WeirWarning, match="TCP over unlimited links"):
            result = net.host("h1").iperf("h2")
        assert result.bytes == 10**6
        with pytest.warns(weir.WeirWarning):
            result = net.host("h1").iperf("h2", parallel=4)
        assert result.bytes == 10**6


def test_limited_flows_cause_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with network(rate="unlimited") as net:
            h1 = net.host("h1")
            assert h1.iperf("h2", size="2MB").bytes == 2_000_000
            assert h1.iperf("h2", rate="10Mbit", duration="10ms").bytes > 0
            assert h1.iperf("h2", udp=True, duration="10ms").bytes > 0
        with network() as net:
            net.host("h1").iperf("h2", duration="1ms")
        with network(rate="unlimited") as net:
            net.host("h1").tc("qdisc add dev eth0 root tbf rate 10mbit burst 10kb latency 50ms")
            net.host("h1").iperf("h2", duration="10ms")


def test_the_command_warns_once():
    lines = [
        "link h1 s1 rate unlimited",
        "link s1 h2 rate unlimited",
        "h1 iperf -n 1M h2",
        "h1 iperf -t 0.01 h2",
        "h1 iperf -t 0.01 h2",
    ]
    code, _, err = run_weir(*commands(*lines))
    assert code == 0
    assert err.startswith("warning: TCP over unlimited links: nothing limits the flow")
    assert len(err.splitlines()) == 1
