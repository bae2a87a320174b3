"""The event source of a :class:`weir.HostProgram` on a real host."""

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
"""Packets that are read from a socket at once; the program sees them before the next ones."""


class Source(ABC):
    """Sockets in a node, which this process reads while the network runs.

    Args:
        network: the network in which they are.
        node: the node.

    Attributes:
        polls: whether an event may have happened that makes no file readable.
        is_open: whether the sockets can be used.
    """

    def __init__(self, network: NetworkBase, node: str) -> None:
        self.network, self.node = network, node
        self.polls = False
        self.is_open = True
        self.ready = select.epoll()
        network.sources.append(self)

    def fileno(self) -> int:
        """The file descriptor that becomes readable when something has happened."""
        return self.ready.fileno()

    @property
    def families(self) -> list[int]:
        """The families of the node's addresses."""
        host = self.network.topology.hosts[self.node]
        has_ipv6 = any(":" in own.address for one in host.interfaces for own in one.addresses)
        return [socket.AF_INET, socket.AF_INET6] if has_ipv6 else [socket.AF_INET]

    @abstractmethod
    def sockets(self) -> Iterable[socket.socket]:
        """All sockets of this source."""

    def check_open(self) -> None:
        """Refuses calls when the sockets are closed.

        Raises:
            NetworkError: the network is closed.
        """
        if not self.is_open:
            raise NetworkError("the network is closed")

    def close_sockets(self) -> None:
        """Closes all sockets, as the end of a process does."""
        if self.is_open:
            self.is_open = False
            for sock in self.sockets():
                sock.close()
            self.network.sources.remove(self)
            self.ready.close()


def family_of(address: str) -> int:
    """The family of an address."""
    return socket.AF_INET6 if ":" in address else socket.AF_INET
