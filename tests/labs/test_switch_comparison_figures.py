"""The lab switch-comparison: means of points, and rates as text."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from weir.errors import WeirError
from weir.lab import Predicted, Tables
from weir_labs.switch_comparison.published import PUBLISHED
from weir_labs.switch_comparison.rates import read_rates
from weir_labs.switch_comparison.report.points import means


def test_means_have_intervals_and_single_runs_none() -> None:
    frame = pl.DataFrame({"switch": ["a", "a", "b"], "v": [1.0, 3.0, 5.0], "unit": ["x", "x", "y"]})
    first, second = means(frame, "switch")
    assert (first["v"], first["n"], second["v_half"], first["unit"]) == (2.0, 2, 0.0, "x")
    assert first["v_half"] == pytest.approx(12.706, rel=1e-3)


def test_missing_values_do_not_make_intervals_narrow() -> None:
    frame = pl.DataFrame({"switch": ["a"] * 4, "v": [1.0, 3.0, None, None], "w": [1.0, 1.0, 1.0, 2.0]})
    (row,) = means(frame, "switch")
    assert (row["v"], row["n"]) == (2.0, 4) and row["v_half"] == pytest.approx(12.706, rel=1e-3)
    assert row["w_half"] == pytest.approx(3.182 * 0.5 / 2, rel=1e-3) and "v_count" not in row


@pytest.mark.parametrize("text", ["", "10/", "10/x", "0/5", "nan", "5/inf"])
def test_wrong_rates_are_refused(text: str) -> None:
    with pytest.raises(WeirError, match=r"expected rates in Mbit/s such as 10/50/100"):
        read_rates(text)


@pytest.mark.parametrize(
    ("busy", "threads", "expected"),
    [
        (5.0, (9.0, 4000.0), True),
        (5.0, (2.0, 4000.0), False),
        (5.0, (9.0, 40.0), False),
        (60.0, (9.0, 4000.0), None),
    ],
)
def test_the_cost_of_threads_is_judged_on_an_idle_computer(
    busy: float, threads: tuple[float, float], expected: bool | None, tmp_path: Path
) -> None:
    (number,) = [one for one in PUBLISHED if one.ids == ["wifi.rel.cpuenergy.conclusion"]]
    assert isinstance(number.ours, Predicted)
    cost, switches = threads
    pl.DataFrame(
        {
            "run": [0, 1],
            "switch": ["copy-single", "copy-single-threads"],
            "available": [True, True],
            "others_percent": [5.0, busy],
            "cpu_us_per_frame": [3.0, cost],
            "switches_per_s": [1000.0, switches],
            "frames_per_s": [1000.0, 1000.0],
        }
    ).write_parquet(tmp_path / "runs.parquet")
    assert number.ours.value(Tables(tmp_path)) is expected
