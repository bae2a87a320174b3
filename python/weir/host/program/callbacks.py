"""The callbacks of a program on a host."""

from __future__ import annotations

from weir.host.program.arrivals import Datagram, IcmpError
from weir.host.program.connection import Connection
from weir.links.sniffer import Frame


class Callbacks:
    """The callbacks of a :class:`weir.HostProgram`, which do nothing."""

    _running: object | None = None
    """The :class:`weir.host.program.running_program.RunningProgram` while the program runs,
    otherwise ``None``."""

    def start(self) -> None:
        """Called once, when the program starts."""

    def on_datagram(self, datagram: Datagram) -> None:
        """Called for each UDP datagram to one of the program's ports."""

    def on_error(self, error: IcmpError) -> None:
        """Called for each ICMP error about a datagram that the program sent."""

    def on_frame(self, frame: Frame) -> None:
        """Called for each frame that arrives, if :meth:`Host.run` was called with ``frames``."""

    def on_timer(self, token: object) -> None:
        """Called when a timer expires, with the ``token`` passed to :meth:`after`."""

    def on_accept(self, connection: Connection) -> None:
        """Called for each connection that a peer has opened to one of the program's TCP ports."""

    def on_connect(self, connection: Connection) -> None:
        """Called when a connection that the program opened is established."""

    def on_data(self, connection: Connection, data: bytes) -> None:
        """Called for bytes received on a connection, in order.

        TCP is a byte stream: the division of bytes into calls has no meaning.
        """

    def on_writable(self, connection: Connection) -> None:
        """Called when a send buffer that was full has space again.

        It is called only after a :meth:`Connection.send` that did not accept all bytes.
        """

    def on_end(self, connection: Connection) -> None:
        """Called when the peer has closed its direction. By default, this end also closes."""
        connection.close()

    def on_close(self, connection: Connection, reason: str) -> None:
        """Called when a connection has ended.

        Args:
            connection: the connection, which cannot be used any more.
            reason: ``closed`` (both ends closed, and all data arrived), ``reset`` (by the peer),
                ``refused`` (nothing listens on that port), ``timed out`` (no answer), ``aborted``
                (by this program).
        """
