"""Computes the findings about chains on this computer (``--world linux``): measured short chains,
a fit, and a predicted longer chain."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

import polars as pl

from weir.lab import Findings, Tables, claim, count_noun
from weir.report import Curve, Figure, Section, Table, decimal, draw_curves, signed

from ..chains import FITTED_COMPUTER
from ..fit import FIGURES, Fit, fit_chains
from .chains import TITLES

_SHARE: Final = 15
"""The allowed difference between a prediction and the measurement, in per cent."""


@dataclass(frozen=True)
class _Measured:
    """The chains of one kind of switch on this computer.

    Attributes:
        switch: the kind of switch.
        points: the minimum, median and maximum of each figure, in a row for each number of
            switches.
        fit: the computer that is fitted to all chains except the longest; ``None`` if the figures
            determine none.
        why: the reason why there is no fit.
        ranges: the minimum and maximum differences of the longest chain, in per cent, when one turn
            is left out; empty with fewer than three turns.
    """

    switch: str
    points: pl.DataFrame
    fit: Fit | None
    why: str = ""
    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict)


def chains(tables: Tables, plots: Path) -> Findings:
    """Fits a computer to the short chains of each kind of switch, and compares its longest chain
    with the measured one."""
    real = tables.runs.filter(pl.col("world") == "linux")
    if real.is_empty():
        return Findings("Not run: chains on this computer, which need the Linux world.", [])
    fits = [_fitted(switch, real.filter(pl.col("switch") == switch)) for switch in tables.values("switch")]
    virtual = _points(tables.runs.filter(pl.col("world") == "virtual"))
    return Findings(
        " ".join(_answer(fit) for fit in fits),
        [
            Section(
                "Chains of switches on this computer",
                [
                    "Real switches run between network namespaces of this computer. The figures of all chains but the longest "
                    "determine the times of a virtual computer, as weir lab fit computes them; the figures of the longest chain, "
                    "and all UDP figures, are predictions. Each measured figure is the median of the turns; the least and the "
                    "largest show how much the speed of this computer changed meanwhile.",
                    "The column bmv2-deep-sleep has the computer of that name, which was fitted to another machine with "
                    "simple_switch.",
                ],
                [_table(fit, virtual) for fit in fits],
                [
                    Figure(
                        draw_curves(
                            plots,
                            f"chains-{name.replace('_', '-')}",
                            [curve for fit in fits for curve in _curves(fit, name)],
                            x="switches",
                            y=title,
                        ),
                        f"{title[0].upper()}{title[1:].partition(' in ')[0]}: the fitted computer (line) and this computer (dots).",
                    )
                    for name, title in TITLES.items()
                ],
                notes=[_times(fit) for fit in fits],
            )
        ],
    )


def _points(runs: pl.DataFrame) -> pl.DataFrame:
    return (
        runs.group_by("switches", maintain_order=True)
        .agg(
            pl.len().alias("n"),
            pl.max("processors"),
            *(pl.median(name) for name in FIGURES),
            *(pl.min(name).alias(f"{name}_min") for name in FIGURES),
            *(pl.max(name).alias(f"{name}_max") for name in FIGURES),
        )
        .sort("switches")
    )


def _fitted(switch: str, runs: pl.DataFrame) -> _Measured:
    points = _points(runs)
    if len(points) < 3:
        return _Measured(switch, points, None, "it needs chains of at least three lengths")
    try:
        fit = _fit(switch, points)
    except ValueError as error:
        return _Measured(switch, points, None, f"{error}")
    return _Measured(switch, points, fit, ranges=_ranges(switch, runs))


def _fit(switch: str, points: pl.DataFrame) -> Fit:
    rows = {row["switches"]: {name: row[name] for name in FIGURES} for row in points.to_dicts()}
    return fit_chains(
        "this computer", rows, points["processors"][0], [max(rows)], pipelined=switch == "simple_switch"
    )


def _ranges(switch: str, runs: pl.DataFrame) -> dict[str, tuple[float, float]]:
    """Returns the range of each difference of the longest chain when one turn is left out."""
    turns = runs["turn"].unique().sort()
    if len(turns) < 3:
        return {}
    differences = []
    for turn in turns:
        points = _points(runs.filter(pl.col("turn") != turn))
        try:
            differences.append(_differences(_fit(switch, points), points["switches"][-1]))
        except ValueError:
            return {}
    return {
        name: (
            min(difference[name] for difference in differences),
            max(difference[name] for difference in differences),
        )
        for name in FIGURES
    }


def _differences(fit: Fit, switches: int) -> dict[str, float]:
    """Returns the differences of the fitted computer's figures from the measured ones, in per
    cent."""
    simulated, measured = asdict(fit.simulated[switches]), fit.measured[switches]
    return {name: 100 * (simulated[name] / measured[name] - 1) for name in FIGURES}


def _answer(one: _Measured) -> str:
    longest = one.points["switches"][-1]
    text = f"the fit to the shorter chains of {one.switch} predicts all figures of {count_noun(longest, 'switch')} within {_SHARE} %"
    if one.fit is None:
        return f"Not run: whether {text} ({one.why})."
    differences = _differences(one.fit, longest)
    numbers = ", ".join(
        f"{TITLES[name].partition(' in ')[0]} {signed(differences[name])} %" for name in FIGURES
    )
    return claim(text, all(abs(value) <= _SHARE for value in differences.values()), numbers)


def _table(one: _Measured, virtual: pl.DataFrame) -> Table:
    by_switches = {row["switches"]: row for row in virtual.to_dicts()}
    rows: list[list[str]] = []
    for row in one.points.to_dicts():
        switches = row["switches"]
        for name, title in TITLES.items():
            cells = [
                f"{switches}",
                title,
                f"{row[name]:.3g}",
                f"{row[f'{name}_min']:.3g}",
                f"{row[f'{name}_max']:.3g}",
            ]
            if one.fit is None:
                cells += ["–", "–", "–"]
            else:
                predicted = switches in one.fit.predicted or name == "udp_mbps"
                cells.append(f"{getattr(one.fit.simulated[switches], name):.3g}")
                cells += [
                    signed(_differences(one.fit, switches)[name]),
                    "predicted" if predicted else "fitted",
                ]
            other = by_switches.get(switches)
            rows.append([*cells, "–" if other is None else f"{other[name]:.3g}"])
    head = [
        "switches", "figure", "measured", "least", "largest", "fitted computer", "differs (%)", "its figure is",
        FITTED_COMPUTER,
    ]  # fmt: skip
    turns = one.points["n"].to_numpy().max()
    caption = (
        f"Measured and simulated figures of chains of {one.switch}; medians of {count_noun(turns, 'turn')}."
    )
    return Table(head, rows, words=(1, 7), marked=(6,)).fold(caption)


def _curves(one: _Measured, name: str) -> list[Curve]:
    lengths = one.points["switches"].to_list()
    measured = Curve(f"{one.switch}, measured", lengths, one.points[name], {"marker": "o", "linestyle": ""})
    if one.fit is None:
        return [measured]
    simulated = [getattr(one.fit.simulated[length], name) for length in lengths]
    return [Curve(f"{one.switch}, fitted computer", lengths, simulated), measured]


def _times(one: _Measured) -> str:
    if one.fit is None:
        return f"There is no fit for {one.switch}: {one.why}."
    computer: Any = one.fit.computer
    text = (
        f"The computer that is fitted to {one.switch} has {computer.processors} processors. A switch takes "
        f"{decimal(computer.switch_ns / 1000, 1)} µs for a packet, an application {decimal(computer.app.packet_ns / 1000, 1)} µs, "
        f"and a wake-up {decimal(computer.wake_up_ns / 1000, 1)} µs, plus {decimal(computer.wake_up_jitter_ns / 1000, 1)} µs on "
        "average. A wake-up on a processor that had no work for "
        f"{decimal(computer.deep_sleep_after_ns / 1000, 0)} µs takes {decimal(computer.deep_wake_up_jitter_ns / 1000, 0)} µs "
        "more on average."
    )
    if one.ranges:
        ranges = ", ".join(
            f"{TITLES[name].partition(' in ')[0]} {signed(least)} to {signed(largest)} %"
            for name, (least, largest) in one.ranges.items()
        )
        switches = count_noun(one.points["switches"][-1], "switch")
        text += f" If any one of the turns is left out, the differences of {switches} are: {ranges}."
    return text
