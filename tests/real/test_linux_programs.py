"""Programs of the class HostProgram on hosts of the Linux world."""

import socket
import struct
from collections.abc import Iterator

import pytest
from linux_networks import eventually

import weir
from weir.errors import NetworkError
from weir.hostprogram import IcmpError

pytestmark = pytest.mark.usefixtures("namespaces")

SO_MAX_PACING_RATE = 47
"""Bytes per second (asm-generic/socket.h)."""


class Echo(weir.HostProgram):
    """Answers datagrams, and returns what connections bring."""

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
    """Sends a datagram and a megabyte, and one datagram to a port where nobody listens."""

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


def until(net: weir.Network, condition) -> None:
    """Lets time pass until something has happened."""
    eventually(lambda: (net.run_for("5ms"), condition())[1])


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


class Resetting(weir.HostProgram):
    def __init__(self) -> None:
        self.reasons: list[str] = []

    def on_data(self, connection: weir.Connection, data: bytes) -> None:
        connection.reset()

    def on_close(self, connection: weir.Connection, reason: str) -> None:
        self.reasons.append(reason)


class Pausing(Resetting):
    """Reads nothing for a while; then more than the peer's window has come."""

    def __init__(self) -> None:
        super().__init__()
        self.received = 0

    def on_accept(self, connection: weir.Connection) -> None:
        connection.pause()
        self.connection = connection
        self.after("100ms")

    def on_timer(self, token: object) -> None:
        self.received_before = self.received
        self.connection.resume()

    def on_data(self, connection: weir.Connection, data: bytes) -> None:
        self.received += len(data)


class Talking(Resetting):
    def __init__(self, port: int) -> None:
        super().__init__()
        self.port = port

    def start(self) -> None:
        self.after("1ms")

    def on_timer(self, token: object) -> None:
        self.connect("h2", self.port)

    def on_connect(self, connection: weir.Connection) -> None:
        connection.send(bytes(1000))
        if self.port == 8:
            connection.close()


def test_connections_are_reset_and_paused(net: weir.Network):
    h1, h2 = net.host("h1"), net.host("h2")
    resetting, talking = h2.run(Resetting(), tcp=7), h1.run(Talking(7))
    pausing, patient = h2.run(Pausing(), tcp=8), h1.run(Talking(8))
    until(net, lambda: talking.reasons and patient.reasons and pausing.reasons)
    assert (resetting.reasons, talking.reasons) == (["aborted"], ["reset"])
    assert (pausing.received_before, pausing.received, pausing.reasons) == (0, 1000, ["closed"])
    for program in (resetting, talking, pausing, patient):
        program.stop()


class Filling(Talking):
    """Sends as much as there is space for."""

    def on_connect(self, connection: weir.Connection) -> None:
        self.on_writable(connection)

    def on_writable(self, connection: weir.Connection) -> None:
        while connection.send(bytes(1 << 20)):
            pass


def test_a_reset_ends_a_connection_whose_send_buffer_is_full(net: weir.Network):
    resetting, filling = net.host("h2").run(Resetting(), tcp=7), net.host("h1").run(Filling(7))
    until(net, lambda: filling.reasons and resetting.reasons)
    assert (resetting.reasons, filling.reasons) == (["aborted"], ["reset"])
    resetting.stop()
    filling.stop()


class Closing(Resetting):
    """Closes connections at once."""

    def on_accept(self, connection: weir.Connection) -> None:
        connection.close()


class Leaving(Closing):
    """Resets them later, too."""

    def on_accept(self, connection: weir.Connection) -> None:
        super().on_accept(connection)
        self.connection = connection
        self.after("20ms")

    def on_timer(self, token: object) -> None:
        self.connection.reset()


class Silent(Talking):
    """Neither sends nor closes."""

    def on_connect(self, connection: weir.Connection) -> None:
        pass

    def on_end(self, connection: weir.Connection) -> None:
        pass


def test_a_reset_after_the_peers_end_is_reported(net: weir.Network):
    leaving, talking = net.host("h2").run(Leaving(), tcp=7), net.host("h1").run(Silent(7))
    until(net, lambda: talking.reasons)
    assert talking.reasons == ["reset"]
    leaving.stop()
    talking.stop()


class LeavingUnread(Leaving):
    """Has not read what came when it resets them."""

    def on_accept(self, connection: weir.Connection) -> None:
        connection.pause()
        super().on_accept(connection)


