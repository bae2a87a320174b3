"""The report on round trips, in the thesis's order (figures 5.5 to 5.17)."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from weir.lab import Findings, Tables, all_within, by_at_most, claim, part_of
from weir.report import Figure, Section, Table, decimal

from ..rtt import DATA_BYTES, interval_ms
from ..theory import rate_name, transmission_ms, wire_bytes
from ..thesis import COUNTED_BYTES, PUBLISHED
from .common import Line, fit_line, percent
from .rtt_plots import all_rates, each_rate, groups, round_trips_by_rate

_SLOPE_SHARE = 0.01
"""The allowed difference of a line's slope from two pass times, as a share."""


def findings(tables: Tables, plots: Path) -> Findings:
    """Fits RTT = a + b·X at each rate, and compares the lines with the thesis."""
    runs = tables.runs
    lines = fitted_lines(runs)
    return Findings(
        _answer(runs, lines),
        [
            Section(
                "Round trips without recirculation",
                [
                    "The theoretical round trip is the sum of four transmissions, two passes through "
                    "the switch and the hosts' processing. For a ping of 1200 bytes the thesis counts "
                    f"{COUNTED_BYTES} bytes. The lab counts 1242 bytes, including Ethernet's header, "
                    "because a link carries these.",
                    "The thesis subtracts four transmissions from its round trips, calls the rest "
                    "processing, and finds that the rest grows on slow links. Most of the growth comes "
                    "from the 14 bytes that the thesis does not count: with them, the rest is 2 to 4 "
                    "ms on slow links instead of 2 to 48. The lab's rest grows in the same way if the "
                    "14 bytes are not counted, although processing here takes no longer on slow links.",
                ],
                [
                    _link_rate_table(runs).fold("Round trips by link rate: theory, ours, and the thesis's."),
                    *_rest_tables(runs),
                ],
                [
                    Figure(
                        round_trips_by_rate(runs, plots),
                        f"Round trips without recirculation {_difference_from_theory(runs)} (dotted); crosses are the "
                        "thesis's (figures 5.5 to 5.7).",
                        wide=True,
                    )
                ],
            ),
            Section(
                "Round trips by number of recirculations: RTT = a + b·X",
                [
                    "A packet passes the switch X + 1 times in each direction, so b is two passes, and "
                    "a is the rest of the round trip. The profiles bmv2-vm and bmv2-server are fitted: "
                    "their pass time (312.5 and 995 µs) and the hosts' time (198 and 126 µs) come from "
                    "the least-squares line through the thesis's four minimum round trips over "
                    "unlimited links. For that reason, a and b over unlimited links do not confirm the model. The "
                    "thesis's own line goes through X = 0 and 1 only, and is 7 % too high at X = 7."
                    f"{_difference_from_thesis(lines)}",
                    "The passes per second of both profiles (3200 and 1005) assume that a switch runs "
                    "one pass at a time. The thesis measured throughput on the virtual machine only, "
                    "so its numbers test the first value but not the second.",
                ],
                [_fits_table(lines).fold("The lines by profile and link rate, next to the thesis's.")],
                [
                    Figure(
                        all_rates(runs, plots),
                        f"Round trips by transmissions at each link rate ({tables.values('profile')[0]}); crosses are "
                        "published numbers.",
                        wide=True,
                    )
                ],
                notes=[
                    _variation_sentence(runs),
                    f"Pings are sent every {interval_ms(0)} ms, or every 1.1 round trips if a round "
                    "trip takes longer than that.",
                ],
            ),
            Section(
                "Round trips at each link rate",
                tables=[_all_runs(runs)],
                figures=[
                    Figure(
                        each_rate(runs, tables.values("rate"), plots),
                        "Round trips by transmissions, with a plot for each link rate (thesis, figures 5.8 to 5.17); "
                        "crosses are published numbers.",
                        wide=True,
                    )
                ],
                folded=True,
            ),
        ],
    )


