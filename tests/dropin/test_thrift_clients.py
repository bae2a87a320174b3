"""Thrift clients that connect and do nothing, or send drops of bytes: others are served."""

import asyncio
import io
import resource
import socket
import struct
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import weir
from weir.topology import shapes

pytest.importorskip("thriftpy2", reason="needs thriftpy2, which is not installed")

from thriftpy2.protocol import TBinaryProtocol, TMultiplexedProtocol
from thriftpy2.thrift import TClient
from thriftpy2.transport import TBufferedTransport, TMemoryBuffer, TSocket

from weir.bmv2.idl import services
from weir.dropin.simple_switch import simple_switch_cli
from weir.dropin.thrift import Ports, calls, serve
from weir.dropin.thrift.calls import CallReader, NotACallError
from weir.dropin.thrift.places import Places, source_of
from weir.dropin.thrift.server import Server

CROWD = 3000


@pytest.fixture
def served() -> Iterator[tuple[Server, list[str]]]:
    """A switch that is served, and the lines that the server logs."""
    lines: list[str] = []
    program = weir.compile(Path(__file__).parent / "everything.p4")
    with weir.Network(shapes.star(2, routes=None), program) as net:
        server = serve(net.switch("s1")._core, Ports({1: "veth1"}, 7, 0), log=lines.append)
        yield server, lines
        server.close()


