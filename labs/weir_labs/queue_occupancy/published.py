"""The slides' numbers of experiment 1, each with the method that computes the lab's value."""

from __future__ import annotations

from typing import Any, Final

from weir.lab import Arithmetic, Predicted, Published, Tables

from .chain import QUEUE_PACKETS
from .slides import FULL_DEPTH, IDLE_DEPTH, PUBLICATION

POINT: Final[dict[str, Any]] = {
    "flows": 2,
    "congestion": "cubic",
    "mtu": "9000B",
    "rate": "10Mbit",
    "queue": QUEUE_PACKETS,
    "probe_ms": 100.0,
}
"""The values of parameters that match the slides."""

_DRAMATIC_RATIO: Final = 10
"""The multiple of the idle network's delay from which the delay of probes counts as a dramatic
rise."""

_MIN_CORRELATION: Final = 0.9
"""The correlation above which the lab says that delay follows depth."""


def _largest_value(measured: str) -> Any:
    """Returns a function that finds the largest value of all runs at the point. The function
    returns ``None`` if there are no such runs."""

    def value(tables: Tables) -> float | None:
        points = tables.points(*POINT, **POINT)
        return float(points[f"{measured}_max"][0]) if points.height else None

    return value


def _delay_rises(tables: Tables) -> bool | None:
    idle, busy = (tables.mean(name, **POINT) for name in ("idle_delay_ms", "busy_delay_ms"))
    return None if idle is None or busy is None else busy > _DRAMATIC_RATIO * idle


def _delay_follows_depth(tables: Tables) -> bool | None:
    correlation = tables.mean("busy_correlation", **POINT)
    return None if correlation is None else correlation > _MIN_CORRELATION


def _number(name: str, quantity: str, value: float | str, unit: str, ours: Any, **more: Any) -> Published:
    return Published(
        ids=(f"lb.q.{name}",),
        publication=PUBLICATION,
        place="results of experiment 1",
        experiment="queue occupancy",
        quantity=quantity,
        value=value,
        unit=unit,
        ours=ours,
        **more,
    )


NUMBERS: Final = [
    _number(
        "idle",
        "queue depth",
        float(IDLE_DEPTH),
        "packets",
        Predicted(part="occupancy", value=_largest_value("idle_depth_max"), absolute=0),
        conditions="only pings",
    ),
    _number(
        "full",
        "largest queue depth",
        float(FULL_DEPTH),
        "packets",
        Arithmetic(part="occupancy", value=_largest_value("busy_depth_max"), absolute=0),
        conditions="two flows",
        note="a packet that takes the last of 64 places finds 63 other packets; the run shows only that two flows fill the queue",
    ),
    _number(
        "rel.latency",
        "latency",
        "rises steeply as the queue fills",
        "",
        Arithmetic(part="occupancy", value=_delay_rises),
        conditions="two flows",
        note="judged by a delay of more than ten times that in an idle network; follows if two flows fill the queue, because 63 "
        "packets of 9014 bytes take 454 ms at 10 Mbit/s",
    ),
    _number(
        "rel.corr",
        "latency and queue depth",
        "correlate",
        "",
        Predicted(part="occupancy", value=_delay_follows_depth),
        conditions="two flows",
        note="judged by a correlation above 0.9 while flows send; the link drains the queue at a constant rate; short packets and the wait "
        "in the host are known to reduce the correlation",
    ),
]
"""All numbers of experiment 1."""
