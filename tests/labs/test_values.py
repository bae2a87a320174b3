"""Values of ``--set`` are checked before a run starts; fits need points that determine them."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path

import pytest

from weir.errors import FileError, WeirError
from weir.lab import load_lab, run_lab
from weir.lab.values import read_values
from weir_labs.delay.fit import fit
from weir_labs.delay.report.common import fit_line
from weir_labs.shared_computer.chains import MEASURED
from weir_labs.shared_computer.fit import fit as fit_computer


@pytest.mark.parametrize(
    ("lab", "name", "value", "message"),
    [
        ("delay", "x", "-1", "x=-1: expected a number from 0"),
        ("delay", "x", "99999999999999999999", "expected a number from -2"),
        ("int", "cross_mbps", "0", "cross_mbps=0.0: expected a number above 0"),
        ("int", "cross_mbps", "inf", "cross_mbps=inf: expected a value such as"),
        ("int", "cross_mbps", "1_0", "cross_mbps=1_0: expected a value such as"),
        ("delay", "x", "\u0663", "x=\u0663: expected a whole number such as"),
        ("firewall", "spoofed", "0", "spoofed=0: expected a number above 0"),
        ("load-balance", "seconds", "1", "seconds=1: expected a number from 5 to 86400"),
        ("load-balance", "senders", "17", "senders=17: expected a number from 1 to 16"),
        ("queue-occupancy", "idle_s", "1", "idle_s=1: expected a number from 2 to 86400"),
        ("queue-occupancy", "flows", "3", "flows=3: expected a number from 1 to 2"),
        ("queue-occupancy", "probe_ms", "2000", "probe_ms=2000: expected more than 0, and 1000 at most"),
        ("pacing", "period", "1ms", "period=1ms: expected 15ms or more"),
        ("pacing", "hosts", "201", "hosts=201: expected a number from 1 to 200"),
        ("int", "max_hops", "256", "max_hops=256: expected a number from 0 to 255"),
        ("shorternet", "packets", "1", "packets=1: expected a number from 2 to"),
        ("pacing", "reserve_percent", "100", "reserve_percent=100: expected a number from 0 to 99"),
        ("pacing", "flows", "1001", "flows=1001: expected a number from 1 to 1000"),
        ("int-report", "switches", "64", "switches=64: expected a number from 1 to 63"),
        ("load-balance", "threshold", "65536", "threshold=65536: expected a number from 0 to 65535"),
        ("load-balance", "percent", "101", "percent=101: expected a number from 1 to 100"),
        ("load-balance", "gap", "0us", "gap=0us: expected 1us or more"),
        ("load-balance", "interval", "0us", "interval=0us: expected 1us or more"),
        ("shorternet", "flows", "101", "flows=101: expected a number from 1 to 100"),
        ("switch-comparison", "seconds", "3601", "seconds=3601: expected a number from 1 to 3600"),
        ("switch-comparison", "rates", "10/x", "rates=10/x: expected rates in Mbit/s"),
    ],
)
def test_numbers_are_checked_before_a_run(
    tmp_path: Path, lab: str, name: str, value: str, message: str
) -> None:
    with pytest.raises(WeirError, match=message):
        run_lab(lab, tmp_path / "out", quick=True, values={name: [value]})
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("lab", "part", "name", "value", "message"),
    [
        ("int", "cost", "switches", "1", "switches=1: expected a number from 2 to 63$"),
        (
            "int",
            "metadata",
            "switches",
            "3",
            "switches=3: expected a number from 4 to 63 in the experiment metadata$",
        ),
        ("int", "transparency", "switches", "3", "switches=3: expected a number from 4 to 63"),
        ("int-report", "congestion-control", "switches", "1", "switches=1: expected a number from 2 to 63"),
        ("pacing", "leaving", "hosts", "1", "hosts=1: expected a number from 2 to 200"),
        ("pacing", "faults", "mode", "cubic", "mode=cubic: expected htb or fq"),
        ("pacing", "paths", "seconds", "1", "seconds=1: expected a number from 2 to"),
        ("pacing", "paths", "mode", "cubic-codel", "mode=cubic-codel: expected htb, fq, cubic, reno or bbr"),
        ("shorternet", "parsing", "extra", "17", "extra=17: expected a number from 0 to 16"),
        ("switch-comparison", "updates", "updates_per_s", "32765", "expected a number from 0 to 32764"),
        (
            "switch-comparison",
            "mechanisms",
            "milliseconds",
            "9",
            "milliseconds=9: expected a number from 10 to",
        ),
    ],
)
def test_experiments_have_bounds_of_their_own(
    tmp_path: Path, lab: str, part: str, name: str, value: str, message: str
) -> None:
    with pytest.raises(WeirError, match=message):
        run_lab(lab, tmp_path / "out", only=[part], quick=True, values={name: [value]})
    assert not (tmp_path / "out").exists()


def test_worlds_have_bounds_of_their_own() -> None:
    lab = load_lab("queue-occupancy")
    (real,) = lab.linux
    assert 1 in lab.allowed_in(real)["idle_s"]
    assert all(1 not in lab.allowed_in(part)["idle_s"] for part in lab.parts)


def test_numbers_may_be_what_a_declared_value_is() -> None:
    def read(text: str, *declared: float) -> list[object]:
        return [*read_values("x", [text], declared, {})]

    assert read("0", 0, 1) == [0] and read("-3", -1, 1) == [-3] and read("0.5", 1.0) == [0.5]
    assert [*read_values("x", ["0"], [1], {"x": range(3)})] == [0]


@pytest.mark.parametrize(
    ("xs", "ys", "slope", "quality"),
    [
        ([0], [1.0], None, None),
        ([1, 1], [1.0, 2.0], None, None),
        ([0, 1], [1.0, None], None, None),
        ([0, 1], [1.0, 2.0], 1.0, None),
        ([0, 1, 2], [1.0, 1.0, 1.0], 0.0, None),
        ([0, 1, 2], [1.0, 2.0, 3.0], 1.0, 1.0),
    ],
)
def test_a_line_needs_two_points_and_its_quality_three(
    xs: Sequence[int], ys: Sequence[float | None], slope: float | None, quality: float | None
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        line = fit_line(xs, ys)
    assert (None if line is None else line.b) == slope
    assert (None if line is None else line.r2) == quality


def test_a_fit_to_two_points_has_no_quality(tmp_path: Path) -> None:
    file = tmp_path / "measured.csv"
    file.write_text("recirculations,rtt_min_ms,tcp_mbps\n0,1,10\n1,2,5\n")
    assert fit(file).r2 is None


def test_a_prediction_needs_its_row() -> None:
    with pytest.raises(FileError, match="has no row with 9 switches to predict: there are rows with 1, 2, 3"):
        fit_computer(MEASURED, predict=[9])
