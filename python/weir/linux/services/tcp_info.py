"""The kernel's figures of a TCP connection, from ``struct tcp_info`` (linux/tcp.h)."""

from __future__ import annotations

import socket
import struct
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from weir._core import TcpFigures

_SIZE: Final = 256
_U32: Final = {
    "rto": 8,
    "mss": 16,
    "unacked": 24,
    "sacked": 28,
    "lost": 32,
    "retrans": 36,
    "rtt": 68,
    "rttvar": 72,
    "ssthresh": 76,
    "cwnd": 80,
    "total_retrans": 100,
    "segs_out": 136,
    "segs_in": 140,
    "min_rtt": 148,
    "dsack_dups": 216,
    "snd_wnd": 228,
}
"""For each 32-bit number of ``struct tcp_info``, the offset in bytes at which it begins."""

_U64: Final = {"pacing_rate": 104, "bytes_acked": 120, "bytes_received": 128}
_TOTAL_RTO: Final = 240
"""The offset in bytes of the 16-bit number of time-outs. Kernels before 6.7 do not have it."""

_NO_SSTHRESH: Final = 0x7FFFFFFF


def has_passed(sock: socket.socket) -> tuple[bool, bool]:
    """Returns whether the peer has acknowledged data, and whether data from the peer has
    arrived."""
    data = sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _SIZE)
    acked, received = (
        struct.unpack_from("=Q", data, _U64[name])[0] for name in ("bytes_acked", "bytes_received")
    )
    # The kernel counts the SYN as one acknowledged byte.
    return acked > 1, received > 0


def figures(sock: socket.socket, written: int) -> TcpFigures:
    """Reads the state of a connection as ``weir._core.TcpFigures``; figures that the kernel hides
    are ``None``.

    Args:
        sock: the connection.
        written: the number of bytes that the application has written.
    """
    data = sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, _SIZE)
    metrics = {
        name: struct.unpack_from("=I", data, place)[0]
        for name, place in _U32.items()
        if place + 4 <= len(data)
    }
    metrics |= {
        name: struct.unpack_from("=Q", data, place)[0]
        for name, place in _U64.items()
        if place + 8 <= len(data)
    }
    mss = metrics["mss"]
    out = metrics["unacked"] - metrics["sacked"] - metrics["lost"] + metrics["retrans"]
    return {
        "mss": mss,
        "cwnd": metrics["cwnd"] * mss,
        "ssthresh": (1 << 64) - 1 if metrics["ssthresh"] >= _NO_SSTHRESH else metrics["ssthresh"] * mss,
        "srtt": metrics["rtt"] * 1000,
        "rttvar": metrics["rttvar"] * 1000,
        "min_rtt": metrics["min_rtt"] * 1000 if metrics["min_rtt"] != 0xFFFFFFFF else 0,
        "rto": metrics["rto"] * 1000,
        "in_flight": max(0, out) * mss,
        "pacing_rate": None if metrics["pacing_rate"] >= 1 << 63 else metrics["pacing_rate"] * 8,
        "written": written,
        "send_space": 0,
        # The kernel counts the SYN as one acknowledged byte.
        "acked": max(0, min(written, metrics["bytes_acked"] - 1)),
        "received": metrics["bytes_received"],
        "segments_out": metrics["segs_out"],
        "segments_in": metrics["segs_in"],
        "retransmits": metrics["total_retrans"],
        "timeouts": struct.unpack_from("=H", data, _TOTAL_RTO)[0] if len(data) >= _TOTAL_RTO + 2 else None,
        "recoveries": None,
        "spurious": metrics.get("dsack_dups"),
        "ecn_reductions": 0,
        "peer_window": metrics.get("snd_wnd", 0),
    }  # fmt: skip
