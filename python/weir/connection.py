"""Connections of TCP of a program on a host."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from weir import units
from weir.errors import NetworkError
from weir.traffic import frame_bytes

if TYPE_CHECKING:
    from weir.hostprogram import Running


@dataclass(frozen=True)
class TcpInfo:
    """How a connection stands, as ``ss -i`` tells it. Bytes are payload.

    Attributes:
        mss: payload of a full segment.
        cwnd: the congestion window in bytes.
        ssthresh: the slow start threshold in bytes; None while there is none.
        rtt_ms: the smoothed round-trip time; None before a first measurement, as the following.
        rtt_variation_ms: its mean deviation.
        rtt_min_ms: the least.
        rto_ms: the retransmission time-out.
        in_flight: bytes thought to be in the network.
        pacing_bps: bits of IP packets per second, where segments are paced.
        sent: bytes that the program has sent.
        acked: bytes of these that the peer has acknowledged.
        received: bytes received in order.
        peer_window: bytes that the peer has room for.
        segments_out: segments sent.
        segments_in: segments received.
        retransmits: segments sent again.
        timeouts: retransmission time-outs.
        recoveries: recoveries begun without a time-out.
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
    timeouts: int
    recoveries: int


class Connection:
    """A connection of TCP. Got from :meth:`HostProgram.connect` and :meth:`HostProgram.on_accept`.

    Attributes:
        peer: the other end's IP address.
        peer_port: the other end's port.
        port: this end's port.
    """

    def __init__(self, running: Running, number: int, peer: tuple[str, int], port: int, state: str) -> None:
        self._running, self._number, self._state = running, number, state
        self.peer, self.peer_port = peer
        self.port = port
        self._closing = False
        self._paused = False

    @property
    def state(self) -> str:
        """``connecting``, ``open``, ``closing`` (this end sends no more) or ``closed`` (it is over)."""
        return "closing" if self._closing and self._state != "closed" else self._state

    @property
    def room(self) -> int:
        """How many bytes :meth:`send` would take now."""
        return 0 if self._closing else self._running.sockets.info(self._check())["room"]

    @property
    def unacknowledged(self) -> int:
        """How many bytes that were sent the peer has not acknowledged: those that wait here, and those in flight."""
        info = self._running.sockets.info(self._check())
        return info["written"] - info["acked"]

    @property
    def info(self) -> TcpInfo:
        """How it stands now.

        Raises:
            NetworkError: it is over, as in the following.
        """
        info = self._running.sockets.info(self._check())
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
        """Sends bytes, as many as there is room for; how many that were.

        What is taken waits here until the windows let it leave, and until it is acknowledged; ``window`` bytes find room. The rest is the
        program's to keep: :meth:`HostProgram.on_writable` is called when there is room again.

        Raises:
            NetworkError: it is over, or was closed by this program; or that are no bytes.
        """
        number = self._check()
        if self._closing:
            raise NetworkError(f"{self}: nothing can be sent any more: the program has closed it")
        return self._running.sockets.write(number, frame_bytes(data, "data"))

    def close(self) -> None:
        """Sends no more: what was sent still arrives. Receiving goes on until the peer closes too. Once more does nothing."""
        if self._state != "closed" and not self._closing:
            self._closing = True
            self._running.sockets.close(self._number)

    def reset(self) -> None:
        """Breaks it off: the peer gets a reset, and what is under way is lost. :meth:`HostProgram.on_close` follows."""
        self._running.sockets.abort(self._check())

    def pause(self) -> None:
        """Reads no more: what comes fills the receive buffer, and then holds up the peer. What happens to the connection waits, too."""
        self._running.sockets.pause(self._check(), True)
        self._paused = True

    def resume(self) -> None:
        """Reads again. What has come meanwhile follows at once."""
        self._running.sockets.pause(self._check(), False)
        self._paused = False

    @property
    def paused(self) -> bool:
        """Whether it reads nothing."""
        return self._paused

    def pace(self, rate: str | None) -> None:
        """Paces what it sends from now on at a rate of IP packets, such as ``"10Mbit"``; None leaves it to the congestion control.

        Raises:
            UnitError: the rate cannot be read.
        """
        bits = None if rate is None else units.rate_bps(rate, "rate")
        self._running.sockets.pace(self._check(), bits)

    def _check(self) -> int:
        if self._state == "closed":
            raise NetworkError(f"{self}: it is over")
        return self._number

    def __repr__(self) -> str:
        return f"<weir.Connection of {self._running.host.name} port {self.port} with {self.peer} port {self.peer_port}, {self.state}>"

    def __str__(self) -> str:
        return f"the connection of {self._running.host.name} with {self.peer} port {self.peer_port}"
