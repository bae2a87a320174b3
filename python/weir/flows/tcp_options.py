"""The options of a TCP connection that differ from its host's settings."""

from __future__ import annotations

from typing import TypedDict

from weir import _core, units
from weir.errors import NetworkError, quote, shown
from weir.errors.checks import check_flag
from weir.text.suggest import listing, nearest

CONGESTION = ("reno", "cubic", "cubic-rfc", "bbr", "bbr-draft")
"""The congestion controls of TCP."""


class TcpOptions(TypedDict, total=False):
    """The options of a connection that differ from its host's settings.

    Attributes:
        rate: the rate of pacing, in bits of IP packets per second.
        congestion: ``"reno"``, ``"cubic"`` or ``"bbr"`` as in Linux; ``"cubic-rfc"`` with the
            HyStart++ of RFC 9406; ``"bbr-draft"`` as in the first draft.
        mss: the largest payload of a segment, options included, such as ``"1460B"``.
        window: the limit for bytes in flight and for bytes in the send buffer, such as
            ``"64kB"``; 4 MiB by default.
        ecn: whether to use explicit congestion notification.
        sack: whether to use selective acknowledgements.
        nodelay: whether to send without Nagle's algorithm (``TCP_NODELAY``). With the algorithm, a
            segment that is not full waits for the acknowledgement of the last such segment (RFC
            9293, section 3.7.4; Minshall's variant, as in Linux).
    """

    rate: str | None
    congestion: str | None
    mss: str | None
    window: str | None
    ecn: bool | None
    sack: bool | None
    nodelay: bool | None


def tcp_options(
    *,
    rate: str | None = None,
    congestion: str | None = None,
    mss: str | None = None,
    window: str | None = None,
    ecn: bool | None = None,
    sack: bool | None = None,
    nodelay: bool | None = None,
) -> _core.TcpOptionsOf:
    """Converts :class:`TcpOptions` to the form that the core takes.

    Raises:
        NetworkError: there is no such congestion control, or a number is out of range.
        UnitError: a size or rate cannot be read.
    """
    if congestion is not None and congestion not in CONGESTION:
        name = quote(congestion) if isinstance(congestion, str) else shown(congestion)
        raise NetworkError(
            f"there is no congestion control {name} (there are: {listing(CONGESTION)})",
            suggestion=nearest(name.strip('"'), CONGESTION),
        )
    for name, flag in (("ecn", ecn), ("sack", sack), ("nodelay", nodelay)):
        if flag is not None:
            check_flag(name, flag)
    segment = None if mss is None else units.size_bytes(mss, "mss", "1460B")
    if segment is not None and not 64 <= segment <= 65495:
        raise NetworkError(f"mss: {segment} bytes are out of range: expected 64B to 65495B")
    window_bytes = None if window is None else units.size_bytes(window, "window", "64kB")
    if window_bytes is not None and not 1 <= window_bytes <= 1 << 30:
        raise NetworkError(f"window: {window_bytes} bytes are out of range: expected 1B to 1GiB")
    return {
        "congestion": congestion,
        "mss": segment,
        "window": window_bytes,
        "pacing_bps": None if rate is None else units.rate_bps(rate, "rate"),
        "ecn": ecn,
        "sack": sack,
        "nodelay": nodelay,
    }
