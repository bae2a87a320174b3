"""Digits of means that match their confidence intervals, in tables too."""

from __future__ import annotations

import pytest

from weir.report import Table, interval, measured, with_interval


@pytest.mark.parametrize(
    ("value", "half", "mean", "width"),
    [
        (12.3456, 0.0412, "12.35", "0.04"),
        (12.3456, 0.0152, "12.346", "0.015"),
        (1234.5, 352, "1200", "400"),
        (1234.5, 152, "1230", "150"),
        (3.24, 0.3, "3.2", "0.3"),
        (-0.001, 0.2, "0.00", "0.20"),
        (5.0, None, "5.000", "–"),
        (5.0, 0.0, "5.000", "–"),
        (None, None, "–", "–"),
    ],
)
def test_a_mean_has_the_digits_of_its_interval(
    value: float | None, half: float | None, mean: str, width: str
) -> None:
    assert (measured(value, half), interval(half)) == (mean, width)


def test_columns_with_an_interval_have_its_digits() -> None:
    rows = [{"ms": 12.3456, "ms_half": 0.41}, {"ms": 12.3456, "ms_half": None}]
    table = Table.from_rows(rows, [("time (ms)", "ms", 3), ("± 95 %", "ms_half", 4), ("plain", "ms", ".1f")])
    assert table.rows == [["12.3", "0.4", "12.3"], ["12.346", "–", "12.3"]]


@pytest.mark.parametrize(
    ("value", "half", "digits", "shown"),
    [
        (12.3456, 0.0412, 3, "12.35 ± 0.04"),
        (1234.5, 352, 1, "1200 ± 400"),
        (5.0, None, 1, "5.0"),
        (5.0, 0.0, 1, "5.0"),
        # Runs that are almost alike have no digits without a meaning.
        (94.56051, 0.0026, 1, "94.561 ± 0.003"),
        (0.99999999, 1e-9, 5, "1.0000000"),
        (None, 0.1, 1, "–"),
    ],
)
def test_a_mean_is_shown_with_its_interval(
    value: float | None, half: float | None, digits: int, shown: str
) -> None:
    assert with_interval(value, half, digits) == shown
