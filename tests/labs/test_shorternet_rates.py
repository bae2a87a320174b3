"""The lab shorternet: packet rates up to the capacity, and the cost of headers."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import weir
from weir_labs.shorternet.capacity import capacity
from weir_labs.shorternet.parsing import extra_headers, parsing
from weir_labs.shorternet.path import network


def test_losses_are_those_of_theory(shorternet: Path) -> None:
    runs = pl.read_parquet(shorternet / "capacity" / "runs.parquet")
    assert (runs["lost"] - runs["predicted_lost"]).abs().max() <= 8  # A packet of each flow.
    link = runs.filter(pl.col("limit") == "link", pl.col("equal") == "payload")
    # 200 bytes with Ethernet and IPv4 are 170 in Shorternet, of which 17.6 % more fit.
    for stack, fits in (("standard", 100), ("shorternet", 117.6)):
        own = link.filter(pl.col("stack") == stack)
        assert set(own.filter(pl.col("lost") > 0)["percent"]) == {
            percent for percent in own["percent"] if percent > fits
        }
    assert set(link.filter(pl.col("stack") == "shorternet")["bytes"]) == {170}
    below = runs.filter(pl.col("percent") < 100)
    assert below["lost"].sum() == 0 and below.height > 0


def test_switches_take_as_many_short_packets_as_long_ones() -> None:
    capacity_pps = weir.Profile.named("bmv2-vm").capacity
    rates = [
        capacity.function("switch", "payload", stack, 2, 150, length=200, seconds=1, seed=4)
        for stack in ("shorternet", "standard")
    ]
    assert (
        rates[0]["lost"] == rates[1]["lost"] == pytest.approx(1.5 * capacity_pps - capacity_pps - 1024, abs=2)
    )


def test_headers_cost_what_the_model_says(shorternet: Path) -> None:
    runs = pl.read_parquet(shorternet / "parsing" / "runs.parquet")
    assert set(runs["extra"]) >= {0, 16} and (runs["received"] == runs["packets"]).all()
    for row in runs.iter_rows(named=True):
        # 8 ns for each byte on four links; 1 us and the headers' time in three switches.
        passes = 3 * (1000 + row["header_ns"] * (1 + row["extra"]))
        size = 128 + (4 * row["extra"] if row["equal"] == "payload" else 0)
        assert row["latency_us"] == pytest.approx((4 * 8 * size + passes) / 1e3)
        assert row["bytes"] == size


def padded(headers: bytes) -> bytes:
    return headers + bytes(20)


def test_a_17th_header_is_refused() -> None:
    seventeen = extra_headers(16)[:3] + b"\x40" + b"\xfd\0\0\0" * 16 + b"\x11\0\0\0"
    with network("shorternet", p4="extra") as net:
        seen = net.sniff("h2")
        for count in (0, 1, 16):
            net.host("h1").send(padded(extra_headers(count)))
        net.host("h1").send(seventeen + bytes(20))
        net.run_for("1ms")
        frames = [frame.data for frame in seen.frames]
    assert [frame[4:] for frame in frames] == [padded(extra_headers(count))[4:] for count in (0, 1, 16)]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: extra_headers(17), "extra=17: expected a number from 0 to 16"),
        (lambda: parsing.function("bytes", 0, 0, 128, 1, "1Gbit", seed=1), "equal=bytes: expected length"),
        (lambda: parsing.function("length", 16, 0, 80, 1, "1Gbit", seed=1), "length=80: too short for 16"),
        (lambda: capacity.function("link", "x", "standard", 1, 50, 200, 1, seed=1), "limit=link, equal=x"),
    ],
)
def test_numbers_out_of_range(call: object, message: str) -> None:
    with pytest.raises((ValueError, weir.WeirError), match=message):
        call()  # type: ignore[operator]
