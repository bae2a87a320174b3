"""Traffic through a load balancer: a data plane chooses the host that answers."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

import weir
from weir.program import EXECUTORS

NET = Path(__file__).parent / "net"
VIP = "10.0.9.9"
BACKENDS = ("h2", "h3", "h4")


@pytest.fixture(params=EXECUTORS)
def network(request: pytest.FixtureRequest) -> Iterator[weir.Network]:
    """A network that sends h1's packets to one address to h2, h3 or h4, which answer from it."""
    with weir.Network.load(NET / "balancer.json", NET / "balancer.p4", executor=request.param) as net:
        yield net


@pytest.fixture
def h1(network: weir.Network) -> weir.Host:
    return network.host("h1")


def settled(network: weir.Network) -> None:
    network.run_for("2min")
    assert network.resource_usage()["connections"] == 0
    assert network.audit().in_flight.total == 0


@pytest.mark.parametrize("reverse", [False, True])
def test_parallel_flows_name_their_servers(network: weir.Network, h1: weir.Host, reverse: bool):
    seen = {name: network.sniff(name, f"src host {VIP} or dst host {VIP}") for name in BACKENDS}
    result = h1.iperf(VIP, size="200kB", parallel=12, reverse=reverse, trace=True, server=BACKENDS)
    ends = ("h2, h3, h4", "h1") if reverse else ("h1", "h2, h3, h4")
    assert (result.source, result.target, result.bytes) == (*ends, 2_400_000)
    for stream in result.streams:
        assert (stream.bytes, stream.acked, stream.outcome) == (200_000, 200_000, "closed")
        assert (stream.source, stream.target)[0 if reverse else 1] == stream.server
        assert stream.rtt_min_ms is not None and len(stream.delays) > 20
    served = Counter(stream.server for stream in result.streams)
    assert set(served) == set(BACKENDS)
    frame = result.to_frame()
    assert dict(frame.select("stream", "server").unique().iter_rows()) == {
        number: stream.server for number, stream in enumerate(result.streams, 1)
    }
    assert result.to_dict()["streams"][0]["server"] == result.streams[0].server
    # Their addresses are rewritten on both ways.
    assert not any(len(sniffer) for sniffer in seen.values())
    settled(network)


def test_reverse_pacing_is_at_the_sender(network: weir.Network, h1: weir.Host):
    flow = h1.start_iperf(VIP, duration="6s", reverse=True, server=BACKENDS)
    network.at("2s", lambda: flow.pace("2Mbit"))
    rates = [interval.goodput_bps / 1e6 for interval in flow.wait().intervals]
    assert rates[1] > 9 and 1.8 < rates[4] < 2


def test_requests_are_all_answered_and_spread(network: weir.Network, h1: weir.Host):
    fct = h1.requests(VIP, 30, keep=False, server=BACKENDS)
    assert (fct.source, fct.target, fct.finished, fct.failed) == ("h1", "h2, h3, h4", 30, 0)
    served = Counter(exchange.server for exchange in fct.exchanges)
    assert set(served) == set(BACKENDS) and min(served.values()) >= 4
    assert Counter(fct.to_frame()["server"]) == served
    # A connection stays with its server.
    one_connection = h1.requests(VIP, 30, server=[network.host(name) for name in BACKENDS])
    assert (one_connection.finished, len({exchange.server for exchange in one_connection.exchanges})) == (
        30,
        1,
    )
    short = h1.transfers(VIP, 30, every="5ms", server=BACKENDS)
    assert (short.finished, short.failed) == (30, 0)
    assert {exchange.server for exchange in short.exchanges} == set(BACKENDS)
    settled(network)


@pytest.mark.parametrize("reverse", [False, True])
def test_datagrams_are_counted_at_any_server(network: weir.Network, h1: weir.Host, reverse: bool):
    result = h1.iperf(VIP, udp=True, count=50, parallel=9, reverse=reverse, server=BACKENDS)
    assert (result.sent, result.received, result.duplicates) == (450, 450, 0)
    for stream in result.streams:
        assert stream.server in BACKENDS
        assert stream.by_server == {name: 50 if name == stream.server else 0 for name in BACKENDS}
    assert {stream.server for stream in result.streams} == set(BACKENDS)
    assert set(result.to_frame()["server"]) == set(BACKENDS)


def test_requests_in_datagrams_are_answered(h1: weir.Host):
    fct = h1.requests(VIP, 30, udp=True, server=BACKENDS)
    assert (fct.finished, fct.failed) == (30, 0)
    assert {exchange.server for exchange in fct.exchanges} <= set(BACKENDS)


def test_unnamed_servers_are_missed(network: weir.Network, h1: weir.Host):
    for name in BACKENDS:
        network.host(name).serve(5201)
    flows = [h1.start_iperf(VIP, size="10kB", server=("h2", "h3")) for _ in range(12)]
    network.run_for("5s")
    servers = []
    for flow in flows:
        try:
            servers.append(flow.result().streams[0].server)
        except weir.NetworkError as error:
            assert re.search(r"all arrived, but not at h2 or h3: name the host that receives", str(error))
            servers.append("elsewhere")
    assert set(servers) == {"h2", "h3", "elsewhere"}


def test_no_server_before_the_first_answer(h1: weir.Host):
    stream = h1.start_iperf(VIP, size="10kB", server=BACKENDS).result().streams[0]
    assert (stream.server, stream.target) == (None, "h2, h3, h4")
    datagrams = h1.start_iperf(VIP, udp=True, reverse=True, server=BACKENDS).result().streams[0]
    assert (datagrams.server, datagrams.by_server) == (None, dict.fromkeys(BACKENDS, 0))


@pytest.mark.parametrize(
    ("server", "message"),
    [
        (
            (),
            'server: no host is given: expected a host or its name, or several in their order: server=("h2", "h3")',
        ),
        (("h2", "h3", "h2"), "server: h2 is listed twice: expected each host once"),
        (("h2", "h33"), 'there is no host "h33"; did you mean "h3"?'),
        (("h2", 3), "server: 3 is not a host: expected a host or its name"),
        ({"h2"}, "server: {'h2'} is not a host: expected a host or its name"),
        (("h2", "h1"), "h1 is both ends of the flow: expected another host"),
    ],
)
def test_invalid_servers_are_reported(h1: weir.Host, server: object, message: str):
    calls = [
        lambda: h1.start_iperf(VIP, server=server),
        lambda: h1.start_iperf(VIP, udp=True, server=server),
        lambda: h1.start_requests(VIP, server=server),
        lambda: h1.start_requests(VIP, udp=True, server=server),
        lambda: h1.start_transfers(VIP, server=server),
    ]
    for call in calls:
        with pytest.raises(weir.NetworkError, match=re.escape(message)):
            call()


def test_a_port_in_use_at_one_server_is_refused(network: weir.Network, h1: weir.Host):
    network.host("h3").run(weir.HostProgram(), udp=5201, tcp=5201)
    for udp in (False, True):
        with pytest.raises(weir.NetworkError, match=f"{'UDP' if udp else 'TCP'} port 5201 of h3 is in use"):
            h1.iperf(VIP, udp=udp, server=BACKENDS)
