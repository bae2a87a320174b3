"""Traffic through a data plane that rewrites the client's address and port."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import weir
from weir.program import EXECUTORS

NET = Path(__file__).parent / "net"


@pytest.fixture(params=EXECUTORS)
def network(request: pytest.FixtureRequest) -> Iterator[weir.Network]:
    """The topology h1 - s1 - h2, in which packets of h1 reach h2 from 10.0.2.20."""
    with weir.Network.load(NET / "topology.json", NET / "nat.p4", executor=request.param) as net:
        yield net


@pytest.fixture
def h1(network: weir.Network) -> weir.Host:
    return network.host("h1")


def hidden(network: weir.Network) -> weir.Sniffer:
    """Frames at h2 with h1's own address, which the data plane must rewrite."""
    return network.sniff("h2", "host 10.0.1.1")


@pytest.mark.parametrize("reverse", [False, True])
def test_flows_have_all_their_figures(network: weir.Network, h1: weir.Host, reverse: bool):
    seen = hidden(network)
    result = h1.iperf("h2", size="1MB", parallel=3, reverse=reverse, trace=True)
    assert (result.source, result.target) == (("h2", "h1") if reverse else ("h1", "h2"))
    for stream in result.streams:
        assert (stream.bytes, stream.acked, stream.outcome) == (1_000_000, 1_000_000, "closed")
        assert stream.rtt_min_ms is not None and len(stream.delays) > 100
    assert len(seen) == 0
    network.run_for("2min")
    assert network.resource_usage()["connections"] == 0
    assert network.audit().in_flight.total == 0


def test_reverse_flows_can_be_paced(network: weir.Network, h1: weir.Host):
    flow = h1.start_iperf("h2", duration="6s", reverse=True)
    network.at("2s", lambda: flow.pace("2Mbit"))
    rates = [interval.goodput_bps / 1e6 for interval in flow.wait().intervals]
    assert rates[1] > 9 and 1.8 < rates[4] < 2


@pytest.mark.parametrize("keep", [True, False])
def test_requests_are_answered(network: weir.Network, h1: weir.Host, keep: bool):
    fct = h1.requests("h2", 5, response="20kB", keep=keep)
    assert (fct.finished, fct.failed) == (5, 0)


def test_short_flows_have_their_completion_times(h1: weir.Host):
    fct = h1.transfers("h2", 50, every="5ms")
    assert (fct.finished, fct.failed) == (50, 0)


@pytest.mark.parametrize("reverse", [False, True])
def test_datagrams_are_counted(network: weir.Network, h1: weir.Host, reverse: bool):
    seen = hidden(network)
    result = h1.iperf("h2", udp=True, count=50, reverse=reverse, source_port=6000)
    assert (result.sent, result.received, len(seen)) == (50, 50, 0)
    assert h1.requests("h2", 5, udp=True).finished == 5


def test_programs_talk_through_the_nat(network: weir.Network, h1: weir.Host):
    class Server(weir.HostProgram):
        peers = ()

        def on_accept(self, connection):
            self.peers = (*self.peers, (connection.peer, connection.peer_port))

        def on_data(self, connection, data):
            connection.send(data.upper())

    class Client(weir.HostProgram):
        answer = b""

        def start(self):
            self.port = self.connect("h2", 80).port

        def on_connect(self, connection):
            connection.send(b"hello")

        def on_data(self, connection, data):
            self.answer += data
            connection.close()

    server = network.host("h2").run(Server(), tcp=80)
    client = h1.run(Client())
    network.run_for("1s")
    assert client.answer == b"HELLO"
    assert server.peers == (("10.0.2.20", client.port + 1000),)
