"""Tests 1 and 2 of the lab int-report: the price of telemetry, recomputed from the tables."""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl
import pytest
from recomputed import fixed

import weir
from weir_labs.int_report.chain import FOLDER, chain, entries
from weir_labs.int_report.nth import every_nth
from weir_labs.int_report.theory import fitting_load_bps, frames_on_links, lost_datagrams


def runs(int_report: Path, part: str) -> pl.DataFrame:
    return pl.read_parquet(int_report / part / "runs.parquet")


def table(int_report: Path, section: str) -> list[list[str]]:
    """The rows of the first table of a section of the report."""
    page = (int_report / "report.html").read_text()
    text = page[page.index(f"<h2>{section}</h2>") :].split("</table>")[0]
    rows = [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in re.findall(r"<tr>(.*?)</tr>", text, re.S)]
    return [row for row in rows if row]


def test_telemetry_on_every_zeroth_packet_is_refused() -> None:
    with pytest.raises(ValueError, match="every=0: expected 1 or more"):
        every_nth.function(every=0, switches=5, rate="6Mbit", data_bytes=1400, seconds=1, seed=1)


def test_lengths_and_loads_that_fit() -> None:
    assert frames_on_links(1400, 5, 1) == [1442, 1457, 1469, 1481, 1493, 1442]
    assert frames_on_links(1400, 5, 0) == [1442] * 6
    assert frames_on_links(1400, 3, 10) == [1442, 1443.5, 1444.7, 1442]
    assert fitting_load_bps(6_000_000, 1400, 5, 1) == pytest.approx(6e6 * 1400 / 1493)
    assert fitting_load_bps(6_000_000, 1400, 5, 0, 7840) == pytest.approx((6e6 - 7840) * 1400 / 1442)


def test_predicted_losses() -> None:
    # A link of 1 Mbit/s sends 1000 frames of 125 bytes a second.
    assert lost_datagrams(1000, 1, 1_000_000, [125, 125], 64) == 0
    assert lost_datagrams(1064, 1, 1_000_000, [125, 125], 64) == 0
    assert lost_datagrams(1100, 1, 1_000_000, [125, 125], 64) == 36
    # 100 too many packets at the first link, and 264 at the second, which sends 800.
    assert lost_datagrams(1164, 1, 1_000_000, [125, 156.25], 64) == pytest.approx(100 + 1064 - 851.2 - 64)


def test_without_congestion_telemetry_changes_neither_bandwidth_nor_loss(int_report: Path) -> None:
    rows = runs(int_report, "load")
    fitting = rows.filter(pl.col("mbps") <= rows["fitting_mbps"].min())
    assert fitting.height >= 12 and fitting["lost"].sum() == 0
    means = fitting.group_by("switches", "mbps", "telemetry").agg(pl.mean("goodput_mbps"))
    both = means.pivot("telemetry", index=["switches", "mbps"], values="goodput_mbps")
    for row in both.iter_rows(named=True):
        sizes = frames_on_links(1400, row["switches"], 1)
        assert abs(row["on"] / row["off"] - 1) <= max(sizes) / min(sizes) - 1
        # The bandwidth of payload changes by less than the share of the headers.
        assert row["on"] == pytest.approx(row["off"], rel=1e-3)


def test_loss_begins_at_the_load_that_lengths_predict(int_report: Path) -> None:
    rows = runs(int_report, "onset")
    assert rows["percent"].min() < 100 < rows["percent"].max()
    for row in rows.iter_rows(named=True):
        assert (row["lost"] > 0) == (row["predicted_lost"] >= 1), row
        assert row["lost"] == pytest.approx(row["predicted_lost"], abs=2), row
        assert row["largest_frame"] == 1442 + (
            3 + 12 * (row["switches"] - 1) if row["telemetry"] == "on" else 0
        )


def test_losses_next_to_pings_are_those_predicted(int_report: Path) -> None:
    rows = runs(int_report, "load")
    assert rows.filter(pl.col("mbps") <= pl.col("fitting_mbps"))["lost"].sum() == 0
    overloaded = rows.filter(pl.col("mbps") == 6.0)
    assert set(overloaded["telemetry"]) == {"on", "off"} and overloaded["lost"].min() > 0
    # Up to 20 pings wait in queues instead of datagrams.
    assert (rows["lost"] - rows["predicted_loss_percent"] * rows["sent"] / 100).abs().max() <= 20


