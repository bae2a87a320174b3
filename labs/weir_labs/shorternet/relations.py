"""Relations between the stacks over all lengths, which the thesis states in words."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from typing import Any

from weir.lab import Tables

Pair = tuple[dict[str, Any], dict[str, Any]]


def pairs(tables: Tables) -> list[Pair]:
    """Returns the means of Shorternet and of the standard stack at each length, by length."""
    rows = tables.points("length", "stack").sort("length").to_dicts()
    by_point = {(row["length"], row["stack"]): row for row in rows}
    lengths = dict.fromkeys(row["length"] for row in rows)
    return [
        (by_point[length, "shorternet"], by_point[length, "standard"])
        for length in lengths
        if (length, "shorternet") in by_point and (length, "standard") in by_point
    ]


def measured_gain(pair: Pair) -> float:
    """Computes the gain in effective bandwidth at one length, as a share."""
    return float(pair[0]["bandwidth_bytes_s"] / pair[1]["bandwidth_bytes_s"] - 1)


def holds_at_all_lengths(relation: Callable[[list[Pair]], bool]) -> Callable[[Tables], bool | None]:
    """Returns a function that checks a relation at all lengths; the function returns ``None`` if no
    length was measured."""

    def measure(tables: Tables) -> bool | None:
        measured = pairs(tables)
        return relation(measured) if measured else None

    return measure


def mean_saving(column: str, in_percent: bool) -> Callable[[Tables], float | None]:
    """Returns a function that computes how much lower Shorternet's value is on average over all
    lengths, in the column's unit or in per cent."""

    def measure(tables: Tables) -> float | None:
        measured = pairs(tables)
        if not measured:
            return None
        short, standard = (sum(pair[side][column] for pair in measured) / len(measured) for side in (0, 1))
        if not in_percent:
            return float(standard - short)
        return float(100 * (1 - short / standard)) if standard else 0.0

    return measure


def loss_694(tables: Tables) -> float | None:
    """Computes the loss of the standard stack with packets of 694 bytes, in per cent."""
    lost, sent = (tables.mean(name, length=694, stack="standard") for name in ("lost", "sent"))
    return None if lost is None or not sent else 100 * lost / sent


def standard_loses_more(pairs: list[Pair]) -> bool:
    """Returns whether the standard stack loses more packets than Shorternet over all lengths."""
    return bool(sum(standard["lost"] for _, standard in pairs) > sum(short["lost"] for short, _ in pairs))


def latency_variation(pairs: list[Pair], side: int) -> float:
    """Computes the largest latency minus the smallest, as a share of the mean."""
    latencies = [pair[side]["latency_ms"] for pair in pairs]
    return float((max(latencies) - min(latencies)) * len(latencies) / sum(latencies))


def is_proportional(pairs: list[Pair]) -> bool:
    """Returns whether the gain times the length is the same at all lengths, to 10 %."""
    products = [measured_gain(pair) * pair[0]["length"] for pair in pairs]
    return bool(max(products) <= 1.1 * min(products))


def gain_falls(pairs: list[Pair]) -> bool:
    """Returns whether the gain is lower at each longer length."""
    gains = [measured_gain(pair) for pair in pairs]
    return all(first > second for first, second in pairwise(gains))
