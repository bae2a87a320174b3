"""The server of the Thrift services, with a thread for each client."""

from __future__ import annotations

import contextlib
import errno
import socket
import threading
import time
from typing import Any

from weir import _core
from weir.bmv2.failing import with_exceptions
from weir.bmv2.idl import services
from weir.control.switch import Switch
from weir.dropin.thrift.simple_switch import Commands, Multicast, SimpleSwitch
from weir.dropin.thrift.standard import Ports, Standard

LONGEST_CALL = 16 << 20
"""The maximum size of a call in bytes."""


class Server:
    """A running server of the Thrift services.

    Attributes:
        port: the TCP port on which the server listens.
    """

    def __init__(self, listener: socket.socket, processor: Any) -> None:
        self.port: int = listener.getsockname()[1]
        self._listener = listener
        self._processor = processor
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        """Stops accepting clients. Connected clients stay connected."""
        # Closing alone would not wake the thread that accepts.
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError as error:
                if error.errno in (errno.EBADF, errno.EINVAL):
                    # The listener is closed.
                    return
                # There may be too many open files for now.
                time.sleep(0.1)
                continue
            try:
                client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                threading.Thread(target=_answer, args=(client, self._processor), daemon=True).start()
            except (OSError, RuntimeError):
                # The client has disconnected, or the process has too many threads.
                client.close()
                time.sleep(0.1)


def serve(core: _core.Switch, ports: Ports, address: str = "0.0.0.0") -> Server:
    """Starts threads that serve BMv2's Thrift services for a switch.

    Args:
        core: the switch.
        ports: the switch's ports, number and TCP port of the services; 0 takes any free TCP port.
        address: the IP address on which to listen.

    Raises:
        MissingExtraError: the library thriftpy2 is not installed.
        OSError: the port is taken.
    """
    from weir.control.profile import Profile
    from weir.program import no_program

    types = services()
    # Pass times are not modelled; a pass takes as long as this computer needs.
    profile = Profile("the clock's", 0, 1)
    switch = Switch(core, f"device {ports.device_id}", no_program(), profile)
    handlers = {
        "standard": (types.Standard, Standard(switch, ports)),
        "simple_switch": (types.SimpleSwitch, SimpleSwitch(switch)),
        "simple_pre_lag": (types.Multicast, Multicast(switch)),
        "simple_pre": (types.Multicast, Multicast(switch)),
        "weir": (types.Commands, Commands(switch)),
    }
    processor = _processor(handlers)
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((address, ports.thrift_port))
        listener.listen()
    except OSError:
        listener.close()
        raise
    return Server(listener, processor)


def _processor(handlers: dict[str, tuple[Any, object]]) -> Any:
    from thriftpy2.thrift import TMultiplexedProcessor, TProcessor

    processor = TMultiplexedProcessor()
    for name, (service, handler) in handlers.items():
        calls = {
            call: staticmethod(with_exceptions(service, call, getattr(handler, call)))
            for call in service.thrift_services
        }
        processor.register_processor(name, TProcessor(service, type(name, (), calls)))
    return processor


class _Client:
    """A client's socket with thriftpy2's interface, and a limit on the size of a call."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self.left = LONGEST_CALL

    def read(self, size: int) -> bytes:
        """Reads at most ``size`` bytes.

        Raises:
            EOFError: the client has disconnected, or its call is too long.
        """
        data = self._connection.recv(min(size, self.left, 1 << 16))
        self.left -= len(data)
        if not data:
            raise EOFError
        return data

    def write(self, data: bytes) -> None:
        """Sends bytes."""
        self._connection.sendall(data)

    def flush(self) -> None:
        """Does nothing, because :meth:`write` sends at once."""

    def close(self) -> None:
        """Closes the socket."""
        self._connection.close()


def _answer(connection: socket.socket, processor: Any) -> None:
    """Answers a client's calls until the client disconnects."""
    from thriftpy2.protocol import TBinaryProtocol
    from thriftpy2.transport import TBufferedTransport

    client = _Client(connection)
    protocol = TBinaryProtocol(TBufferedTransport(client))
    # The loop ends when the client disconnects or uses another protocol. Malformed bytes make the
    # library raise almost any exception; calls report their own errors.
    with contextlib.suppress(Exception):
        while True:
            client.left = LONGEST_CALL
            processor.process(protocol, protocol)
    client.close()
