"""Programs on hosts that talk TCP, as a user writes them."""

import re
from pathlib import Path

import pytest

import weir

NET = Path(__file__).parent / "net"


@pytest.fixture
def h1(network: weir.Network) -> weir.Host:
    return network.host("h1")


@pytest.fixture
def h2(network: weir.Network) -> weir.Host:
    return network.host("h2")


class Recorder(weir.HostProgram):
    """Records all its callbacks."""

    def __init__(self):
        self.log = []

    def note(self, what, connection, *more):
        assert connection in self.connections or what == "close"
        self.log.append((self.now_ns, what, *more))

    def on_accept(self, connection):
        self.note("accept", connection)

    def on_connect(self, connection):
        self.note("connect", connection)

    def on_data(self, connection, data):
        self.note("data", connection, data)

    def on_writable(self, connection):
        self.note("writable", connection)

    def on_end(self, connection):
        self.note("end", connection)
        super().on_end(connection)

    def on_close(self, connection, reason):
        self.note("close", connection, reason)


class Upper(Recorder):
    def on_data(self, connection, data):
        super().on_data(connection, data)
        assert connection.send(data.upper()) == len(data)


class Client(Recorder):
    def __init__(self, **options):
        super().__init__()
        self.options = options

    def start(self):
        self.connection = self.connect("h2", 80, **self.options)
        assert self.connection.state == "connecting"

    def on_connect(self, connection):
        super().on_connect(connection)
        assert connection is self.connection and connection.state == "open"
        connection.send(b"hello")

    def on_data(self, connection, data):
        super().on_data(connection, data)
        connection.close()
        assert connection.state == "closing"


def test_a_conversation_at_its_very_times(network: weir.Network, h1: weir.Host, h2: weir.Host):
    server, client = h2.run(Upper(), tcp=80), h1.run(Client())
    network.run_for("1s")
    assert [entry[1:] for entry in client.log] == [
        ("connect",), ("data", b"HELLO"), ("end",), ("close", "closed"),
    ]  # fmt: skip
    assert [entry[1:] for entry in server.log] == [
        ("accept",), ("data", b"hello"), ("end",), ("close", "closed"),
    ]  # fmt: skip
    # 1 ms, 2 ms and 1 µs each way; SYN and SYN-ACK are 74 bytes long: 59.2 µs at 10 Mbit/s.
    assert client.log[0][0] == 2 * (3_001_000 + 59_200)
    assert client.connections == server.connections == []
    connection = client.connection
    assert (connection.peer, connection.peer_port, connection.state) == ("10.0.2.2", 80, "closed")
    assert "10.0.2.2 port 80, closed" in repr(connection)
    with pytest.raises(weir.NetworkError, match=r"the connection of h1 with 10.0.2.2 port 80 has ended"):
        connection.send(b"late")
    connection.close()


class Sender(Recorder):
    """Sends as much as fits into the send buffer."""

    def __init__(self, size, **options):
        super().__init__()
        self.left, self.options, self.taken = bytes(size), options, []

    def start(self):
        self.connection = self.connect("h2", 80, **self.options)

    def on_connect(self, connection):
        self.on_writable(connection)

    def on_writable(self, connection):
        space = connection.send_space
        taken = connection.send(self.left)
        assert taken == min(space, len(self.left))
        assert connection.send_space == space - taken
        self.taken.append(taken)
        self.left = self.left[taken:]
        if not self.left:
            connection.close()


class Sink(Recorder):
    def __init__(self):
        super().__init__()
        self.received = 0

    def on_data(self, connection, data):
        self.received += len(data)


class Halves(Recorder):
    """Sends two small pieces, regardless of which end opened the connection."""

    def on_connect(self, connection):
        assert connection.send(b"one") == connection.send(b"two") == 3

    on_accept = on_connect


