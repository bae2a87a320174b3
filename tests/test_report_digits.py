"""Digits of means that match their confidence intervals, in tables too."""

from __future__ import annotations

import pytest

from weir.report import Table, decimal, interval, measured, with_interval
from weir.text.measured import grouped


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "–"),
        (0.0, "0"),
        (1e-17, "0"),
        (0.0004, "0.000"),
        (-0.0004, "0.000"),
        (2, "2.000"),
        (-2, "−2.000"),
    ],
)
def test_only_exactly_nothing_is_a_plain_zero(value: float | None, shown: str) -> None:
    assert decimal(value) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("1,234 of 12,345 packets, 678901.", "1234 of 12_345 packets, 678_901."),
        ("24787.5 and −12345.25", "24_787.5 and −12_345.25"),
        ("0.123456, 40.356144, 2021-12345", "0.123456, 40.356144, 2021-12345"),
        ("--set x=10000, 10.20.30.40000, h10000, /12345/", "--set x=10000, 10.20.30.40000, h10000, /12345/"),
        ("1592379875325599345", "1592379875325599345"),
    ],
)
def test_thousands_are_separated_in_long_numbers(text: str, shown: str) -> None:
    assert grouped(text) == shown.replace("_", "\u202f")


@pytest.mark.parametrize(
    ("value", "half", "mean", "width"),
    [
        (12.3456, 0.0412, "12.35", "0.04"),
        (12.3456, 0.0152, "12.346", "0.015"),
        (1234.5, 352, "1200", "400"),
        (1234.5, 152, "1230", "150"),
        (3.24, 0.3, "3.2", "0.3"),
        (5.96, 40, "6", "40"),
        (7.57, 16, "8", "16"),
        (577, 1200, "580", "1200"),
        (39.5, 352, "40", "400"),
        (-0.001, 0.2, "0.00", "0.20"),
        (1.0, 9.4e-10, "1.00000", "9e-10"),
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
