"""How TCP connections of programs in the Linux world are reset, paused, paced and closed."""

import socket
import struct

import pytest
from linux_networks import until

import weir

pytestmark = pytest.mark.usefixtures("namespaces")

SO_MAX_PACING_RATE = 47
"""Bytes per second (asm-generic/socket.h)."""


class Resetting(weir.HostProgram):
    def __init__(self) -> None:
        self.reasons: list[str] = []

    def on_data(self, connection: weir.Connection, data: bytes) -> None:
        connection.reset()

    def on_close(self, connection: weir.Connection, reason: str) -> None:
        self.reasons.append(reason)


class Pausing(Resetting):
    """Reads nothing for a while, until more bytes than the receive window are waiting."""

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
    """Sends as much as fits into the send buffer."""

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
    """Closes connections at once, and resets them later."""

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
    """Leaves received data unread when it resets a connection."""

    def on_accept(self, connection: weir.Connection) -> None:
        connection.pause()
        super().on_accept(connection)


class FillingAtOnce(Filling):
    """A program whose first bytes do not fit into the peer's window."""

    def on_timer(self, token: object) -> None:
        self.connect("h2", self.port, window="300kB")


def test_a_reset_after_both_ends_is_reported(net: weir.Network):
    leaving, filling = net.host("h2").run(LeavingUnread(), tcp=7), net.host("h1").run(FillingAtOnce(7))
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