@pytest.mark.parametrize("opens", [True, False])
def test_nagle_and_nodelay(opens: bool):
    def apart(**options: bool) -> int:
        class Opener(Halves if opens else Recorder):
            def start(self):
                self.connect("h2", 80, **(options if opens else {}))

        class Listener(Recorder if opens else Halves):
            def start(self):
                self.listen(80, **({} if opens else options))

        with weir.Network.load(NET / "topology.json", NET / "router.p4") as net:
            listener, opener = net.host("h2").run(Listener()), net.host("h1").run(Opener())
            net.run_for("1s")
            log = (listener if opens else opener).log
        heard = [(entry[0], entry[2]) for entry in log if entry[1] == "data"]
        assert [data for _, data in heard] == [b"one", b"two"]
        return heard[1][0] - heard[0][0]

    # A round trip is 6 ms; segments of 69 bytes follow one another in 55 µs.
    assert apart() == apart(nodelay=False) > 6_000_000
    assert apart(nodelay=True) == 69 * 8 * 100


def test_back_pressure_is_seen(network: weir.Network, h1: weir.Host, h2: weir.Host):
    sink, sender = h2.run(Sink(), tcp=80), h1.run(Sender(200_000, window="20kB"))
    network.run_for("30ms")
    assert sender.taken[0] == 20_000
    assert 0 < sender.connection.unacknowledged <= 20_000
    info = sender.connection.info
    assert info.sent - info.acked == sender.connection.unacknowledged
    assert info.mss == 1448 and info.rtt_min_ms > 6 and info.in_flight > 0
    network.run_for("1s")
    assert sink.received == sum(sender.taken) == 200_000
    assert [entry[1:] for entry in sender.log] == [("end",), ("close", "closed")]
    network.run_for("2min")
    assert network.audit().in_flight.total == 0


def test_unread_data_stops_the_peer(network: weir.Network, h1: weir.Host, h2: weir.Host):
    class Slow(Sink):
        def on_accept(self, connection):
            self.connection = connection
            connection.pause()
            assert connection.paused

    h2.cmd("sysctl -w net.ipv4.tcp_rmem='4096 50000 50000'")
    sink, sender = h2.run(Slow(), tcp=80), h1.run(Sender(200_000, window="20kB"))
    network.run_for("2s")
    assert sink.received == 0
    # One buffer at each end.
    assert 50_000 <= sum(sender.taken) <= 75_000
    assert sender.connection.send_space < 10_000
    sink.connection.resume()
    network.run_for("2s")
    assert sink.received == 200_000


@pytest.mark.parametrize("congestion", ["reno", "cubic", "cubic-rfc", "bbr", "bbr-draft"])
def test_congestion_control_is_chosen(network: weir.Network, h1: weir.Host, h2: weir.Host, congestion: str):
    sampler = network.sample("s1-p2", every="10ms")
    h2.run(Sink(), tcp=80)
    h1.run(Sender(5_000_000, congestion=congestion))
    network.run_for("4s")
    queue = sampler.queue().between(2, 4).mean
    assert queue < 20 if congestion.startswith("bbr") else queue > 30


def test_programs_set_queueing_disciplines(network: weir.Network, h1: weir.Host, h2: weir.Host):
    class Paced(Sender):
        def start(self):
            self.host.interface().qdisc = weir.qdisc.Fq(maxrate="2Mbit")
            super().start()

    sink = h2.run(Sink(), tcp=80)
    h1.run(Paced(10_000_000))
    network.run_for("2s")
    network.run_for("1s")
    start = sink.received
    network.run_for("4s")
    assert (sink.received - start) * 8 / 4 == pytest.approx(2e6 * 1448 / 1514, rel=0.02)


def test_resets_and_refusals(network: weir.Network, h1: weir.Host, h2: weir.Host):
    class Rude(Recorder):
        def on_data(self, connection, data):
            connection.reset()

    rude, client = h2.run(Rude(), tcp=80), h1.run(Client())
    network.run_for("1s")
    assert [entry[1:] for entry in client.log] == [("connect",), ("close", "reset")]
    assert [entry[1:] for entry in rude.log] == [("accept",), ("close", "aborted")]
    rude.stop()
    refused = h1.run(Client())
    network.run_for("1s")
    assert [entry[1:] for entry in refused.log] == [("close", "refused")]
    network.link("h2", "s1").loss = "100%"
    alone = h1.run(Client())
    network.run_for("10min")
    assert [entry[1:] for entry in alone.log] == [("close", "timed out")]


