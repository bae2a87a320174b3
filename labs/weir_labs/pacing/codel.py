"""The settings of CoDel in a switch, and the entries that its P4 program needs."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Any, Final

from weir import units

COUNT_BITS: Final = 16
_EXACT_BITS: Final = 6


@dataclass(frozen=True)
class Codel:
    """CoDel in front of a port's link.

    Attributes:
        target: the time that packets may wait (RFC 8289: 5 ms).
        interval: if all packets wait longer than the target for this time, CoDel drops (RFC 8289:
            100 ms).
        ecn: whether packets of senders that understand ECN are marked instead.
    """

    target: str = "5ms"
    interval: str = "100ms"
    ecn: bool = False

    def entries(self, port: int) -> list[dict[str, Any]]:
        """The entries of ``codel.p4`` for one port, as runtime JSON."""
        limits = {
            "table": "MyEgress.codel.limits",
            "match": {"port": port},
            "action_name": "MyEgress.codel.set_limits",
            "action_params": {
                "target_us": units.time_ns(self.target, "target") // 1000,
                "interval_us": units.time_ns(self.interval, "interval") // 1000,
                "use_ecn": int(self.ecn),
            },
        }
        law = [
            {
                "table": "MyEgress.codel.control_law",
                "match": {"count": [count, prefix]},
                "action_name": "MyEgress.codel.set_gap",
                "action_params": {"share": share},
            }
            for count, prefix, share in control_law()
        ]
        return [limits, *law]


def control_law() -> list[tuple[int, int, int]]:
    """The value 65536 / √count for each count to 65535: (count, length of the prefix, value).

    Counts below 64 have an entry each. Larger counts share an entry with those that have the same
    first six bits; the error is up to 0.8 %.
    """
    rows = [(count, COUNT_BITS, _share(count)) for count in range(1, 1 << _EXACT_BITS)]
    for more in range(1, COUNT_BITS - _EXACT_BITS + 1):
        for first in range(1 << (_EXACT_BITS - 1), 1 << _EXACT_BITS):
            middle = (first << more) + ((1 << more) - 1) / 2
            rows.append((first << more, COUNT_BITS - more, _share(middle)))
    return rows


def _share(count: float) -> int:
    return round(65536 / sqrt(count))
