"""The server of the services: one thread for all clients, and a few that answer calls."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

from weir import _core
from weir.bmv2.failing import with_exceptions
from weir.bmv2.idl import services
from weir.control.switch import Switch
from weir.dropin.thrift.calls import CallReader, NotACallError
from weir.dropin.thrift.places import Places
from weir.dropin.thrift.simple_switch import Commands, Multicast, SimpleSwitch
from weir.dropin.thrift.standard import Ports, Standard

LOOPBACK: Final = "127.0.0.1"
"""The IP address at which the server listens by default."""

_THREADS: Final = 4
"""The maximum number of calls that are answered at the same time."""
_READ_TIMEOUT_S: Final = 30.0
"""The time in seconds that a client may take to read the next part of an answer."""
_LOG_INTERVAL_S: Final = 10.0
"""The minimum time in seconds between two log lines about clients that were disconnected."""

_DISPLACED: Final = "made room for newer ones before their first call"
_IDLE: Final = "were idle and made room for others"
_REFUSED: Final = "sent something other than a call, too much, or too slowly"
_DESCRIPTORS: Final = "were closed because the process has no file descriptors left"


class Server:
    """A running server of the Thrift services.

    Args:
        listener: the socket that listens.
        processor: the object that answers calls.
        log: a function that receives a line when clients were disconnected.

    Attributes:
        port: the TCP port at which the server listens.
        accepted: the number of clients that have connected so far.
        closed: the number of clients that the server has disconnected so far, by reason.
    """

    def __init__(self, listener: socket.socket, processor: Any, log: Callable[[str], None]) -> None:
        self.port: int = listener.getsockname()[1]
        self.accepted = 0
        self.closed: Counter[str] = Counter()
        self._listener = listener
        self._processor = processor
        self._log = log
        self._logged: Counter[str] = Counter()
        self._next_line = 0.0
        self._places: Places[asyncio.Task[None]] = Places()
        self._clients: set[asyncio.Task[None]] = set()
        self._loop = asyncio.new_event_loop()
        self._stop = asyncio.Event()
        self._pool = ThreadPoolExecutor(_THREADS, "thrift")
        self._thread = threading.Thread(target=self._run, name="thrift", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Disconnects all clients."""
        with contextlib.suppress(RuntimeError):  # The event loop is already closed.
            self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self._loop) as runner:
            runner.run(self._serve())
        self._pool.shutdown(wait=False)

    async def _serve(self) -> None:
        self._listener.setblocking(False)
        self._listen()
        await self._stop.wait()
        self._loop.remove_reader(self._listener)
        self._listener.close()

    def _listen(self) -> None:
        if not self._stop.is_set():
            self._loop.add_reader(self._listener, self._accept)

    def _accept(self) -> None:
        """Accepts a client.

        This is a callback of the event loop, because a task that waits for clients could lose one
        when the task is cancelled.
        """
        try:
            connection, peer = self._listener.accept()
        except BlockingIOError:
            return
        except OSError as error:
            if error.errno in (errno.EMFILE, errno.ENFILE):
                self._disconnect(self._places.oldest(), _DESCRIPTORS)
            self._loop.remove_reader(self._listener)
            self._loop.call_later(0.05, self._listen)
            return
        connection.setblocking(False)
        self.accepted += 1
        client = self._loop.create_task(self._answer(connection))
        self._clients.add(client)
        client.add_done_callback(self._clients.discard)
        # A task that is cancelled before it starts does not close its connection.
        client.add_done_callback(lambda _: connection.close())
        client.add_done_callback(self._places.leave)
        self._disconnect(self._places.arrive(client, peer[0]), _DISPLACED)

    def _disconnect(self, client: asyncio.Task[None] | None, reason: str) -> None:
        if client is not None:
            client.cancel()
            self._count(reason)

    def _count(self, reason: str) -> None:
        self.closed[reason] += 1
        if time.monotonic() >= self._next_line:
            self._next_line = time.monotonic() + _LOG_INTERVAL_S
            # Disconnections within a short time are reported in one line.
            self._loop.call_later(0.5, self._log_disconnections)
            self._loop.call_later(_LOG_INTERVAL_S, self._log_disconnections)

    def _log_disconnections(self) -> None:
        new_count = self.closed - self._logged
        self._logged = self.closed.copy()
        if new_count:
            parts = ", ".join(f"{count} {reason}" for reason, count in new_count.items())
            self._log(f"Thrift clients were disconnected: {parts}")

    async def _answer(self, connection: socket.socket) -> None:
        """Answers a client's calls until the client disconnects."""
        try:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            reader, writer = await asyncio.open_connection(sock=connection)
        except OSError:
            connection.close()
            return
        # Answers are sent before the next call is read.
        writer.transport.set_write_buffer_limits(0)
        try:
            calls = CallReader(reader)
            while (call := await calls.next()) is not None:
                this = asyncio.current_task()
                assert this is not None
                self._disconnect(self._places.call(this), _IDLE)
                answer = await self._loop.run_in_executor(self._pool, answer_call, self._processor, call)
                if answer is None:
                    raise NotACallError
                for start in range(0, len(answer), 1 << 16):
                    writer.write(answer[start : start + (1 << 16)])
                    async with asyncio.timeout(_READ_TIMEOUT_S):
                        await writer.drain()
        except (NotACallError, TimeoutError):
            self._count(_REFUSED)
        except (OSError, RuntimeError):
            pass  # The client has disconnected, or the process ends.
        finally:
            writer.transport.abort()


