"""The settings of CoDel in a switch, and the entries that the P4 program needs."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Any, Final

from weir import units

COUNT_BITS: Final = 16
_EXACT_BITS: Final = 6


@dataclass(frozen=True)
class Codel:
    """The CoDel settings of a port's queue.

    Attributes:
        target: the time that packets may wait, such as ``5ms`` (RFC 8289).
        interval: if all packets wait longer than the target for this time, CoDel drops (RFC 8289:
            100 ms).
        ecn: whether CoDel marks packets of senders with ECN instead of dropping them.
    """

    target: str = "5ms"
    interval: str = "100ms"
    ecn: bool = False

    def entries(self, port: int) -> list[dict[str, Any]]:
        """Builds the entries of ``codel.p4`` for one port, as runtime JSON."""
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
    """Computes the values 65536 / √count for counts up to 65535, as (count, prefix length, value).

    Each count below 64 has its own entry. Larger counts with the same first six bits share an
    entry, with an error of up to 0.8 %.
    """
    rows = [(count, COUNT_BITS, _interval_share(count)) for count in range(1, 1 << _EXACT_BITS)]
    for shift in range(1, COUNT_BITS - _EXACT_BITS + 1):
        for first in range(1 << (_EXACT_BITS - 1), 1 << _EXACT_BITS):
            middle = (first << shift) + ((1 << shift) - 1) / 2
            rows.append((first << shift, COUNT_BITS - shift, _interval_share(middle)))
    return rows


def _interval_share(count: float) -> int:
    return round(65536 / sqrt(count))
