"""Computes the findings of the thesis's benchmark: both stacks at equal packet length (figures 4.1
to 4.5)."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import polars as pl

from weir.lab import Findings, Tables, by_at_most
from weir.report import Curve, Figure, Section, Table, decimal, draw_curves, logarithmic

from ..published import JITTER_SAVED_MS, JITTER_SAVED_PERCENT, LATENCY_SAVED_MS, LATENCY_SAVED_PERCENT
from ..theory import gain
from .common import STACK_NAMES

_SAME_MS: Final = 1e-4
"""Times that differ by less count as equal."""

_PARAMETERS: Final = ["length", "packets", "per_second", "rate", "profile"]


def findings(tables: Tables, plots: Path) -> Findings:
    """Shows effective bandwidth, gain, latency, jitter and loss by packet length."""
    points = tables.points(*_PARAMETERS, "stack")
    gains = _gains_by_length(points)
    return Findings(
        _answer(points, gains),
        [
            Section(
                "Equal packet length: effective bandwidth, latency, jitter, loss",
                [
                    "h1 sends packets of the same length in both stacks, at the same rate. Shorternet has 12 bytes of headers (4, and 8 "
                    "of UDP), Ethernet with IPv4 and UDP has 42, so Shorternet's packets have 30 more bytes of payload. "
                    "The effective bandwidth counts payload only. In theory its gain is (length − 12) / (length − 42) − 1.",
                    "A packet's latency in theory is the time on four links, each length · 8 / rate, and three passes through a switch.",
                ],
                [_gains(gains), _measures(points)],
                _figures(points, gains, plots),
                notes=[
                    "The gain follows from the lengths alone: at a fixed packet rate it is the same in any network that loses nothing. "
                    "It is a gain in bytes that applications can use, not in time: links take equally long for packets of equal length, "
                    "whatever their bytes mean. The part parsing looks at what parsing costs, and the part capacity at packets of "
                    "equal payload, which are shorter with Shorternet.",
                    f"The thesis's switches, hosts and scripts shared one laptop. {_jitter(points)} A pass that takes longer for "
                    "more headers would add the same time to each packet, and no jitter. The thesis's jitter is larger than its mean "
                    "latency, so some of its packets seem to have been delayed for much longer than the mean; we do not know why.",
                ],
            )
        ],
    )


def _gains_by_length(points: pl.DataFrame) -> pl.DataFrame:
    """Builds a table with a row for each length that both stacks have: the measured gain and the
    gain in theory."""
    short, standard = (points.filter(pl.col("stack") == stack) for stack in STACK_NAMES)
    joined = short.join(standard, on=_PARAMETERS, suffix="_standard", maintain_order="left")
    in_theory = [gain(length) for length in joined["length"]]
    return joined.with_columns(
        pl.Series("theory_percent", [100 * value for value in in_theory], dtype=pl.Float64),
        (100 * (pl.col("bandwidth_bytes_s") / pl.col("bandwidth_bytes_s_standard") - 1)).alias(
            "gain_percent"
        ),
    ).with_columns(
        (100 * (pl.col("gain_percent") / pl.col("theory_percent") - 1)).alias("deviation_percent"),
    )


def _answer(points: pl.DataFrame, both: pl.DataFrame) -> str:
    lost, sent = points["lost"].sum(), (points["sent"] * points["n"]).sum()
    if both.is_empty():
        return f"{lost:g} of {sent:,.0f} packets are lost."
    first, last = both.row(0, named=True), both.row(-1, named=True)
    worst = both["deviation_percent"].abs().to_numpy().max()
    slower = (both["latency_ms_standard"] - both["latency_ms"]).abs().to_numpy().max()
    jitter = (both["jitter_ms_standard"] - both["jitter_ms"]).abs().to_numpy().max()
    if max(slower, jitter) < _SAME_MS:
        times = "saves no time here: latencies and jitters are the same"
    else:
        times = (
            f"changes the times of packets here: latencies differ {by_at_most(1000 * slower, both.height, unit='µs')} and jitters "
            f"{by_at_most(1000 * jitter, both.height, unit='µs')}"
        )
    at_last = f" and {last['theory_percent']:.3f} % with {last['length']}" if both.height > 1 else ""
    if worst == 0:
        measured_gains = "gains are the same" if both.height > 1 else "gain is the same"
    else:
        differ = "gains differ" if both.height > 1 else "gain differs"
        measured_gains = f"{differ} from that {by_at_most(worst, both.height, 4)}"
    return (
        f"At equal packet length Shorternet {times}, where the thesis's laptop saved {LATENCY_SAVED_MS:g} ms "
        f"({LATENCY_SAVED_PERCENT:g} %) and {JITTER_SAVED_MS:g} ms ({JITTER_SAVED_PERCENT:g} %). {lost:g} of {sent:,.0f} packets "
        f"are lost. By arithmetic, Shorternet gains {first['theory_percent']:.2f} % of effective bandwidth with packets of "
        f"{first['length']} bytes{at_last}; the measured {measured_gains}."
    )


def _jitter(points: pl.DataFrame) -> str:
    """Says how much jitter the runs have, and why there may be none."""
    most = points["jitter_ms"].to_numpy().max()
    if most < _SAME_MS:
        return "Here each switch has a processor of its own, and packets never meet, so jitter is 0."
    return f"Here jitter is up to {decimal(most)} ms."


def _gains(both: pl.DataFrame) -> Table:
    return Table.from_rows(
        both.iter_rows(named=True),
        [
            ("length (bytes)", "length"),
            ("payload, Shorternet", "payload_bytes", 0),
            ("payload, IPv4", "payload_bytes_standard", 0),
            ("kB/s, Shorternet", lambda row: decimal(row["bandwidth_bytes_s"] / 1e3, 1)),
            ("kB/s, IPv4", lambda row: decimal(row["bandwidth_bytes_s_standard"] / 1e3, 1)),
            ("gain (%)", "gain_percent", 3),
            ("by arithmetic (%)", "theory_percent", 3),
            ("deviation (% of it)", "deviation_percent", 4),
        ],
        "The gain in effective bandwidth, which follows from the lengths.",
        marked=(5, 6),
    )


def _measures(points: pl.DataFrame) -> Table:
    return Table.from_rows(
        points.iter_rows(named=True),
        [
            ("length (bytes)", "length"),
            ("stack", lambda row: STACK_NAMES[row["stack"]]),
            ("sent", "sent", 0),
            ("lost", "lost", 0),
            ("late", "late", 0),
            ("changed", "changed", 0),
            ("latency (ms)", "latency_ms", 4),
            ("theory (ms)", "predicted_ms", 4),
            (
                "largest − smallest (ms)",
                lambda row: decimal(row["latency_max_ms_max"] - row["latency_min_ms_min"], 4),
            ),
            ("jitter (ms)", "jitter_ms", 4),
        ],
        "All measurements.",
        words=(1,),
        marked=(6, 7),
    )


def _figures(points: pl.DataFrame, both: pl.DataFrame, plots: Path) -> list[Figure]:
    def curves_by_stack(column: str, scale: float = 1) -> list[Curve]:
        return [
            Curve(name, stack_points["length"], (stack_points[column] * scale), {"marker": marker})
            for (stack, name), marker in zip(STACK_NAMES.items(), "os", strict=True)
            for stack_points in [points.filter(pl.col("stack") == stack)]
        ]

    length, dots = "packet length in bytes", {"marker": "o", "linestyle": ""}
    measured: list[tuple[str, str, str, list[Curve], dict[str, Any]]] = [
        ("bandwidth", "Effective bandwidth by packet length, for both stacks (thesis, figure 4.1).",
         "payload received in MB/s", curves_by_stack("bandwidth_bytes_s", 1e-6), {}),
        ("gain", "The measured gain next to theory, by packet length (figure 4.2).", "gain in %",
         [
             Curve("theory", both["length"], both["theory_percent"]),
             Curve("measured", both["length"], both["gain_percent"], dots),
         ],
         {"decorate": logarithmic("x", "y")}),
        ("latency", "Mean latency by packet length, for both stacks (figure 4.3).",
         "mean latency in ms", curves_by_stack("latency_ms"), {}),
        ("loss", "Lost packets by packet length (figure 4.4).", "packets lost", curves_by_stack("lost"), {}),
        ("jitter", "Jitter, the standard deviation of latency, by packet length (figure 4.5).", "jitter in ms",
         curves_by_stack("jitter_ms"), {}),
    ]  # fmt: skip
    return [
        Figure(draw_curves(plots, f"benchmark-{name}", curves, x=length, y=axis, **options), caption)
        for name, caption, axis, curves, options in measured
    ]
