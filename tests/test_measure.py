"""Figures compared with numbers computed by hand, and results as frames, files and plots."""

from pathlib import Path

import polars
import pytest

from weir import measure
from weir.measure import Series


def test_figures_by_hand():
    assert measure.mean([1, 2, 6]) == 3
    assert measure.standard_deviation([2, 4, 4, 4, 5, 5, 7, 9]) == 2
    assert measure.standard_deviation([1, 3], sample=True) == pytest.approx(2**0.5)
    assert measure.coefficient_of_variation([2, 4, 4, 4, 5, 5, 7, 9]) == pytest.approx(0.4)
    assert measure.jain([5, 5, 5]) == 1
    assert measure.jain([1, 0, 0, 0]) == 0.25
    assert measure.jain([4.45, 3.22, 2.10, 5.00]) == pytest.approx(14.77**2 / (4 * 59.5809))
    assert measure.percentile([1, 2, 3, 4], 50) == 2.5
    assert measure.percentile([3, 1, 2], 100) == 3
    assert measure.percentile([7], 25) == 7


def test_jitter_by_hand():
    # |D| is 16, 0, 32: 16/16, then minus a sixteenth, then (32 - 0.9375)/16 more.
    assert measure.rfc3550_jitter([100, 116, 116, 84]) == [0, 1, 0.9375, 2.87890625]
    assert measure.rfc3550_jitter([]) == []


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: measure.mean([]), "expected at least one value"),
        (lambda: measure.jain([]), "expected at least one value"),
        (lambda: measure.jain([0, 0]), "all shares are 0"),
        (lambda: measure.jain([1, -1]), "must not be negative"),
        (lambda: measure.coefficient_of_variation([1, -1]), "mean of 0"),
        (lambda: measure.standard_deviation([1], sample=True), "two values or more"),
        (lambda: measure.percentile([1], 101), "not from 0 to 100"),
    ],
)
def test_missing_figures_are_errors(call, message: str):
    with pytest.raises(ValueError, match=message):
        call()


def test_a_series_knows_its_moments_and_parts(tmp_path: Path):
    series = Series("delay", "ms", [0, 10**9, 2 * 10**9], [1, 2, 6])
    assert (len(series), series.mean, series.min, series.max, series.percentile(50)) == (3, 3, 1, 6, 2)
    assert list(series.between(1, 2)) == [(1.0, 2)]
    frame = series.to_frame()
    assert frame.schema == {"time_s": polars.Float64, "delay_ms": polars.Float64}
    assert frame.rows() == [(0.0, 1.0), (1.0, 2.0), (2.0, 6.0)]
    assert series.to_csv(tmp_path / "a.csv").read_text() == "time_s,delay_ms\n0.0,1.0\n1.0,2.0\n2.0,6.0\n"
    assert polars.read_parquet(series.to_parquet(tmp_path / "a.parquet")).equals(frame)


@pytest.mark.parametrize(("name", "magic"), [("a.png", b"\x89PNG"), ("a.svg", b"<?xml"), ("a.pdf", b"%PDF")])
def test_plots_are_files_that_repeat(tmp_path: Path, name: str, magic: bytes):
    series = Series("queue", "packets", [0, 10**9], [1, 2])
    series.plot(tmp_path / name, title="a queue")
    first = (tmp_path / name).read_bytes()
    assert first.startswith(magic)
    series.plot(tmp_path / name, title="a queue")
    assert (tmp_path / name).read_bytes() == first


def test_files_that_cannot_be_written_are_told(tmp_path: Path):
    from weir import FileError

    series = Series("queue", "packets", [0], [1])
    for write in (series.to_csv, series.to_parquet):
        with pytest.raises(FileError, match="cannot be written"):
            write(tmp_path / "no" / "where")
    with pytest.raises(FileError, match=r"cannot be written as '.gif': expected .png, .svg or .pdf"):
        series.plot(tmp_path / "a.gif")
    with pytest.raises(FileError, match="cannot be written"):
        series.plot(tmp_path / "no" / "a.png")


def test_equal_values_have_no_deviation():
    # The sum, rounded once, divided by five and rounded again, is larger than each value.
    assert measure.mean([7.6692] * 5) == 7.6692
    assert measure.standard_deviation([7.6692] * 5) == 0
