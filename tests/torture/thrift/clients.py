"""Clients that send a server hostile calls."""

from __future__ import annotations

import contextlib
import functools
import random
import socket
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from thriftpy2.protocol import TBinaryProtocol, TMultiplexedProtocol
from thriftpy2.thrift import TApplicationException, TClient, TException
from thriftpy2.transport import TBufferedTransport, TMemoryBuffer, TSocket

from torture.case import Case, Failed
from torture.switch import Watched, fresh, outcome, state
from torture.thrift.values import SERVICES, call
from weir.bmv2.idl import services
from weir.control import Switch
from weir.dropin.thrift import Ports, serve

_CALLS = 10
_SECONDS = 30.0
"""The time until an answer is missing."""


def calls(chance: random.Random) -> Case:
    """Calls with arguments of the right types. A refused call changes nothing."""
    requests = [call(chance) for _ in range(_CALLS)]

    def run(folder: Path) -> str:
        accepted = refused = 0
        with _served() as (switch, port), _connected(port) as protocol:
            watched = Watched(switch)
            for request in requests:
                act = functools.partial(_call, protocol, *request)
                if watched.changed(act, request):
                    accepted += 1
                else:
                    refused += 1
        return outcome(accepted, refused)

    return Case("calls", run, {"calls.txt": _text(requests)})


def damaged(chance: random.Random) -> Case:
    """Calls with damaged bytes, and any bytes. The server answers the next client."""
    content = b"".join(encoded(*call(chance)) for _ in range(chance.choice([1, 1, 3])))
    form = chance.randrange(8)
    if form == 0:
        content = chance.randbytes(chance.choice([1, 4, 100, 5000]))
    elif form == 1:
        # A version, a call, and lengths that nothing follows.
        content = b"\x80\x01\0\x01" + chance.choice([b"\x7f\xff\xff\xff", b"\xff\xff\xff\xff", bytes(4)]) * 3
    elif form == 2:
        # Structures in structures.
        content = encoded("standard", "bm_get_config", {"cxt_id": 0})[:-1] + b"\x0c\0\x07" * 5000
    for _ in range(chance.choice([0, 1, 1, 2, 5])):
        place = chance.randrange(len(content))
        new = chance.choice([chance.randbytes(1), b"\x7f\xff\xff\xff", b"\xff\xff\xff\xff", bytes(4)])
        content = content[:place] + new + content[place + chance.choice([len(new), len(new), 0, 9]) :] + b"\0"
    if chance.random() < 0.3:
        content = content[: chance.randrange(len(content))]
    pause = chance.random() < 0.2

    def run(folder: Path) -> str:
        with _served() as (switch, port):
            answered = _exchange(port, content, pause)
            state(switch)
            with _connected(port) as protocol:
                if not _call(protocol, "simple_switch", "get_time_elapsed_us", {}):
                    raise Failed("the server refuses the client after the damaged bytes")
        return "answered" if answered else "closed"

    return Case("damaged", run, {"bytes.bin": content})


def several(chance: random.Random) -> Case:
    """Clients that call at the same time, and come and go."""
    lists = [[call(chance) for _ in range(_CALLS)] for _ in range(6)]

    def run(folder: Path) -> str:
        failures: list[BaseException] = []
        done = refused = 0

        def work(port: int, requests: list[Any]) -> None:
            nonlocal done, refused
            try:
                for half in (requests[: _CALLS // 2], requests[_CALLS // 2 :]):
                    with _connected(port) as protocol:
                        for request in half:
                            if _call(protocol, *request):
                                done += 1
                            else:
                                refused += 1
            except BaseException as failure:
                failures.append(failure)

        with _served() as (switch, port):
            threads = [threading.Thread(target=work, args=(port, requests)) for requests in lists]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            state(switch)
        if failures:
            raise failures[0]
        return outcome(done, refused)

    return Case("several", run, {"calls.txt": "\n".join(map(_text, lists))})


def _text(requests: list[tuple[str, str, dict[str, Any]]]) -> str:
    return "".join(f"{name}.{method}({arguments})\n" for name, method, arguments in requests)


@contextlib.contextmanager
def _served() -> Iterator[tuple[Switch, int]]:
    """A switch and the port at which it is served."""
    switch = fresh()
    server = serve(switch._core, Ports({1: "lo", 2: "no-such"}, 7, 0), "127.0.0.1")
    try:
        yield switch, server.port
    finally:
        server.close()


@contextlib.contextmanager
def _connected(port: int) -> Iterator[Any]:
    connection = TSocket("127.0.0.1", port, socket_timeout=int(_SECONDS * 1000))
    transport = TBufferedTransport(connection)
    transport.open()
    try:
        yield TBinaryProtocol(transport)
    finally:
        transport.close()


def _call(protocol: Any, name: str, method: str, arguments: dict[str, Any]) -> bool:
    """Makes a call; returns whether it succeeded.

    It may fail only with an exception that says why.
    """
    service = getattr(services(), SERVICES[name])
    client = TClient(service, TMultiplexedProtocol(protocol, name))
    try:
        getattr(client, method)(**arguments)
    except TApplicationException as error:
        why = error.message or ""
        # A call that returns nothing has no result to miss.
        if error.type == TApplicationException.MISSING_RESULT:
            return True
        if "a bug in Weir" in why or not why:
            raise Failed(f"{name}.{method}({arguments}): {why}"[:3000]) from None
        return False
    except TException as error:
        why = getattr(error, "why", "")
        if not why or "\n" in why or len(why) > 3000:
            raise Failed(f"{name}.{method}({arguments}): {why[:500]!r}"[:3000]) from None
        return False
    except OSError as error:
        raise Failed(f"{name}.{method}({arguments}): {error}"[:3000]) from None
    return True


def encoded(name: str, method: str, arguments: dict[str, Any]) -> bytes:
    """The bytes of a call."""
    buffer = TMemoryBuffer()
    client = TClient(getattr(services(), SERVICES[name]), TMultiplexedProtocol(TBinaryProtocol(buffer), name))
    client._send(method, **arguments)
    return bytes(buffer.getvalue())


def _exchange(port: int, content: bytes, pause: bool) -> bool:
    """Sends bytes and reads to the end. Returns whether anything was answered."""
    with socket.create_connection(("127.0.0.1", port), timeout=_SECONDS) as connection:
        answered = False
        with contextlib.suppress(OSError):  # The server may close it at any time.
            half = len(content) // 2 if pause else 0
            for part in (content[:half], content[half:]):
                connection.sendall(part)
            connection.shutdown(socket.SHUT_WR)
            while data := connection.recv(1 << 16):
                answered = answered or bool(data)
    return answered