def fitted_lines(runs: pl.DataFrame, column: str = "rtt_min_ms") -> dict[tuple[str, str], Line]:
    """Fits a line to the minimum round trips of each profile and rate, or to another column.

    A profile and rate with fewer than two different X has no line.
    """
    fitted = {}
    for (profile, rate), cells in groups(runs, "profile", "rate"):
        line = fit_line(cells["x"].to_list(), cells[column].to_list())
        if line is not None:
            fitted[profile, rate] = line
    return fitted


def _answer(runs: pl.DataFrame, lines: dict[tuple[str, str], Line]) -> str:
    """Compares the slope of each line with that of the theory, which is two pass times."""
    theory = fitted_lines(runs, "theory_ms")
    pairs = [(line.b, theory[place].b) for place, line in lines.items()]
    rates = {rate for _, rate in lines}
    rates_text = f"at each of {len(rates)} link rates" if len(rates) > 1 else "at one link rate"
    worst = max((100 * abs(b / expected - 1) for b, expected in pairs if expected), default=0.0)
    text = claim(
        f"in the model, each recirculation adds two pass times to a round trip, {rates_text}",
        all_within(pairs, _SLOPE_SHARE),
        f"{'slopes differ' if len(pairs) > 1 else 'the slope differs'} from two pass times "
        f"{by_at_most(worst, len(pairs), 1)}",
        needs="two or more values of X",
    )
    fitted = "; ".join(
        line.text(profile)
        for (profile, rate), line in lines.items()
        if rate == "unlimited" and profile in PUBLISHED
    )
    if not fitted:
        return text
    return f"{text} Over unlimited links: {fitted}; the times of these profiles are fitted to the thesis."


def _difference_from_theory(runs: pl.DataFrame) -> str:
    """Says how far round trips without recirculation are from the theory."""
    measured = runs.filter(pl.col("x") == 0).drop_nulls("rtt_min_ms")
    if measured.is_empty():
        return "were not run; here is the theory"
    worst = (100 * (measured["rtt_min_ms"] / measured["theory_ms"] - 1)).abs().to_numpy().max()
    return (
        "are equal to the theory"
        if worst < 0.01
        else f"differ from the theory {by_at_most(worst, measured.height)}"
    )


def _difference_from_thesis(lines: dict[tuple[str, str], Line]) -> str:
    """Says how far each fitted line is from the thesis's round trips over unlimited links."""
    differences = []
    for profile, thesis in PUBLISHED.items():
        line = lines.get((profile, "unlimited"))
        if line is not None:
            differences += [
                f"{profile}, X = {x}: {percent(line.a + line.b * x, published)}"
                for (rate, x), published in thesis.rtt_min_ms.items()
                if rate == "unlimited"
            ]
    return (
        f" The lines of this run differ from the thesis's round trips: {'; '.join(differences)}."
        if differences
        else ""
    )


def _link_rate_table(runs: pl.DataFrame) -> Table:
    rows = []
    for row in runs.filter(pl.col("x") == 0).iter_rows(named=True):
        rate = None if row["rate"] == "unlimited" else _bits_per_second(row["rate"])
        less = transmission_ms(row["wire_bytes"], rate) - transmission_ms(COUNTED_BYTES, rate)
        thesis = PUBLISHED.get(row["profile"])
        published = thesis.rtt_min_ms.get((row["rate"], 0)) if thesis else None
        rows.append(
            [
                row["profile"],
                rate_name(row["rate"]),
                decimal(row["theory_ms"]),
                decimal(row["theory_ms"] - less),
                decimal(row["rtt_min_ms"]),
                decimal(row["rtt_avg_ms"]),
                decimal(published, 2),
            ]
        )
    head = [
        "profile",
        "link rate",
        "theory (ms)",
        f"with {COUNTED_BYTES} B",
        "min (ms)",
        "avg (ms)",
        "thesis, min (ms)",
    ]
    table = Table(head, rows, words=(0, 1), marked=(4,))
    return table.by_repetition(runs.filter(pl.col("x") == 0)["repetition"])


