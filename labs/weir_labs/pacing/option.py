"""The IPv4 option of the scheme, as hosts write and read it."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

KIND: Final = 0x1E
"""The option's type, which is for experiments and not copied into fragments (RFC 4727)."""

VERSION: Final = 1

NOTICE_PORT: Final = 5300
"""The UDP port to which switches send notifications."""

_BASE: Final = struct.Struct("!BBBB")
_TRACE: Final = struct.Struct("!BBHI")
_END, _NOP = 0, 1


class Trace(NamedTuple):
    """The data of one switch about one of its ports.

    Attributes:
        switch_id: the number of the switch: N for ``sN``.
        port: the port at which the flow's data leaves.
        shares: the sum of the weights of all active flows at this port.
        kbps: the capacity of the link, in kbit/s.
    """

    switch_id: int
    port: int
    shares: int
    kbps: int


@dataclass(frozen=True)
class Option:
    """The IPv4 option of the scheme.

    Attributes:
        weight: the flow's weight, 1 to 255.
        traces: the data from the switches; none in a SYN.
    """

    weight: int
    traces: Sequence[Trace] = ()

    def __bytes__(self) -> bytes:
        """Converts the option to bytes, whose number is a multiple of 4, so that they need no
        padding."""
        traces = b"".join(_TRACE.pack(*trace) for trace in self.traces)
        return _BASE.pack(KIND, _BASE.size + len(traces), VERSION, self.weight) + traces


def read_option(options: bytes) -> Option | None:
    """Finds the option among the IPv4 options of a packet.

    Args:
        options: the bytes after the first 20 bytes of the IPv4 header.

    Returns:
        The option; ``None`` if it is missing, or an option has a wrong length.
    """
    place = 0
    while place < len(options) and options[place] != _END:
        if options[place] == _NOP:
            place += 1
            continue
        length = options[place + 1] if place + 1 < len(options) else 0
        if length < 2 or place + length > len(options):
            return None
        traces = length - _BASE.size
        if options[place] == KIND and traces >= 0 and traces % _TRACE.size == 0:
            _, _, _, weight = _BASE.unpack_from(options, place)
            body = options[place + _BASE.size : place + length]
            return Option(weight, [*map(Trace._make, _TRACE.iter_unpack(body))])
        place += length
    return None


def share_kbps(option: Option, traces: Sequence[Trace], reserve_percent: float) -> float:
    """Computes the rate at which a flow may send, by the paper's equation 1 with weights.

    R' = min over switches of C · weight / shares, minus a reserve l. The paper does not give the
    value of l. Here l is a part of the share, so that many flows together leave as much unused as
    one flow.

    Args:
        option: the flow's own option.
        traces: the traces of the switches on the flow's path, at least one.
        reserve_percent: the reserve (l in the equation), in per cent of the share.

    Returns:
        kbit/s of Ethernet frames.
    """
    share = min(trace.kbps * option.weight / max(trace.shares, 1) for trace in traces)
    return share * (1 - reserve_percent / 100)
