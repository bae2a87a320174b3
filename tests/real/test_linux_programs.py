"""Programs of the class HostProgram on hosts of the Linux world."""

import socket
from collections.abc import Iterator

import pytest
from linux_networks import until

import weir
from weir.errors import NetworkError
from weir.hostprogram import IcmpError

pytestmark = pytest.mark.usefixtures("namespaces")


class Echo(weir.HostProgram):
    """Answers datagrams, and sends the data of connections back."""

    def __init__(self) -> None:
        self.log: list[object] = []
        self.rest = bytearray()

    def on_datagram(self, datagram: weir.Datagram) -> None:
        self.log.append((datagram.source, datagram.target, datagram.port, datagram.payload))
        self.send_udp(datagram.source, datagram.source_port, datagram.payload[::-1])

    def on_accept(self, connection: weir.Connection) -> None:
        self.log.append(("accept", connection.peer, connection.port))

    def on_data(self, connection: weir.Connection, data: bytes) -> None:
        self.rest += data
        self.on_writable(connection)

    def on_writable(self, connection: weir.Connection) -> None:
        del self.rest[: connection.send(bytes(self.rest))]

    def on_close(self, connection: weir.Connection, reason: str) -> None:
        self.log.append(("close", reason))


class Client(weir.HostProgram):
    """Sends a datagram and a megabyte, and one datagram to a port without a listener."""

    def __init__(self) -> None:
        self.data = bytes(range(250)) * 4000
        self.sent = 0
        self.back = bytearray()
        self.log: list[object] = []

    def start(self) -> None:
        self.after("10ms", "go")

    def on_timer(self, token: object) -> None:
        self.log.append(token)
        self.send_udp("h2", 7, b"abc")
        self.send_udp("h2", 9, b"nobody")
        self.connection = self.connect("h2", 7)
        self.connect("h2", 9)

    def on_datagram(self, datagram: weir.Datagram) -> None:
        self.log.append((datagram.source, datagram.source_port, datagram.payload))

    def on_error(self, error: IcmpError) -> None:
        self.log.append((error.source, error.icmp_type, error.code, error.port, error.original[8:]))

    def on_connect(self, connection: weir.Connection) -> None:
        self.on_writable(connection)

    def on_writable(self, connection: weir.Connection) -> None:
        self.sent += connection.send(self.data[self.sent :])

    def on_data(self, connection: weir.Connection, data: bytes) -> None:
        self.back += data
        if len(self.back) == len(self.data):
            info = connection.info
            assert (info.sent, info.acked) == (len(self.data), len(self.data))
            assert info.received == len(self.data)
            connection.close()

    def on_close(self, connection: weir.Connection, reason: str) -> None:
        self.log.append((connection.peer_port, reason))


@pytest.fixture
def programs(net: weir.Network) -> Iterator[tuple[Echo, Client]]:
    echo = net.host("h2").run(Echo(), udp=7, tcp=7)
    client = net.host("h1").run(Client(), udp=5000)
    yield echo, client
    echo.stop()
    client.stop()


def test_programs_send_and_receive_as_in_the_virtual_world(net: weir.Network, programs):
    echo, client = programs
    until(net, lambda: len(client.log) == 5 and ("close", "closed") in echo.log)
    assert client.log[0] == "go"
    assert set(client.log[1:]) == {
        ("10.0.2.2", 7, b"cba"),
        ("10.0.2.2", 3, 3, 5000, b"nobody"),
        (9, "refused"),
        (7, "closed"),
    }
    assert bytes(client.back) == client.data
    assert echo.log == [
        ("10.0.1.1", "10.0.2.2", 7, b"abc"), ("accept", "10.0.1.1", 7), ("close", "closed"),
    ]  # fmt: skip


class Frames(weir.HostProgram):
    def __init__(self) -> None:
        self.seen: list[weir.Frame] = []

    def on_frame(self, frame: weir.Frame) -> None:
        self.seen.append(frame)


def test_programs_receive_frames_that_pass_a_filter(net: weir.Network):
    program = net.host("h2").run(Frames(), frames="icmp")
    net.host("h1").ping("h2", count=2, interval="5ms")
    until(net, lambda: len(program.seen) == 2)
    assert not any(frame.outbound for frame in program.seen)
    assert {frame.end for frame in program.seen} == {"h2"}
    program.stop()


