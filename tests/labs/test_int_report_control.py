"""Congestion control from INT in the lab int-report."""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl
import pytest
from recomputed import fixed

from weir_labs.int_report.chain import network
from weir_labs.int_report.control import congestion_control
from weir_labs.int_report.frames import PORT_REPORT, Hop, frame_bytes
from weir_labs.int_report.hpcc import Hpcc
from weir_labs.int_report.traffic import PORT, SOURCE_PORTS, Receiver, Sender

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def runs(int_report: Path) -> pl.DataFrame:
    return pl.read_parquet(int_report / "congestion-control" / "runs.parquet")


def pairs(
    runs: pl.DataFrame, *scenarios: str, control: str = "int"
) -> list[tuple[dict[str, float], dict[str, float]]]:
    """Runs without and with control of the same scenario and repetition."""
    rows = runs.filter(pl.col("scenario").is_in(scenarios)).to_dicts()
    key = lambda row: (row["scenario"], row["repetition"])  # noqa: E731
    none, controlled = (
        {key(row): row for row in rows if row["control"] == name} for name in ("none", control)
    )
    assert set(none) == set(controlled) and none
    return [(none[place], controlled[place]) for place in none]


def test_queues_are_nearly_empty_at_nearly_the_same_throughput(runs: pl.DataFrame) -> None:
    for none, controlled in pairs(runs, "together", "joining"):
        assert none["mean_queue"] > 20
        assert controlled["mean_queue"] < 0.1 * none["mean_queue"]
        assert controlled["goodput_mbps"] >= 0.95 * none["goodput_mbps"]
        assert controlled["delay_mean_ms"] < 0.2 * none["delay_mean_ms"]
        assert controlled["dropped"] == 0 < none["dropped"]


def test_tcp_fills_queues_that_int_keeps_empty(runs: pl.DataFrame) -> None:
    for name, least in (("cubic", 20), ("bbr", 5)):
        for _, other in pairs(runs, "together", "joining", control=name):
            assert other["mean_queue"] > least and other["dropped"] > 0
    assert runs.filter(pl.col("control") == "int")["mean_queue"].max() < 1


def test_senders_share_fairly(runs: pl.DataFrame) -> None:
    for none, controlled in pairs(runs, "together", "joining"):
        assert controlled["fairness"] > 0.99 > none["fairness"]


def test_queues_stay_short_next_to_traffic_without_control(runs: pl.DataFrame) -> None:
    for none, controlled in pairs(runs, "cross"):
        assert controlled["mean_queue"] < 0.02 * none["mean_queue"]
        assert controlled["goodput_mbps"] > 0.8 * none["goodput_mbps"]
        # All packets of the other traffic arrive.
        assert controlled["h3_mbps"] == pytest.approx(2, rel=0.15) and none["h3_mbps"] < 1.3


def test_a_sender_alone_uses_its_share_of_the_link(int_report: Path) -> None:
    series = pl.read_parquet(int_report / "congestion-control" / "frames" / "series.parquet")
    alone = series.filter(
        pl.col("scenario") == "joining",
        pl.col("control") == "int",
        pl.col("time_s") >= 1,
        pl.col("time_s") < pl.col("seconds") / 4 - 0.1,
    )
    # 95 % of the 5.67 Mbit/s that fit, and what additive increase adds.
    assert alone["h1_mbps"].mean() == pytest.approx(0.965 * 5.67, rel=0.02)
    assert alone["queue"].mean() < 0.1 and alone["h3_mbps"].sum() == 0


@pytest.mark.parametrize("switches", [2, 8])
def test_chains_of_other_lengths(switches: int) -> None:
    function = congestion_control.function
    none, controlled = (
        function("together", name, switches, 0.95, "6Mbit", 1400, 4, 1) for name in ("none", "int")
    )
    assert controlled["mean_queue"] < 0.1 * none["mean_queue"]
    assert controlled["goodput_mbps"] >= 0.93 * none["goodput_mbps"] and controlled["fairness"] > 0.95