def _rest_tables(runs: pl.DataFrame) -> list[Table]:
    """Builds tables of round trips minus four transmissions, with and without Ethernet's header,
    for the thesis and the lab."""
    rows = []
    shown = runs.filter(pl.col("profile") == "bmv2-vm", pl.col("x") == 0)
    for row in shown.iter_rows(named=True):
        published = PUBLISHED["bmv2-vm"].rtt_min_ms.get((row["rate"], 0))
        rate = None if row["rate"] == "unlimited" else _bits_per_second(row["rate"])
        counted, whole = (transmission_ms(size, rate) for size in (COUNTED_BYTES, row["wire_bytes"]))
        cells = [
            None if value is None else value - sent
            for value in (published, row["rtt_min_ms"])
            for sent in (counted, whole)
        ]
        rows.append(
            [rate_name(row["rate"]), decimal(published, 2), decimal(row["rtt_min_ms"], 2)]
            + [decimal(cell, 2) for cell in cells]
        )
    head = ["link rate", "thesis (ms)", "ours (ms)"]
    head += [
        f"{whose}, left with {size} B"
        for whose in ("thesis", "ours")
        for size in (COUNTED_BYTES, wire_bytes(DATA_BYTES))
    ]
    caption = "Round trips minus four transmissions: virtual machine, X = 0."
    table = Table(head, rows, caption, words=(0,), marked=(4, 6))
    return [table.by_repetition(shown["repetition"])] if rows else []


def _fits_table(lines: dict[tuple[str, str], Line]) -> Table:
    rows = []
    for (profile, rate), line in lines.items():
        thesis = PUBLISHED.get(profile) if rate == "unlimited" else None
        rows.append(
            [
                profile,
                rate_name(rate),
                decimal(line.a, 3),
                decimal(line.b, 3),
                decimal(line.r2, 8),
                *([f"{thesis.a_ms}", f"{thesis.b_ms}"] if thesis else ["–", "–"]),
                *(
                    [percent(line.a, thesis.a_ms, 2), percent(line.b, thesis.b_ms, 2)]
                    if thesis
                    else ["–", "–"]
                ),
            ]
        )
    head = [
        "profile",
        "link rate",
        "a (ms)",
        "b (ms)",
        "R²",
        "a, thesis",
        "b, thesis",
        "a differs",
        "b differs",
    ]
    return Table(head, rows, "Fitted to the minimum round trips.", words=(0, 1), marked=(2, 3))


def _all_runs(runs: pl.DataFrame) -> Table:
    head = [
        "profile",
        "link rate",
        "X",
        "sent",
        "received",
        "min (ms)",
        "avg (ms)",
        "max (ms)",
        "theory (ms)",
    ]
    rows = [
        [
            row["profile"],
            rate_name(row["rate"]),
            f"{row['x']}",
            f"{row['sent']}",
            f"{row['received']}",
            *(decimal(row[name], 6) for name in ("rtt_min_ms", "rtt_avg_ms", "rtt_max_ms", "theory_ms")),
        ]
        for row in runs.iter_rows(named=True)
    ]
    return Table(head, rows, words=(0, 1), marked=(5,)).by_repetition(runs["repetition"])


def _variation_sentence(runs: pl.DataFrame) -> str:
    varying = runs.filter(pl.col("rtt_min_ms") != pl.col("rtt_max_ms")).height
    if varying:
        return f"Round trips vary from ping to ping at {part_of(varying, runs.height, 'point')}."
    if runs["received"].to_numpy().max() < 2:
        return "A single ping does not show whether round trips vary."
    return (
        "In the lab, all pings take the same time, so minimum, average and maximum are equal. On the "
        "thesis's machines other processes delay packets, more on the virtual machine than on the "
        "server."
    )


def _bits_per_second(rate: str) -> int:
    from weir.units import rate_bps

    return rate_bps(rate)