def test_a_stopped_program_lets_go(network: weir.Network, h1: weir.Host, h2: weir.Host):
    server, sender = h2.run(Recorder(), tcp=[80, 81]), h1.run(Sender(10_000_000))
    network.run_for("1s")
    connection = sender.connection
    sender.stop()
    assert connection.state == "closed"
    with pytest.raises(weir.NetworkError, match="has ended"):
        connection.info  # noqa: B018
    network.run_for("10s")
    assert [entry[1:] for entry in server.log if entry[1] != "data"] == [
        ("accept",), ("end",), ("close", "closed"),
    ]  # fmt: skip
    server.stop()
    h2.run(Recorder(), tcp=[80, 81])
    network.run_for("5min")
    assert network.audit().in_flight.total == 0


def test_two_servers_and_many_clients(network: weir.Network, h1: weir.Host, h2: weir.Host):
    class Server(Sink):
        def start(self):
            self.listen(81, congestion="bbr")

        def on_data(self, connection, data):
            super().on_data(connection, data)
            connection.send(b"%d" % connection.port)

    class Both(Recorder):
        def start(self):
            for port in (80, 81, 80, 81):
                self.connect("h2", port)

        def on_connect(self, connection):
            connection.send(b"?")

        def on_data(self, connection, data):
            assert data == b"%d" % connection.peer_port
            self.log.append(connection.peer_port)

    h2.run(Server(), tcp=80)
    both = h1.run(Both())
    network.run_for("1s")
    assert sorted(both.log) == [80, 80, 81, 81]
    assert len(both.connections) == 4 and len({one.port for one in both.connections}) == 4


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda p: p.connect("h9", 80), 'there is no host "h9"'),
        (lambda p: p.connect("h2", 0), "port: 0 is out of range"),
        (lambda p: p.connect("h2", 70000), "port: 70000 is out of range: expected 1 to 65535"),
        (lambda p: p.connect("h2", "80"), "port: '80' is not a whole number"),
        (lambda p: p.connect("10.9.9.9", 80, congestion="vegas"), 'no congestion control "vegas"'),
        (lambda p: p.connect("h2", 80, window=5), "has no unit"),
        (lambda p: p.connect("h2", 80, mss="10B"), "mss: 10 bytes are out of range"),
        (lambda p: p.listen(80), "TCP port 80 of h1 is in use or invalid"),
        (lambda p: p.listen(-1), "port: -1 is out of range"),
        (
            lambda p: p.connect("h2", 80).send("text"),
            "data: a str is not bytes; did you mean \"'text'.encode()\"?",
        ),
        (lambda p: p.send_udp("h2", 7, "text"), "no UDP port to send from"),
        (lambda p: p.network.run_for("1s"), "the network is already running"),
    ],
)
def test_misuse_is_reported(network: weir.Network, h1: weir.Host, act, message: str):
    class Wrong(Recorder):
        def on_timer(self, token):
            act(self)

    wrong = h1.run(Wrong(), tcp=80)
    wrong.after("1ms")
    with pytest.raises(weir.WeirError, match=re.escape(message)):
        network.run_for("1s")


def test_closed_objects_refuse_calls(network: weir.Network, h1: weir.Host, h2: weir.Host):
    h2.run(Recorder(), tcp=80)
    client = h1.run(Client())
    network.run_for("5ms")
    client.connection.close()
    client.connection.close()
    assert client.connection.send_space == 0
    with pytest.raises(weir.NetworkError, match="the program has closed it and cannot send any more"):
        client.connection.send(b"more")
    with pytest.raises(weir.NetworkError, match="TCP port 80 of h2 is in use"):
        h2.run(Recorder(), tcp=80)
    with pytest.raises(weir.NetworkError, match="TCP port 80 of h2 is in use"):
        h1.start_requests(h2)


def test_programs_over_ipv6():
    topo = weir.Topology()
    topo.add_host("h1", ip="10.0.1.1/24", ip6="2001:db8::1/64")
    topo.add_host("h2", ip="10.0.1.2/24", ip6="2001:db8::2/64")
    topo.add_link("h1", "h2", rate="10Mbit", delay="1ms")

    class Six(Client):
        def start(self):
            self.connection = self.connect("2001:db8::2", 80)

    with weir.Network(topo) as net:
        net.host("h2").run(Upper(), tcp=80)
        client = net.host("h1").run(Six())
        net.run_for("1s")
    assert [entry[1] for entry in client.log] == ["connect", "data", "end", "close"]