def test_a_reset_after_both_ends_is_reported(net: weir.Network):
    leaving, filling = net.host("h2").run(LeavingUnread(), tcp=7), net.host("h1").run(Filling(7))
    until(net, lambda: filling.reasons)
    # It has closed, too, but the peer's window has no room for all that it has sent.
    assert filling.reasons == ["reset"]
    leaving.stop()
    filling.stop()


class Pacing(Silent):
    """Paces a connection, and reads the limit after each call."""

    def on_connect(self, connection: weir.Connection) -> None:
        (sock,) = self._running.sockets.sockets()
        self.limits = []
        for rate in ("1Mbit", "20Gbit", None):
            connection.pace(rate)
            self.limits += struct.unpack("=I", sock.getsockopt(socket.SOL_SOCKET, SO_MAX_PACING_RATE, 4))
        connection.reset()


def test_a_connection_is_paced_at_any_rate_or_none(net: weir.Network):
    closing, pacing = net.host("h2").run(Closing(), tcp=7), net.host("h1").run(Pacing(7))
    until(net, lambda: pacing.reasons and closing.reasons)
    assert pacing.limits == [125_000, 2_500_000_000, 0xFFFFFFFF]
    closing.stop()
    pacing.stop()


class Hasty(Silent):
    """Sends and closes before the connection is open."""

    def on_timer(self, token: object) -> None:
        connection = self.connect("h2", self.port, window="300kB")
        space = connection.send_space
        self.accepted = connection.send(bytes(1 << 20))
        assert (self.accepted, connection.send_space) == (space, 0)
        connection.close()
        self.connect("h2", self.port).close()


class Counting(Pausing):
    def on_accept(self, connection: weir.Connection) -> None:
        pass


def test_connections_take_bytes_and_their_end_before_they_are_open(net: weir.Network):
    counting, hasty = net.host("h2").run(Counting(), tcp=7), net.host("h1").run(Hasty(7))
    until(net, lambda: len(hasty.reasons) == len(counting.reasons) == 2)
    assert hasty.reasons == counting.reasons == ["closed"] * 2
    assert counting.received == hasty.accepted > 10_000
    counting.stop()
    hasty.stop()


class PausingAndClosed(Pausing):
    def on_accept(self, connection: weir.Connection) -> None:
        super().on_accept(connection)
        connection.close()

    def on_timer(self, token: object) -> None:
        self.ready_before = self._running.sockets.ready.poll(0)
        super().on_timer(token)


def test_a_paused_connection_waits_though_both_ends_have_closed(net: weir.Network):
    pausing, talking = net.host("h2").run(PausingAndClosed(), tcp=8), net.host("h1").run(Talking(8))
    until(net, lambda: pausing.reasons and talking.reasons)
    # Nothing wakes the process up meanwhile.
    assert (pausing.ready_before, pausing.received_before, pausing.received) == ([], 0, 1000)
    pausing.stop()
    talking.stop()


class Ended(Silent):
    """Closes a connection whose peer has closed it, and then looks at what it waits for."""

    def on_end(self, connection: weir.Connection) -> None:
        connection.close()
        self.ready_after = self._running.sockets.ready.poll(0)


def test_nothing_is_ready_until_the_peer_has_acknowledged_the_end(net: weir.Network):
    closing, ended = net.host("h2").run(Closing(), tcp=7), net.host("h1").run(Ended(7))
    until(net, lambda: ended.reasons and closing.reasons)
    assert (ended.ready_after, ended.reasons, closing.reasons) == ([], ["closed"], ["closed"])
    closing.stop()
    ended.stop()


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
    """The same by IPv6, with a byte on the connection."""

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
    found = {}
    for world in ("virtual", "linux"):
        with weir.Network(topology, world=world) as net:
            echo = net.host("h2").run(Echo(), udp=7, tcp=7)
            caller = net.host("h1").run(Caller(), udp=5000)
            until(net, lambda caller=caller, echo=echo: len(caller.log) == 3 and len(echo.log) == 3)
            found[world] = set(caller.log), set(echo.log)
    assert found["linux"] == found["virtual"]
    assert ("2001:db8::2", 1, 4, 5000, b"nobody") in found["linux"][0]


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
    """Two hosts and the link between them, to close."""
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
    """Closes the network at a datagram, and then uses it."""

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
