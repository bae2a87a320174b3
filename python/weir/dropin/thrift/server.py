"""The server of the services: a thread for each client."""

from __future__ import annotations

import contextlib
import socket
import threading
from typing import Any

from weir import _core
from weir.control.switch import Switch
from weir.dropin.thrift.failing import served
from weir.dropin.thrift.idl import services
from weir.dropin.thrift.simple_switch import Commands, Multicast, SimpleSwitch
from weir.dropin.thrift.standard import Ports, Standard


class Server:
    """Services that are being served.

    Attributes:
        port: the TCP port that listens.
    """

    def __init__(self, listener: socket.socket, processor: Any) -> None:
        self.port: int = listener.getsockname()[1]
        self._listener = listener
        self._processor = processor
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        """Accepts no more clients. Those that are connected stay."""
        # Closing alone would not wake the thread that accepts.
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=_answer, args=(client, self._processor), daemon=True).start()


def serve(core: _core.Switch, ports: Ports, address: str = "0.0.0.0") -> Server:
    """Serves BMv2's services on a switch, in threads of their own.

    Args:
        core: the switch.
        ports: what the services say of it. Any free TCP port is taken if theirs is 0.
        address: the IP address that listens.

    Raises:
        MissingExtraError: the library thriftpy2 is not installed.
        OSError: the port is taken.
    """
    from weir.network import Profile
    from weir.network.build import no_program

    types = services()
    # Its passes take as long as they take.
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
        calls = {call: staticmethod(served(call, getattr(handler, call))) for call in service.thrift_services}
        processor.register_processor(name, TProcessor(service, type(name, (), calls)))
    return processor


def _answer(client: socket.socket, processor: Any) -> None:
    """Answers a client's calls until it goes."""
    from thriftpy2.protocol import TBinaryProtocol
    from thriftpy2.thrift import TException
    from thriftpy2.transport import TBufferedTransport, TSocket, TTransportException

    transport = TBufferedTransport(TSocket(sock=client))
    protocol = TBinaryProtocol(transport)
    try:
        while True:
            processor.process(protocol, protocol)
    except (TTransportException, TException, OSError, AttributeError, ValueError):
        # It has gone, or does not speak this protocol, or calls what the protocol does not have.
        pass
    finally:
        transport.close()
