"""The sockets whose events a :class:`weir.HostProgram` on a real host receives."""

from __future__ import annotations

import select
import socket
from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from weir.errors import NetworkError

if TYPE_CHECKING:
    from weir.linux.network_base import NetworkBase

BATCH: Final = 1024
"""The maximum number of packets that are read from a socket at once. The program handles them
before the next packets are read."""


class Source(ABC):
    """Sockets in a node that this process reads while the network runs.

    Args:
        network: the network that contains the node.
        node: the node.

    Attributes:
        polls: whether events may occur that do not make a file descriptor readable.
        is_open: whether the sockets can be used.
    """

    def __init__(self, network: NetworkBase, node: str) -> None:
        self.network, self.node = network, node
        self.polls = False
        self.is_open = True
        self.ready = select.epoll()
        network.sources.append(self)

    def fileno(self) -> int:
        """Returns the file descriptor that becomes readable when something has happened."""
        return self.ready.fileno()

    @property
    def families(self) -> list[int]:
        """The address families in which the node has addresses."""
        host = self.network.topology.hosts[self.node]
        has_ipv6 = any(
            ":" in address.address for interface in host.interfaces for address in interface.addresses
        )
        return [socket.AF_INET, socket.AF_INET6] if has_ipv6 else [socket.AF_INET]

    @abstractmethod
    def sockets(self) -> Iterable[socket.socket]:
        """Returns all sockets of this source."""

    def check_open(self) -> None:
        """Refuses calls when the sockets are closed.

        Raises:
            NetworkError: the network is closed.
        """
        if not self.is_open:
            raise NetworkError("the network is closed")

    def close_sockets(self) -> None:
        """Closes all sockets, as if the process had exited."""
        if self.is_open:
            self.is_open = False
            for sock in self.sockets():
                sock.close()
            self.network.sources.remove(self)
            self.ready.close()


def family_of(address: str) -> int:
    """Returns the address family of an IP address, ``AF_INET`` or ``AF_INET6``."""
    return socket.AF_INET6 if ":" in address else socket.AF_INET
