"""Shows the live view of reports that arrive at a host of a virtual network."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from weir.host.program.arrivals import Datagram
from weir.hostprogram import HostProgram
from weir.telemetry.inbox import Inbox
from weir.telemetry.live.screen import Screen

if TYPE_CHECKING:
    from weir.host import Host
    from weir.telemetry.store import Store

_UPDATE_INTERVAL_S: Final = 0.2
"""The real time between two updates of the view, in seconds."""

_MAX_REPORTS: Final = 20_000
"""The maximum number of datagrams that wait for the next update."""

_MAX_BYTES: Final = 32 << 20
"""The maximum memory in bytes of the datagrams that wait for the next update."""


@contextmanager
def watch(
    host: Host, udp: int, *, store: Store | None = None, threshold: int | None = None
) -> Iterator[None]:
    """Shows paths, hop latencies, queues and events in the terminal while the block runs a network.

    The view is the same as in ``weir telemetry live``. Without a terminal, it is printed once at
    the end.

    >>> with watch(net.host("h3"), 6000):                           # doctest: +SKIP
    ...     net.host("h1").iperf("h2")

    Args:
        host: the host to which reports are sent.
        udp: the UDP port to which reports are sent.
        store: a store to which reports are also added.
        threshold: the number of packets in a queue at which an event is shown.

    Raises:
        NetworkError: the port is in use.
        FileError: the store cannot be written.
    """
    with watching(Screen(f"{host.name}:{udp}", store, threshold=threshold), host, udp):
        yield


@contextmanager
def watching(screen: Screen, host: Host, udp: int) -> Iterator[None]:
    """Shows on a screen the reports that arrive at a UDP port of a host, while the block runs."""
    watcher = host.run(_Watcher(screen), udp=udp)
    try:
        with screen:
            yield
            watcher.flush()
    finally:
        watcher.stop()


class _Watcher(HostProgram):
    """A host program that passes arriving datagrams to a screen a few times per real second."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self._inbox = Inbox()
        self._due = time.monotonic()

    def on_datagram(self, datagram: Datagram) -> None:
        """Stores a datagram for the next update."""
        self._inbox.add(datagram.time_ns, datagram.payload)
        full = len(self._inbox) >= _MAX_REPORTS or self._inbox.size >= _MAX_BYTES
        if full or time.monotonic() >= self._due:
            self.flush()

    def flush(self) -> None:
        """Shows the datagrams that have arrived."""
        self._screen.show(*self._inbox.take())
        self._due = time.monotonic() + _UPDATE_INTERVAL_S
