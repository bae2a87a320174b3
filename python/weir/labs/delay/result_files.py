"""The files for other programs: a row per ping, and the summary.

The same results give the same bytes.
"""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import polars as pl

from weir.labs.delay.report import Run


def write_results(results: pl.DataFrame, folder: Path) -> None:
    """Writes ``results.csv`` and ``results.parquet``: missing values are empty or null.

    In the CSV, times have all digits down to the nanosecond.
    """
    with (folder / "results.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(results.columns)
        decimals = {"time_s": 9, "rtt_ms": 6}
        places = [decimals.get(column) for column in results.columns]
        for row in results.iter_rows():
            writer.writerow(_text(value, digits) for value, digits in zip(row, places, strict=True))
    results.write_parquet(folder / "results.parquet")


def write_summary(run: Run, path: Path) -> None:
    """Writes ``summary.json``: times in milliseconds, rates in bit/s (null is unlimited)."""
    path.write_text(json.dumps(summary(run), indent=2, allow_nan=False) + "\n", encoding="utf-8")


def summary(run: Run) -> dict[str, Any]:
    """The summary as plain values."""
    theory = run.theory
    return {
        "lab": "delay",
        "seed": run.seed,
        "quick": run.quick,
        "profile": run.profile,
        "pass_latency_ms": theory.pass_ns / 1e6,
        "host_processing_ms": theory.processing_ns / 1e6,
        "wire_bytes": theory.wire_bytes,
        "cells": [
            {
                "recirculations": result.recirculations,
                "rate_bps": result.rate_bps,
                "sent": result.sent,
                "received": result.received,
                "rtt_min_ms": _rounded(result.rtt_min_ms),
                "rtt_avg_ms": _rounded(result.rtt_avg_ms),
                "rtt_max_ms": _rounded(result.rtt_max_ms),
                "rtt_theory_ms": _rounded(theory.rtt_ms(result.recirculations, result.rate_bps)),
                "rtt_theory_thesis_bytes_ms": _rounded(
                    theory.thesis_rtt_ms(result.recirculations, result.rate_bps)
                ),
                "interval_ms": cell.interval_ms,
                "seed": cell.seed,
            }
            for cell, result in zip(run.cells, run.results, strict=True)
        ],
        "fits": [
            {
                "rate_bps": fit.rate_bps,
                "a_ms": _rounded(fit.a_ms),
                "b_ms": _rounded(fit.b_ms),
                "r2": _rounded(fit.r2),
                "a_predicted_ms": _rounded(theory.a_ms(fit.rate_bps)),
                "b_predicted_ms": _rounded(theory.b_ms),
            }
            for fit in run.fits
        ],
    }


def _rounded(value: float | None) -> float | None:
    """Rounds to a millionth of a nanosecond.

    Further digits come from the arithmetic, not from the measurement.
    """
    return None if value is None else round(value, 12)


def _text(value: object, digits: int | None) -> str:
    if value is None:
        return ""
    return f"{value}" if digits is None else f"{value:.{digits}f}"
