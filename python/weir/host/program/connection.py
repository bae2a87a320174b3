"""TCP connections of a program on a host."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from weir import units
from weir.errors import NetworkError
from weir.errors.checks import frame_bytes

if TYPE_CHECKING:
    from weir import _core_contracts as cores


@dataclass(frozen=True)
class TcpInfo:
    """The state of a connection, as ``ss -i`` shows it. Bytes are payload.

    Attributes:
        mss: payload of a full segment.
        cwnd: the congestion window in bytes.
        ssthresh: the slow start threshold in bytes; ``None`` while there is none.
        rtt_ms: the smoothed round-trip time; ``None`` before the first measurement, like the next
            two.
        rtt_variation_ms: the mean deviation of the round-trip time.
        rtt_min_ms: the smallest round-trip time measured.
        rto_ms: the retransmission timeout.
        in_flight: bytes that the sender estimates to be in the network.
        pacing_bps: the pacing rate in bits of IP packets per second; ``None`` without pacing.
        sent: bytes that the program has sent.
        acked: bytes that the peer has acknowledged.
        received: bytes received in order.
        peer_window: bytes that the peer can receive.
        segments_out: segments sent.
        segments_in: segments received.
        retransmits: retransmitted segments.
        timeouts: retransmission timeouts; ``None`` before Linux 6.7.
        recoveries: fast recoveries; ``None`` on real Linux hosts, whose kernel does not say.
    """

    mss: int
    cwnd: int
    ssthresh: int | None
    rtt_ms: float | None
    rtt_variation_ms: float | None
    rtt_min_ms: float | None
    rto_ms: float
    in_flight: int
    pacing_bps: int | None
    sent: int
    acked: int
    received: int
    peer_window: int
    segments_out: int
    segments_in: int
    retransmits: int
    timeouts: int | None
    recoveries: int | None


class Connection:
    """A TCP connection, from :meth:`HostProgram.connect` or :meth:`HostProgram.on_accept`.

    Attributes:
        peer: the other end's IP address.
        peer_port: the other end's port.
        port: this end's port.
    """

    def __init__(
        self, host: str, sockets: cores.Sockets, number: int, peer: tuple[str, int], port: int, state: str
    ) -> None:
        self._host, self._sockets, self._number, self._state = host, sockets, number, state
        self.peer, self.peer_port = peer
        self.port = port
        self._closing = False
        self._paused = False

    @property
    def state(self) -> str:
        """``connecting``, ``open``, ``closing`` (this end sends no more) or ``closed``."""
        return "closing" if self._closing and self._state != "closed" else self._state

    @property
    def send_space(self) -> int:
        """The number of bytes that :meth:`send` would accept."""
        return 0 if self._closing else self._sockets.info(self._check())["send_space"]

    @property
    def unacknowledged(self) -> int:
        """Number of bytes that the program has sent and the peer has not acknowledged."""
        info = self._sockets.info(self._check())
        return info["written"] - info["acked"]

    @property
    def info(self) -> TcpInfo:
        """The connection's current state.

        Raises:
            NetworkError: the connection has ended. The methods below raise the same error.
        """
        info = self._sockets.info(self._check())
        measured = info["srtt"] > 0
        return TcpInfo(
            info["mss"],
            info["cwnd"],
            None if info["ssthresh"] == (1 << 64) - 1 else info["ssthresh"],
            info["srtt"] / 1e6 if measured else None,
            info["rttvar"] / 1e6 if measured else None,
            info["min_rtt"] / 1e6 if measured else None,
            info["rto"] / 1e6,
            info["in_flight"],
            info["pacing_rate"],
            info["written"],
            info["acked"],
            info["received"],
            info["peer_window"],
            info["segments_out"],
            info["segments_in"],
            info["retransmits"],
            info["timeouts"],
            info["recoveries"],
        )

    def send(self, data: bytes) -> int:
        """Sends as many bytes as the send buffer has space for.

        The send buffer has space for ``window`` bytes, which stay in it until they are
        acknowledged. The program must keep the bytes that were not accepted;
        :meth:`HostProgram.on_writable` is called when there is space again.

        Returns:
            The number of bytes accepted.

        Raises:
            NetworkError: the connection has ended, this program has closed it, or the data is not
                bytes.
        """
        number = self._check()
        if self._closing:
            raise NetworkError(f"{self}: the program has closed it and cannot send any more")
        return self._sockets.write(number, frame_bytes(data, "data"))

    def close(self) -> None:
        """Closes this direction: data already sent still arrives, and the peer may still send.

        Closing again has no effect.
        """
        if self._state != "closed" and not self._closing:
            self._closing = True
            self._sockets.close(self._number)

    def reset(self) -> None:
        """Aborts the connection: the peer receives a reset, and data in flight is lost.

        :meth:`HostProgram.on_close` is then called.
        """
        self._sockets.abort(self._check())

    def pause(self) -> None:
        """Stops reading: data fills the receive buffer, then the peer must wait.

        Other callbacks of the connection also wait.
        """
        self._sockets.pause(self._check(), True)
        self._paused = True

    def resume(self) -> None:
        """Starts reading again. Callbacks for data that arrived in the meantime follow at once."""
        self._sockets.pause(self._check(), False)
        self._paused = False

    @property
    def paused(self) -> bool:
        """Whether reading is stopped."""
        return self._paused

    def pace(self, rate: str | None) -> None:
        """Paces the connection at a rate of IP packets, such as ``"10Mbit"``.

        ``None`` leaves pacing to the congestion control.

        Raises:
            UnitError: the rate cannot be read.
        """
        bits = None if rate is None else units.rate_bps(rate, "rate")
        self._sockets.pace(self._check(), bits)

    def _check(self) -> int:
        if self._state == "closed":
            raise NetworkError(f"{self} has ended")
        return self._number

    def __repr__(self) -> str:
        return f"<weir.Connection of {self._host} port {self.port} with {self.peer} port {self.peer_port}, {self.state}>"

    def __str__(self) -> str:
        return f"the connection of {self._host} with {self.peer} port {self.peer_port}"
