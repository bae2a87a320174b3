"""The delay lab's report of both worlds, from invented runs."""

from itertools import product
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from weir.lab import Tables
from weir_labs.delay.report import worlds

WORLDS = ["virtual", "linux"]


@pytest.fixture
def tables(tmp_path: Path):
    """Makes the tables of an experiment from the parameters and the measured values of each run."""

    def make(measure, **parameters: list[Any]) -> Tables:
        points = [dict(zip(parameters, values, strict=True)) for values in product(*parameters.values())]
        rows = [
            {"run": run, **point, "repetition": 1, "seed": 1, **measure(**point)}
            for run, point in enumerate(points)
        ]
        pl.DataFrame(rows).write_parquet(tmp_path / "runs.parquet")
        return Tables(tmp_path)

    return make


def test_datagrams_have_a_table_for_each_link(tables, tmp_path: Path):
    def measure(world: str, link: str, mbps: float, x: int) -> dict[str, float]:
        arrived = min(mbps, float(link.removesuffix("Mbit")))
        lost = 100 * (1 - arrived / mbps) + (world == "linux")
        return {"goodput_mbps": arrived, "loss_percent": lost, "delay_ms": 1.0}

    findings = worlds.udp(
        tables(measure, world=WORLDS, link=["10Mbit", "25Mbit"], mbps=[5.0, 20.0], x=[0, 1]), tmp_path
    )
    shown = {table.caption: table.rows for section in findings.sections for table in section.tables}
    assert list(shown) == [f"X = {x}, links {link} Mbit/s." for link, x in product((10, 25), (0, 1))]
    assert [row[1] for row in shown["X = 0, links 10 Mbit/s."]] == ["5.000", "10.000"]
    assert [row[1] for row in shown["X = 0, links 25 Mbit/s."]] == ["5.000", "20.000"]
    assert "1.00 points at most" in findings.answer


def test_round_trips_have_a_table_and_curves_for_each_network(tables, tmp_path: Path):
    rates = ["unlimited", *(f"{number}Mbit" for number in (1, 2, 3, 4))]

    def measure(world: str, rate: str, x: int, switches: int) -> dict[str, float]:
        least = switches * (x + 1) * (2.0 if world == "linux" else 1.0)
        return {"rtt_min_ms": least, "rtt_median_ms": least, "lost": 0}

    findings = worlds.rtt(tables(measure, world=WORLDS, rate=rates, x=[0, 1], switches=[1, 2]), tmp_path)
    assert "virtual, 1 switch 1000 µs + 1000.00 µs · X" in findings.answer
    assert "linux, 2 switches 4000 µs + 4000.00 µs · X" in findings.answer
    captions = [table.caption for section in findings.sections for table in section.tables]
    assert (len(captions), captions[-1]) == (10, "Links: 4 Mbit/s, 2 switches.")
    plot = (tmp_path / "rtt-worlds-2.svg").read_text(encoding="utf-8")
    assert "<!-- linux, 4 Mbit/s, 2 switches (same as linux, unlimited, 2 switches) -->" in plot
