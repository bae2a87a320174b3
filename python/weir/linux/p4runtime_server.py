"""P4Runtime servers of a network's switches at addresses of this computer, for other controllers.

A switch listens at a socket in the file system, the only kind of socket that can be reached from
outside its namespace. gRPC's own clients cannot use such a socket: they send the file's name as the
host that they want to reach. It is not a valid host name, so the server refuses it.
"""

from __future__ import annotations

import contextlib
import errno
import socket
import threading
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from weir.errors import NetworkError
from weir.linux.network import refuse_virtual_only
from weir.p4runtime.server import LostMessages, Server, ServerOptions
from weir.text.address import split_port

if TYPE_CHECKING:
    from typing import NoReturn

    from weir.linux.switch import SwitchProcess

_CHUNK_BYTES = 1 << 16
_MAX_CONNECTIONS: Final = 600
"""The maximum number of connections of a forwarder. The switch accepts fewer, and decides which of
them stay."""


class PortForwarder:
    """A TCP port that forwards its connections to a Unix domain socket.

    Args:
        address: ``IP:PORT``; port 0 chooses any free port.
        path: the path of the socket.

    Attributes:
        address: the address, with the port that was chosen.

    Raises:
        NetworkError: the address cannot be used.
    """

    def __init__(self, address: str, path: str) -> None:
        parts = split_port(address)
        if parts is None or not parts[0]:
            raise NetworkError(f'p4runtime: expected an address such as "127.0.0.1:9559", found "{address}"')
        host, number = address.rpartition(":")[0], parts[1]
        self._path = path
        self._open: set[socket.socket] = set()
        try:
            self._listener = socket.create_server((host.strip("[]"), number), family=_address_family(host))
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else None
            raise NetworkError(f"p4runtime: {address}: {reason or error}") from None
        self.address = f"{host}:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        """Ends all connections, and stops listening."""
        for sock in (self._listener, *tuple(self._open)):
            # Shutting down the listening socket wakes the thread that waits for connections.
            with contextlib.suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)
            sock.close()

    def _accept(self) -> None:
        while True:
            try:
                outside, _ = self._listener.accept()
            except OSError as error:
                if error.errno in (errno.EMFILE, errno.ENFILE):
                    time.sleep(0.05)
                    continue
                return
            if len(self._open) >= 2 * _MAX_CONNECTIONS:
                outside.close()
                continue
            inside = socket.socket(socket.AF_UNIX)
            try:
                inside.connect(self._path)
                outside.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            except OSError:
                # The switch has ended, so its socket refuses the connection.
                inside.close()
                outside.close()
                continue
            self._open |= {inside, outside}
            for pair in ((inside, outside), (outside, inside)):
                threading.Thread(target=self._copy_bytes, args=pair, daemon=True).start()

    def _copy_bytes(self, source: socket.socket, target: socket.socket) -> None:
        """Copies bytes from one socket to the other until the source has no more; then closes
        both."""
        with contextlib.suppress(OSError):
            while data := source.recv(_CHUNK_BYTES):
                target.sendall(data)
        for sock in (source, target):
            with contextlib.suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)
            sock.close()
            self._open.discard(sock)


class LinuxServer(Server):
    """The P4Runtime servers of all switches, each at an address of its own.

    Args:
        switches: the switches, by name.
        options: how controllers reach the servers.

    Raises:
        NetworkError: an address cannot be used, or an option is not for the Linux world.
    """

    def __init__(self, switches: Mapping[str, SwitchProcess], options: ServerOptions) -> None:
        check_options(options)
        self.options = options
        self._forwarders: dict[str, PortForwarder] = {}
        self._devices = {name: switch.device for name, switch in switches.items()}
        try:
            for address, (name, switch) in zip(
                options.addresses(len(switches)), switches.items(), strict=True
            ):
                self._forwarders[name] = PortForwarder(address, switch.address.removeprefix("unix:"))
        except NetworkError:
            self.close()
            raise

    def address(self, switch: str) -> str:
        """Returns the address at which controllers reach a switch; see :meth:`Server.address`."""
        self._check_switch(switch)
        return self._forwarders[switch].address

    def device_id(self, switch: str) -> int:
        """Returns the device id of a switch; see :meth:`Server.device_id`."""
        self._check_switch(switch)
        return self._devices[switch]

    def controllers(self, switch: str) -> NoReturn:
        """Refuses the call, because a switch process does not report its controllers."""
        refuse_virtual_only("the list of a switch's controllers", "ask them, or read the switch's log")

    def lost(self, switch: str) -> LostMessages:
        """Refuses the call, because a switch process does not report lost messages."""
        refuse_virtual_only("counts of messages that no controller got", 'use world="virtual"')

    def close(self) -> None:
        """Ends all connections of controllers."""
        for forwarder in self._forwarders.values():
            forwarder.close()

    def _check_switch(self, switch: str) -> None:
        if switch not in self._forwarders:
            raise NetworkError(f'p4runtime: there is no switch "{switch}" ({", ".join(self._forwarders)})')

    def __repr__(self) -> str:
        return f"<weir.p4runtime.Server {', '.join(forwarder.address for forwarder in self._forwarders.values())}>"


def check_options(options: ServerOptions) -> None:
    """Refuses options that P4Runtime servers of the Linux world do not have.

    Raises:
        NetworkError: such an option is set.
    """
    if not options.port_each:
        raise NetworkError(
            "p4runtime: in the Linux world each switch needs a port of its own: "
            'weir.ServerOptions("127.0.0.1:50051", port_each=True), or --port-each'
        )
    for name in ("tls", "texts", "lockstep"):
        if getattr(options, name):
            refuse_virtual_only(f"{name} of P4Runtime servers", "leave it out")
    host = options.address.rpartition(":")[0].strip("[]")
    if not options.plaintext and not (host.startswith("127.") or host in ("::1", "localhost")):
        raise NetworkError(
            f"p4runtime: other computers may reach {options.address}, and it has no TLS: use "
            "127.0.0.1, or say plaintext"
        )


def _address_family(host: str) -> socket.AddressFamily:
    return socket.AF_INET6 if ":" in host else socket.AF_INET
