"""Every table of the delay lab's report, recomputed from its Parquet files by delay.sql."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path

import polars as pl
import pytest
from recomputed import database, queries, shown_tables

from weir.lab import run_lab

pytestmark = pytest.mark.slow

SQL = (Path(__file__).parent / "delay.sql").read_text(encoding="utf-8")
START, QUERIES = queries(SQL)


@pytest.fixture(scope="module")
def page(delay: Path) -> str:
    return (delay / "report.html").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def files(delay: Path) -> sqlite3.Connection:
    """The Parquet files, as a database."""
    connection = database(delay, SQL)
    connection.executescript(START)
    return connection


def test_each_table_has_a_query(page: str) -> None:
    assert list(QUERIES) == list(shown_tables(page))


@pytest.mark.parametrize(("section", "place"), list(QUERIES))
def test_a_table_is_what_its_query_finds(
    page: str, files: sqlite3.Connection, section: str, place: int
) -> None:
    rows = shown_tables(page)[section, place]
    assert rows, "a table without rows"
    assert rows == [list(row) for row in files.execute(QUERIES[section, place])]


def test_the_facts_are_those_of_the_files(delay: Path, page: str) -> None:
    facts = dict(re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", page))
    parts = list(delay.glob("*/runs.parquet"))
    assert facts["experiments"] == f"{len(parts)}"
    assert facts["runs"].replace(
        "\u202f", ""
    ) == f"{sum(pl.read_parquet(part).height for part in parts):,}".replace(",", "")
    first = shown_tables(page)["In short", 1][0][1]
    assert f'<p class="answer">{first}</p>' in page.replace("\u202f", "")


def test_the_same_command_gives_the_same_bytes(tmp_path: Path) -> None:
    """The results of all parts with the smallest sizes, from one process and from two."""
    sizes = {"pings": ["5"], "packets": ["2"], "seconds": ["1"], "pairs": ["40"], "d_ms": ["1.0", "5.0"]}
    sizes |= {"x": ["0", "3"], "profile": ["bmv2-vm"]}
    for workers in (1, 2):
        outcome = run_lab("delay", tmp_path / f"{workers}", values=sizes, seeds=1, workers=workers)
        assert not outcome.failures
    files = [path.relative_to(tmp_path / "1") for path in (tmp_path / "1").rglob("*") if path.is_file()]
    assert {path.suffix for path in files} >= {".parquet", ".html", ".svg", ".png"}
    different = [
        file for file in files if (tmp_path / "1" / file).read_bytes() != (tmp_path / "2" / file).read_bytes()
    ]
    assert different == []