def test_ports_in_use_and_unknown_routes_are_errors(net: weir.Network):
    first = net.host("h1").run(Echo(), udp=7, tcp=7)
    for ports, expected in (({"udp": 7}, "UDP port 7 of h1: "), ({"tcp": 7}, "TCP port 7 of h1: ")):
        with pytest.raises(NetworkError, match=f"{expected}Address already in use"):
            net.host("h1").run(Echo(), **ports)
    first.stop()
    again = net.host("h1").run(Echo(), udp=7, tcp=7)
    with pytest.raises(NetworkError, match="Message too long"):
        again.send_udp("h2", 7, bytes(70_000))
    again.stop()


def test_a_port_that_is_in_use_in_one_family_is_taken_in_none(namespaces: list[str]):
    topology = weir.Topology()
    topology.add_host("h1", ip="10.0.0.1/24", ip6="2001:db8::1/64")
    topology.add_host("h2", ip="10.0.0.2/24")
    topology.add_link("h1", "h2")
    with weir.Network(topology, world="linux") as net:
        program = net.host("h1").run(Echo())
        with net._core.namespaces.open("h1", socket.AF_INET6, socket.SOCK_STREAM, ("", 7)) as taken:
            taken.listen()
            with pytest.raises(NetworkError, match="TCP port 7 of h1: Address already in use"):
                program.listen(7)
        program.listen(7)


class Caller(Client):
    """Does the same over IPv6, with a byte on the connection."""

    def on_timer(self, token: object) -> None:
        self.data = b"x"
        self.send_udp("2001:db8::2", 7, b"abc")
        self.send_udp("2001:db8::2", 9, b"nobody")
        self.connect("2001:db8::2", 7)


def test_programs_use_ipv6_as_in_the_virtual_world(namespaces: list[str]):
    topology = weir.Topology()
    topology.add_switch("s1")
    for number in (1, 2):
        topology.add_host(f"h{number}", ip=f"10.0.0.{number}/24", ip6=f"2001:db8::{number}/64")
        topology.add_link(f"h{number}", "s1", delay="1ms")
    values = {}
    for world in ("virtual", "linux"):
        with weir.Network(topology, world=world) as net:
            echo = net.host("h2").run(Echo(), udp=7, tcp=7)
            caller = net.host("h1").run(Caller(), udp=5000)
            until(net, lambda caller=caller, echo=echo: len(caller.log) == 3 and len(echo.log) == 3)
            values[world] = set(caller.log), set(echo.log)
    assert values["linux"] == values["virtual"]
    assert ("2001:db8::2", 1, 4, 5000, b"nobody") in values["linux"][0]


class Endless(weir.HostProgram):
    """Sends itself a datagram for each that arrives; after very many it gives up."""

    LIMIT = 50_000

    def __init__(self) -> None:
        self.count = 0

    def start(self) -> None:
        self.send_udp("h2", 7, b"again")

    def on_datagram(self, datagram: weir.Datagram) -> None:
        self.count += 1
        if self.count < self.LIMIT:
            self.send_udp("h2", 7, b"again")


def test_runs_end_while_datagrams_arrive(net: weir.Network):
    program = net.host("h2").run(Endless(), udp=7, tcp=7)
    net.run_for("20ms")
    program.stop()
    assert 0 < program.count < program.LIMIT


@pytest.fixture
def pair(namespaces: list[str]) -> Iterator[weir.Network]:
    """A network of two hosts and a link, which tests close."""
    topology = weir.Topology()
    for number in (1, 2):
        topology.add_host(f"h{number}", ip=f"10.0.0.{number}/24")
    topology.add_link("h1", "h2")
    with weir.Network(topology, world="linux") as network:
        yield network


def test_a_filter_that_cannot_be_read_leaves_nothing_open(pair: weir.Network):
    with pytest.raises(NetworkError, match="bogus"):
        pair.host("h2").run(Frames(), frames="bogus filter")
    folder = pair._core.folder
    pair.close()
    assert not folder.exists()


class Last(Echo):
    """Closes the network when a datagram arrives, and then uses it."""

    def start(self) -> None:
        self.connection = self.connect("h1", 7)
        self.send_udp("h2", 7, b"now")

    def on_datagram(self, datagram: weir.Datagram) -> None:
        self.network.close()
        for use in (
            lambda: self.send_udp("h2", 7, b"late"),
            lambda: self.connection.send(b"late"),
            lambda: self.connection.info,
        ):
            with pytest.raises(NetworkError, match="the network is closed"):
                use()
        self.log.append("closed")


def test_a_callback_can_close_the_network(pair: weir.Network):
    program = pair.host("h2").run(Last(), udp=7, tcp=7, frames=True)
    pair.run_for("10s")
    assert program.log == ["closed"]
    assert pair.now < 5