@pytest.mark.parametrize("part", ["load", "onset", "second-flow"])
def test_each_received_datagram_makes_a_report(int_report: Path, part: str) -> None:
    rows = runs(int_report, part)
    on, off = (rows.filter(pl.col("telemetry") == state) for state in ("on", "off"))
    assert on["reports"].to_list() == (on["sent"] - on["lost"]).to_list()
    assert off["reports"].sum() == 0 == rows["bad_reports"].sum()


def test_reports_show_the_congestion(int_report: Path) -> None:
    rows = runs(int_report, "load").filter(pl.col("telemetry") == "on")
    assert rows.filter(pl.col("mbps") == 6.0)["longest_queue"].min() >= 60
    assert rows.filter(pl.col("mbps") <= 5.0)["longest_queue"].max() <= 1


def test_the_second_flow_takes_its_share(int_report: Path) -> None:
    rows = runs(int_report, "second-flow")
    below = rows.filter(pl.col("mbps") <= rows["fitting_mbps"].min())
    assert below["both_lost"].sum() == 0 and below["goodput_mbps"].to_list() == pytest.approx(
        below["mbps"].to_list(), rel=2e-3
    )
    above = rows.filter(pl.col("mbps") >= 4.0)
    assert above["both_lost"].min() > 0
    assert (rows["both_lost"] / rows["predicted_both_lost"] - 1).fill_nan(0).abs().max() < 0.15
    on = rows.filter(pl.col("telemetry") == "on")
    assert on["second_reports"].to_list() == (on["second_sent"] - on["second_lost"]).to_list()


def test_telemetry_makes_loss_and_latency_rise_earlier_in_longer_chains(int_report: Path) -> None:
    means = (
        runs(int_report, "load")
        .filter(pl.col("mbps") == 6.0)
        .group_by("telemetry", "switches")
        .agg(pl.mean("loss_percent"), pl.mean("delay_ms"))
        .sort("switches")
    )
    on, off = (means.filter(pl.col("telemetry") == state) for state in ("on", "off"))
    for column in ("loss_percent", "delay_ms"):
        assert on[column].is_sorted() and (on[column] > off[column]).all()


def test_numbers_are_in_the_report(int_report: Path) -> None:
    means = (
        runs(int_report, "load")
        .group_by("switches", "telemetry", "mbps", maintain_order=True)
        .agg(pl.len(), pl.mean("goodput_mbps"), pl.mean("rtt_ms"), pl.mean("loss_percent"))
    )
    rows = [[*row[:5], row[6], row[8]] for row in table(int_report, "Test 1: all points")]
    assert rows == [
        [f"{switches}", on, f"{mbps:g}", f"{n}", f"{goodput:.3f}", f"{rtt:.2f}", fixed(loss, 2)]
        for switches, on, mbps, n, goodput, rtt, loss in means.iter_rows()
    ]
    lost = runs(int_report, "onset")["lost"].to_list()
    assert [int(row[7]) for row in table(int_report, "Where loss begins")] == lost
    second = (
        runs(int_report, "second-flow")
        .group_by("telemetry", "mbps", maintain_order=True)
        .agg(pl.mean("second_goodput_mbps"))
    )
    assert [row[4] for row in table(int_report, "Test 2: all points")] == [
        f"{value:.3f}" for value in second["second_goodput_mbps"]
    ]


def test_the_files_are_the_network_of_test_2() -> None:
    import json

    files, built = weir.Topology.load(FOLDER / "topology.json"), chain(4, pairs=2)
    assert {name: (host.ip, host.mac) for name, host in files.hosts.items()} == {
        name: (host.ip, host.mac) for name, host in built.hosts.items()
    }
    assert {frozenset((f"{link.a}", f"{link.b}")) for link in files.links} == {
        frozenset((f"{link.a}", f"{link.b}")) for link in built.links
    }
    for number in range(1, 5):
        assert json.loads((FOLDER / f"s{number}-runtime.json").read_text()) == entries(number, 4, 2)
    with weir.Network.load(FOLDER / "topology.json", FOLDER / "int.p4") as net:
        assert net.host("h3").iperf("h4", udp=True, count=3, length="100B").received == 3
        errors = net.sniff("s1-p1", "icmp and icmp[0] = 3")
        assert net.host("h1").iperf("h2", udp=True, count=9, length="100B").received == 9
        assert errors.frames == []
        assert net.ping_all().sent == net.ping_all().received == 12
