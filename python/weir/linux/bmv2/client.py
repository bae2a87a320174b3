"""A connection to the Thrift services of a ``simple_switch``."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING, Any

from weir.bmv2.idl import services
from weir.errors import ControlError

if TYPE_CHECKING:
    from collections.abc import Callable

_TIMEOUT_MS = 20_000


class Client:
    """A connection to the Thrift services of a ``simple_switch``.

    Args:
        name: the name of the switch, for messages.
        sock: a socket that is connected to the services' port.
    """

    def __init__(self, name: str, sock: socket.socket) -> None:
        from thriftpy2.protocol import TBinaryProtocol, TMultiplexedProtocol
        from thriftpy2.thrift import TClient
        from thriftpy2.transport import TBufferedTransport, TSocket

        types = services()
        self._name, self._socket = name, sock
        sock.settimeout(_TIMEOUT_MS / 1000)
        protocol = TBinaryProtocol(TBufferedTransport(TSocket(sock=sock, socket_timeout=_TIMEOUT_MS)))
        self._services = {
            service: TClient(kind, TMultiplexedProtocol(protocol, service))
            for service, kind in (("standard", types.Standard), ("simple_switch", types.SimpleSwitch))
        }

    def is_ready(self) -> bool:
        """Returns whether all services answer.

        ``simple_switch`` opens its port before it adds the service of its own name; until then, it
        refuses calls of this service and closes the connection.
        """
        from thriftpy2.thrift import TException

        try:
            self._services["simple_switch"].get_time_elapsed_us()
        except (TException, OSError):
            return False
        return True

    def standard(self, call: str, *arguments: Any) -> Any:
        """Calls a function of the service ``standard``.

        Raises:
            ControlError: the switch refuses the call, or does not answer.
        """
        return self._call("standard", call, arguments)

    def simple_switch(self, call: str, *arguments: Any) -> Any:
        """Calls a function of the service ``simple_switch``; see :meth:`standard`."""
        return self._call("simple_switch", call, arguments)

    def close(self) -> None:
        """Ends the connection."""
        self._socket.close()

    def _call(self, service: str, call: str, arguments: tuple[Any, ...]) -> Any:
        from thriftpy2.thrift import TException

        function: Callable[..., Any] = getattr(self._services[service], call)
        try:
            return function(*arguments)
        except (TException, OSError) as error:
            code = getattr(error, "code", None)
            names = getattr(type(error), "thrift_spec", {}).get(1)
            code_name = names[2]._VALUES_TO_NAMES.get(code, code) if code is not None and names else error
            raise ControlError(f"{self._name}: simple_switch refuses {call}: {code_name}") from None
