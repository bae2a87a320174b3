"""The slides' numbers of experiment 2, each with the method that computes the lab's value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from weir.lab import Predicted, Published, Tables

from .captures import CAPTURES
from .slides import AFTER_MBPS, AFTER_MS, BEFORE_MBPS, BEFORE_MS, PUBLICATION

POINT: Final[dict[str, Any]] = {
    "threshold": 20,
    "timeout": "1s",
    "percent": 20,
    "congestion": "cubic",
    "rate": "10Mbit",
    "seconds": 100,
}
"""The values of parameters that match the slides, with the lab's time-out and probability."""

_RULES: Final = {"before": "off", "after": "all"}
"""For each case of the slides, the value of the lab's parameter ``queues``."""

_BOUND_SHARE: Final = 0.05

_REASONS: Final = {
    "before": "the slides show a single run, and it is random which flows share a path. If four flows fill "
    "one to four of the paths of 10 Mbit/s, their mean is 2.5, 5, 7.5 or 10 Mbit/s. The slides' mean is 3.7, so their flows did "
    "not fill their paths",
    "after": "here, senders are exactly as fast as paths, so a flow that is left alone on a path keeps its queue and "
    "is moved again; with senders at "
    "9.25 Mbit/s, most runs have the slides' rates (the experiment hosts)",
}

_NOTE_ON_LATENCY: Final = (
    "the slides do not say which latency they show. It is not TCP's round trip over queues like these, "
    "which is above 240 ms wherever flows collide. If senders are slower than paths, pings take 101 ms "
    "before and 39 ms after (the experiment hosts)"
)


def _mean_of_runs(measured: str, queues: str) -> Callable[[Tables], float | None]:
    return lambda tables: tables.mean(measured, queues=queues, **POINT)


def _mean_of_flows(queues: str) -> Callable[[Tables], float | None]:
    def value(tables: Tables) -> float | None:
        rates = [tables.mean(f"run_mbps_{number}", queues=queues, **POINT) for number in range(1, 5)]
        measured = [rate for rate in rates if rate is not None]
        return sum(measured) / 4 if len(measured) == 4 else None

    return value


def _goodput_grew(tables: Tables) -> bool | None:
    before, after = (_mean_of_flows(queues)(tables) for queues in _RULES.values())
    return None if before is None or after is None else after > before


def _both_latencies_fell(tables: Tables) -> bool | None:
    """Returns whether both latencies fell. The slides do not say which of the two they mean."""
    for measured in ("run_rtt_ms", "run_ping_ms"):
        before, after = (_mean_of_runs(measured, queues)(tables) for queues in _RULES.values())
        if before is None or after is None:
            return None
        if after >= before:
            return False
    return True


def _balancing_number(
    name: str, quantity: str, value: float | str, unit: str, ours: Any, **more: Any
) -> Published:
    return Published(
        ids=(f"lb.{name}",),
        publication=PUBLICATION,
        place="results of experiment 2",
        experiment="load balancing",
        quantity=quantity,
        value=value,
        unit=unit,
        ours=ours,
        **more,
    )


def _rate_numbers() -> list[Published]:
    return [
        _balancing_number(
            f"{case}.h{number}",
            f"throughput of h{number}",
            value,
            "Mbit/s",
            Predicted(
                part="balancing",
                value=_mean_of_runs(f"run_mbps_{number}", _RULES[case]),
                relative=_BOUND_SHARE,
                because=_REASONS[case],
            ),
            conditions=case,
        )
        for case, rates in (("before", BEFORE_MBPS), ("after", AFTER_MBPS))
        for number, value in enumerate(rates, start=1)
    ]


def _mean_numbers() -> list[Published]:
    return [
        _balancing_number(
            f"{case}.mean",
            "mean throughput",
            value,
            "Mbit/s",
            Predicted(
                part="balancing",
                value=_mean_of_flows(_RULES[case]),
                relative=_BOUND_SHARE,
                because=_REASONS[case],
            ),
            conditions=case,
            note=note,
        )
        for case, value, note in (
            ("before", 3.7, ""),
            ("after", 10.0, "the slides say “about 10”; the mean of their four flows is 9.19"),
        )
    ]


def _latency_numbers() -> list[Published]:
    return [
        _balancing_number(
            f"{case}.latency",
            "latency",
            value,
            "ms",
            Predicted(
                part="balancing",
                value=_mean_of_runs("run_rtt_ms", _RULES[case]),
                relative=_BOUND_SHARE,
                because=_NOTE_ON_LATENCY,
            ),
            conditions=case,
            note="our value is TCP's smoothed round trip; the report shows pings, too",
        )
        for case, value in (("before", BEFORE_MS), ("after", AFTER_MS))
    ]


NUMBERS: Final = [
    *_rate_numbers(),
    *_mean_numbers(),
    *_latency_numbers(),
    _balancing_number(
        "rel.throughput",
        "throughput",
        "rises with balancing",
        "",
        Predicted(part="balancing", value=_goodput_grew),
    ),
    _balancing_number(
        "rel.latency",
        "latency",
        "falls with balancing",
        "",
        Predicted(
            part="balancing",
            value=_both_latencies_fell,
            because="TCP's round trip falls, but pings take longer: the path of a ping depends only on its addresses, so "
            "without balancing some pings take paths without a flow, and with balancing they meet a remaining queue. With "
            "senders that are slower than paths, both latencies fall (the experiment hosts)",
        ),
        note="judged by TCP's round trip and by pings",
    ),
    *CAPTURES,
]
"""All numbers of experiment 2."""