@pytest.fixture
def crowd() -> Iterator[int]:
    """More clients than usual: as many as this process may have sockets for."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = hard if hard != resource.RLIM_INFINITY else 2 * CROWD
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(most, 2 * CROWD)), hard))
    yield min(CROWD, (resource.getrlimit(resource.RLIMIT_NOFILE)[0] - 500) // 2)
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def encoded(name: str, call: str, *arguments: object) -> bytes:
    """The bytes of a call."""
    buffer = TMemoryBuffer()
    service = {"standard": services().Standard, "simple_switch": services().SimpleSwitch}[name]
    client = TClient(service, TMultiplexedProtocol(TBinaryProtocol(buffer), name))
    client._send(call, **dict(zip(["a", "b"], arguments, strict=False)))
    return bytes(buffer.getvalue())


def time_us(port: int) -> int:
    transport = TBufferedTransport(TSocket("127.0.0.1", port, socket_timeout=30_000))
    transport.open()
    client = TClient(
        services().SimpleSwitch, TMultiplexedProtocol(TBinaryProtocol(transport), "simple_switch")
    )
    try:
        return client.get_time_since_epoch_us()
    finally:
        transport.close()


def test_a_crowd_of_idle_clients_keeps_nobody_out(
    served: tuple[Server, list[str]], crowd: int, capsys, monkeypatch
):
    server, _ = served
    assert crowd >= 250, "too few file descriptors"
    idle = [socket.create_connection(("127.0.0.1", server.port), timeout=30) for _ in range(crowd)]
    assert time_us(server.port) > 0
    monkeypatch.setattr("sys.stdin", io.StringIO("show_tables\n"))
    assert simple_switch_cli(["--thrift-port", str(server.port)]) == 0
    assert "In.exactly" in capsys.readouterr().out
    assert server.accepted == crowd + 2
    assert server.closed == {"made room for newer ones before their first call": crowd - 63}
    for client in idle:
        client.close()


def test_clients_that_are_kept_make_room(served: tuple[Server, list[str]]):
    server, _ = served
    call = encoded("simple_switch", "get_time_elapsed_us")
    kept = []
    for _ in range(60):
        client = socket.create_connection(("127.0.0.1", server.port), timeout=30)
        client.sendall(call)
        assert client.recv(100)
        kept.append(client)
    assert server.closed == {"were idle and made room for others": 12}
    # The clients that were idle for the longest time.
    assert [client.recv(1) for client in kept[:12]] == [b""] * 12
    kept[12].sendall(call)
    assert kept[12].recv(100)
    for client in kept:
        client.close()


def test_drops_of_bytes_end_in_time(served: tuple[Server, list[str]], monkeypatch):
    monkeypatch.setattr(calls, "_CALL_TIMEOUT_S", 0.3)
    server, lines = served
    call = encoded("simple_switch", "get_time_elapsed_us")
    with socket.create_connection(("127.0.0.1", server.port), timeout=0.05) as client:
        for number in range(len(call) - 1):
            try:
                client.sendall(call[number : number + 1])
                assert client.recv(1) == b""
                break
            except TimeoutError:
                continue
            except OSError:
                break
        else:
            pytest.fail("the client is still connected")
    assert server.closed == {"sent something other than a call, too much, or too slowly": 1}
    assert time_us(server.port) > 0
    # Without a byte there is no deadline: clients may think before their first call.
    with socket.create_connection(("127.0.0.1", server.port), timeout=0.6) as client:
        with pytest.raises(TimeoutError):
            client.recv(1)
        client.sendall(call)
        assert client.recv(100)
    while not lines:
        time.sleep(0.01)
    assert lines == [
        "Thrift clients were disconnected: 1 sent something other than a call, too much, or too slowly"
    ]


def test_it_listens_for_this_computer_only(served: tuple[Server, list[str]]):
    assert served[0]._listener.getsockname()[0] == "127.0.0.1"


def test_the_oldest_newcomer_of_the_largest_source_leaves():
    places: Places[int] = Places(newcomers=4, places=8)
    assert places.arrive(0, "192.0.2.1") is None
    left = [places.arrive(number, "192.0.2.2") for number in range(1, 100)]
    assert left == [None] * 3 + list(range(1, 97))
    assert places.call(0) is None
    places.leave(98)
    assert places.arrive(100, "192.0.2.3") is None


def test_the_caller_that_is_idle_longest_leaves():
    places: Places[int] = Places(newcomers=4, places=8)

    def call(number: int, address: str) -> int | None:
        assert places.arrive(number, address) is None
        return places.call(number)

    assert call(0, "192.0.2.9") is None
    # A source has at most six.
    assert [call(number, "127.0.0.1") for number in range(1, 7)] == [None] * 6
    assert call(7, "127.0.0.2") == 1
    assert places.call(2) is None
    assert call(8, "::1") == 3
    assert call(9, "192.0.2.8") is None
    # If all places are taken, the client that has been idle for the longest time gives up its
    # place, whatever its source.
    assert call(10, "192.0.2.7") == 0
    assert places.call(0) is None, "it has left"
    assert places.oldest() == 4


@pytest.mark.parametrize(
    ("address", "source"),
    [
        ("127.0.0.2", "loopback"),
        ("::1", "loopback"),
        ("::ffff:127.0.0.1", "loopback"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("fe80::1%eth0", "fe80::/64"),
        ("2001:db8:0:1::2", "2001:db8:0:1::/64"),
    ],
)
def test_addresses_that_one_sender_can_choose_are_one_source(address: str, source: str):
    assert source_of(address) == source


def read(*pieces: bytes) -> list[bytes]:
    """The calls in bytes that arrive in pieces."""

    async def run() -> list[bytes]:
        reader = asyncio.StreamReader()
        answers = []

        async def feed() -> None:
            for piece in pieces:
                reader.feed_data(piece)
                await asyncio.sleep(0)
            reader.feed_eof()

        feeding = asyncio.create_task(feed())
        reading = CallReader(reader)
        while (call := await reading.next()) is not None:
            answers.append(call)
        await feeding
        return answers

    return asyncio.run(run())


def in_call(fields: bytes) -> bytes:
    return b"\x80\x01\x00\x01" + struct.pack(">i", 1) + b"x" + bytes(4) + fields + b"\0"


FIELDS = {
    "numbers": b"\x02\0\1\1" + b"\x06\0\2" + bytes(2) + b"\x08\0\3" + bytes(4) + b"\x0a\0\4" + bytes(8),
    "text": b"\x0b\0\1" + struct.pack(">i", 3) + b"\0\0\0",
    "list": b"\x0f\0\1\x0b" + struct.pack(">i", 2) + 2 * (struct.pack(">i", 1) + b"a"),
    "map": b"\x0d\0\1\x08\x0c" + struct.pack(">i", 2) + 2 * (bytes(4) + b"\x02\0\1\1\0"),
    "set of lists": b"\x0e\0\1\x0f" + struct.pack(">i", 2) + 2 * (b"\x03" + struct.pack(">i", 1) + b"\7"),
    "nothing": b"",
}


@pytest.mark.parametrize("kind", FIELDS)
def test_calls_end_where_they_end(kind: str):
    call = in_call(FIELDS[kind])
    assert read(call) == [call]
    assert read(*(call[place : place + 1] for place in range(len(call)))) == [call]
    assert read(call + call[:7], call[7:] + call) == [call] * 3


@pytest.mark.parametrize(
    "content",
    [
        b"\0\0\0\1x",
        b"\x80\x02\0\1",
        b"\x80\x01\0\1\xff\xff\xff\xff",
        in_call(b"\x0b\0\1\x7f\xff\xff\xff"),
        in_call(b"\x0b\0\1\xff\xff\xff\xff"),
        in_call(b"\x0f\0\1\x02\x7f\xff\xff\xff"),
        in_call(b"\x0f\0\1\x0c" + struct.pack(">i", 1 << 17) + bytes(1 << 17)),
        in_call(b"\x0b\0\1" + struct.pack(">i", 1 << 20) + bytes(1 << 20)),
        in_call(b"\x0c\0\1" * 100 + bytes(100)),
        in_call(b"\x01\0\1"),
        in_call(b"")[:-1],
    ],
)
def test_bytes_that_are_not_a_call_are_refused(content: bytes):
    with pytest.raises(NotACallError):
        read(content)