def serve(
    core: _core.Switch,
    ports: Ports,
    address: str = LOOPBACK,
    log: Callable[[str], None] = lambda line: None,
) -> Server:
    """Serves BMv2's services on a switch, in threads of their own.

    Args:
        core: the switch.
        ports: the switch's ports, number and TCP port of the services; 0 takes any free TCP port.
        address: the IP address that listens; others than the default give control of the switch to
            everybody who reaches it.
        log: a function that receives a line when clients were disconnected to protect others.

    Raises:
        MissingExtraError: the library thriftpy2 is not installed.
        OSError: the port is taken, or no interface has the address.
    """
    answering = processor(core, ports)
    listener = socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((address, ports.thrift_port))
        listener.listen(128)
    except OSError:
        listener.close()
        raise
    return Server(listener, answering, log)


def processor(core: _core.Switch, ports: Ports) -> Any:
    """Returns the object that answers calls of BMv2's services on a switch.

    Args:
        core: the switch.
        ports: the switch's ports, number and TCP port of the services.

    Raises:
        MissingExtraError: the library thriftpy2 is not installed.
    """
    from weir.control.profile import Profile
    from weir.program import no_program

    types = services()
    # Pass times are not modelled; a pass takes as long as this computer needs.
    profile = Profile("the clock's", 0, 1)
    switch = Switch(core, f"device {ports.device_id}", no_program(), profile)
    return _multiplexed(
        {
            "standard": (types.Standard, Standard(switch, ports)),
            "simple_switch": (types.SimpleSwitch, SimpleSwitch(switch)),
            "simple_pre_lag": (types.Multicast, Multicast(switch)),
            "simple_pre": (types.Multicast, Multicast(switch)),
            "weir": (types.Commands, Commands(switch)),
        }
    )


def _multiplexed(handlers: dict[str, tuple[Any, object]]) -> Any:
    from thriftpy2.thrift import TMultiplexedProcessor, TProcessor

    processor = TMultiplexedProcessor()
    for name, (service, handler) in handlers.items():
        calls = {
            call: staticmethod(with_exceptions(service, call, getattr(handler, call)))
            for call in service.thrift_services
        }
        processor.register_processor(name, TProcessor(service, type(name, (), calls)))
    return processor


def answer_call(answering: Any, call: bytes) -> bytes | None:
    """Answers a call; returns ``None`` if its bytes are not a call."""
    from thriftpy2.protocol import TBinaryProtocol
    from thriftpy2.transport import TMemoryBuffer

    answer = TMemoryBuffer()
    try:
        answering.process(TBinaryProtocol(TMemoryBuffer(call)), TBinaryProtocol(answer))
    except Exception:
        # Hostile bytes make the library raise almost any exception; calls report their own errors.
        return None
    return bytes(answer.getvalue())