@pytest.mark.parametrize("link", ["s2", "s4"])
def test_lost_datagrams_and_reports_confuse_nothing(link: str) -> None:
    """Both directions lose 5 % of all frames: datagrams, and reports on the return path."""
    received = []
    for loss in ("0%", "5%"):
        with network(4) as net:
            net.link(link, "s3").loss = loss
            control = Hpcc(6_000_000, frame_bytes(1400, 3))
            sender = Sender("10.0.2.2", 1400, frame_bytes(1400, 3), 4 * 10**9, control)
            receiver = net.host("h2").run(Receiver(), udp=PORT)
            sampler = net.sample("s1-p2", "1ms")
            net.host("h1").run(sender, udp=(PORT_REPORT, *SOURCE_PORTS))
            net.run_for("5s")
            received.append(len(receiver.arrived["10.0.1.1"]))
            assert sampler.queue().mean < 1
            if loss == "0%":
                assert sender.unreported == 0
            else:
                assert sender.unreported == pytest.approx(0.0975 * sender.sent, rel=0.3)
    # 95 % arrive, and the rate stays what it was.
    assert received[1] == pytest.approx(0.95 * received[0], rel=0.03)


BDP = 7500.0
"""Bytes in flight at 6 Mbit/s and a round trip of 10 ms."""


def after(utilization: float, queue: int, *, start: int = 0, rounds: int = 1) -> Hpcc:
    """A sender after reports that are 2 ms apart, from a link with this utilization."""
    control = Hpcc(6_000_000, 1500)
    sent = 0.0
    for number in range(1 + 5 * rounds):
        now_ns = (10 + 2 * number) * 10**6
        hop = Hop((start + 2000 * number) % 2**32, int(start + sent) % 2**32, queue, 1, 2)
        control.on_report([hop], now_ns - 10**7, now_ns)
        sent += utilization * 1500
    return control


def test_the_first_report_opens_a_window_of_the_bandwidth_delay_product() -> None:
    control = Hpcc(6_000_000, 1500)
    assert control.window_bytes == 1500 and control.bytes_per_ns == 0
    control.on_report([Hop(0, 1500, 0, 1, 2)], 0, 10_000_000)
    assert (control.window_bytes, control.bytes_per_ns) == (pytest.approx(BDP), pytest.approx(6e6 / 8e9))


def test_the_window_follows_the_busiest_link() -> None:
    # A link in full use whose queue holds half a bandwidth-delay product has U = 1.5.
    full = after(1.0, 0, rounds=1)
    assert full.utilization == pytest.approx(1.0) and full.window_bytes < BDP
    waiting = after(1.0, 3, rounds=6)
    assert 1.4 < waiting.utilization < 1.6 and waiting.window_bytes < full.window_bytes
    assert after(0.5, 0, rounds=20).window_bytes == pytest.approx(BDP)


def test_counters_that_wrap_change_nothing() -> None:
    plain, wrapped = after(0.8, 1, rounds=4), after(0.8, 1, start=2**32 - 5000, rounds=4)
    assert wrapped.window_bytes == pytest.approx(plain.window_bytes, rel=1e-3)
    assert wrapped.utilization == pytest.approx(plain.utilization, rel=1e-3)


def test_the_same_seed_gives_the_same_run() -> None:
    one, two = (congestion_control.function("cross", "int", 3, 0.95, "6Mbit", 1400, 3, 5) for _ in range(2))
    assert one.pop("series").equals(two.pop("series")) and one == two


def test_numbers_are_in_the_report(runs: pl.DataFrame, int_report: Path) -> None:
    page = (int_report / "report.html").read_text()
    section = page[page.index("<h2>Congestion control from INT</h2>") :].split("</table>")[0]
    rows = [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in re.findall(r"<tr>(.*?)</tr>", section, re.S)]
    means = runs.group_by("scenario", "control", maintain_order=True).agg(
        pl.mean("mean_queue"), pl.mean("goodput_mbps")
    )
    assert [[row[0], row[3], row[5], row[9]] for row in rows if row] == [
        [scenario, control, fixed(queue, 2), f"{goodput:.3f}"]
        for scenario, control, queue, goodput in means.iter_rows()
    ]
