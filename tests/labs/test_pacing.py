"""The lab pacing: claims recomputed from its tables, agents, and values that are refused."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from handmade import internet_checksum
from recomputed import fixed, shown_tables

import weir
from weir.lab import Tables
from weir_labs.pacing.agent import Agent
from weir_labs.pacing.averaged import variation_of_mean
from weir_labs.pacing.faults import faults
from weir_labs.pacing.joining import rivals, wan
from weir_labs.pacing.leaving import leaving
from weir_labs.pacing.line import SCENARIOS, max_min_rates_bps, scenario_flows, shares_bps
from weir_labs.pacing.many import many
from weir_labs.pacing.option import NOTICE_PORT, Option, Trace, read_option, share_kbps
from weir_labs.pacing.paper import FAIRNESS, THROUGHPUT
from weir_labs.pacing.paths import paths
from weir_labs.pacing.sending import Senders, fairness
from weir_labs.pacing.star import program, set_capacity, star

PACED = ("htb", "fq")


def runs_of(results: Path, part: str) -> pl.DataFrame:
    return pl.read_parquet(results / part / "runs.parquet")


@pytest.mark.parametrize("part", ["wan", "lan"])
def test_rates_are_right_within_two_round_trips_of_each_join(pacing: Path, part: str) -> None:
    paced = runs_of(pacing, part).filter(pl.col("mode").is_in(PACED))
    assert paced.height >= 2 and paced["settled"].to_list() == paced["hosts"].to_list()
    assert 0 < paced["settled_rtts"].max() <= 2 and paced["dropped"].mean() < 1


def test_rates_are_right_within_two_round_trips_of_each_leave(pacing: Path) -> None:
    runs = runs_of(pacing, "leaving")
    assert set(runs["way"]) == {"fin", "rst", "silence"}
    assert runs["settled_rtts"].null_count() == 0 and runs["settled_rtts"].max() <= 2
    assert (runs["shares"] == runs["hosts"] - 1).all()


def test_paced_hosts_have_equal_and_steady_rates(pacing: Path) -> None:
    runs = runs_of(pacing, "wan")
    # Short periods consist of slow start.
    full = set(runs["period"]) == {"15s"}
    means = {
        mode: own.select(pl.col(pl.Float64).mean()).row(0, named=True)
        for (mode,), own in runs.group_by("mode")
    }
    regular = [means[mode] for mode in means if mode not in PACED]
    assert len(regular) == (2 if full else 1)
    for mode in PACED:
        paced = means[mode]
        assert paced["fairness_4"] >= (0.999 if full else 0.99)
        for host in ("h1", "h2", "h3", *(("h4",) if full else ())):
            assert paced[f"cv_4_{host}"] <= (2 if full else 5)
        for period in (1, 2, 3, 4):
            assert full is False or period == 1 or paced[f"total_{period}"] >= 93
            assert all(paced[f"total_{period}"] >= other[f"total_{period}"] for other in regular) or not full
            if full or period == 4:
                assert all(paced[f"fairness_{period}"] >= other[f"fairness_{period}"] for other in regular)
    if full:
        assert runs.height == 40


def test_codel_and_pacing_keep_the_queue_short(pacing: Path) -> None:
    runs = runs_of(pacing, "rivals")
    rows = {row["mode"]: row for row in runs.filter(pl.col("repetition") == 0).iter_rows(named=True)}
    full = set(runs["period"]) == {"15s"}
    assert {"cubic", "cubic-codel", "bbr", "htb"} <= set(rows) and len(rows) == (7 if full else 4)
    for period in (1, 2, 3, 4):
        delay = {mode: row[f"delay_{period}"] for mode, row in rows.items()}
        assert delay["htb"] < 1 and delay["htb"] < delay["cubic-codel"] < delay["cubic"]
        round_trip = {mode: row[f"rtt_{period}"] for mode, row in rows.items()}
        assert 20 < round_trip["htb"] < round_trip["cubic"]
        if full:
            assert 1 < delay["cubic-codel"] < 7 and delay["cubic"] > 15
            # The reserve of 0.5 % is 0.48 Mbit/s; slow start after a join costs up to 0.2.
            regular = rows["cubic"][f"total_{period}"]
            assert regular - 0.75 < rows["htb"][f"total_{period}"] < 95.17
            fairness = {mode: row[f"fairness_{period}"] for mode, row in rows.items()}
            assert all(fairness["htb"] >= value for value in fairness.values())
    assert rows["cubic-codel"]["codel_drops"] > 0 == rows["cubic"]["codel_drops"]
    assert all(rows[mode]["dropped"] >= rows[mode]["codel_drops"] for mode in rows)
    assert rows["htb"]["dropped"] <= 1 and rows["htb"]["retransmits"] == 0 < rows["bbr"]["retransmits"]
    # BBR does not read losses as a sign of congestion; it fills the link.
    assert min(rows["bbr"][f"total_{period}"] for period in (1, 2, 3, 4)) > (90 if full else 50)
    if full:
        marked = rows["cubic-codel-ecn"]
        assert marked["marks"] > 0 == marked["codel_drops"] == marked["retransmits"]


def test_pacing_needs_no_long_queue(pacing: Path) -> None:
    all_runs = runs_of(pacing, "buffers")
    runs = all_runs.filter(pl.col("queue") == "8p")
    totals = dict(runs.group_by("mode").agg(pl.col("total_2").mean()).iter_rows())
    lost = dict(runs.group_by("mode").agg(pl.col("dropped").sum()).iter_rows())
    assert totals["htb"] > 1.05 * totals["cubic"] and lost["htb"] == 0 < lost["cubic"]
    if "256p" in all_runs["queue"]:
        long = dict(all_runs.filter(pl.col("queue") == "256p").select("mode", "total_4").iter_rows())
        # With a long queue pacing has less: the reserve, and slow start in periods of 2 s.
        assert 0.4 < long["cubic"] - long["htb"] < 1.2


def test_random_losses_hold_paced_flows_too(pacing: Path) -> None:
    runs = runs_of(pacing, "losses")
    assert set(runs["loss"]) == {"0.05%"}
    if set(runs["period"]) == {"15s"}:
        totals = dict(runs.group_by("mode").agg(pl.mean("total_1")).iter_rows())
        # Fitted: the paper's regular TCP has 33.62. Its paced flows have 81.25 and 66.59.
        assert totals["cubic"] == pytest.approx(33.6, rel=0.25)
        assert max(totals["htb"], totals["fq"]) < 50


def test_the_variation_of_a_mean_is_smaller(tmp_path: Path) -> None:
    # The rates of two runs go up and down in opposite directions in P1, and together in P2.
    rows = [
        (run, "h1", 15.0 * place, 10.0 + (4 if (step + (run if place == 0 else 0)) % 2 else -4), step)
        for run in (0, 1)
        for place in (0, 1)
        for step in range(15)
    ]
    (tmp_path / "frames").mkdir()
    pl.DataFrame(
        {
            "mode": ["cubic"] * len(rows),
            "host": [row[1] for row in rows],
            "time_s": [row[2] + row[4] for row in rows],
            "mbps": [row[3] for row in rows],
        }
    ).write_parquet(tmp_path / "frames" / "rates.parquet")
    tables = Tables(tmp_path)
    assert variation_of_mean(tables, 1, "h1", mode="cubic") == 0
    assert variation_of_mean(tables, 2, "h1", mode="cubic") == pytest.approx(40, rel=0.1)
    assert variation_of_mean(tables, 3, "h1", mode="cubic") is None
    assert variation_of_mean(tables, 1, "h1", mode="reno") is None


def test_flows_over_several_links_have_the_smallest_of_their_shares(pacing: Path) -> None:
    runs = runs_of(pacing, "paths").filter(pl.col("mode").is_in(PACED))
    flows = pl.read_parquet(pacing / "paths" / "frames" / "flows.parquet").filter(pl.col("mode").is_in(PACED))
    assert set(runs["scenario"]) == set(SCENARIOS) and runs["worst_percent"].max() <= 3
    # Computed by hand, in Mbit/s of frames for a link of 10 Mbit/s; h1 is in all scenarios.
    weighted = flows.filter(pl.col("weights") == "1:2:4", pl.col("rate") == pl.col("rate").first())
    unit = float(weighted["rate"][0].removesuffix("Mbit")) * 0.995 * 1448 / 1514
    shares = {
        "one-link": [1 / 7, 2 / 7, 4 / 7],
        "parking-lot": [1 / 5, 2 / 3, 4 / 5, 1 / 2],
        "two-bottlenecks": [1 / 10, 2 / 3, 4 / 10],
        "legacy-switch": [1 / 3, 2 / 3],
        "seven-links": [1 / 6, 1 / 3],
    }
    for (scenario, _), own in weighted.group_by("scenario", "mode"):
        assert own["mbps"].to_list() == pytest.approx(
            [share * unit for share in shares[str(scenario)]], rel=0.03
        )


def test_a_lost_notification_heals_only_if_shares_are_told_again(pacing: Path) -> None:
    runs = runs_of(pacing, "faults").filter(pl.col("repetition") == 0)
    healed = {(row["fault"], row["refresh"]): row["healed_ms"] for row in runs.iter_rows(named=True)}
    assert healed["lost", "0s"] is None and 5 < healed["lost", "500ms"] < 560
    assert healed["none", "0s"] is not None and healed["none", "0s"] < 40


def test_a_flow_that_ignores_the_scheme_does_harm(pacing: Path) -> None:
    runs = runs_of(pacing, "faults")
    ignored, good = (runs.filter(pl.col("fault") == fault) for fault in ("ignores", "none"))
    assert ignored["dropped"].min() > 10 and good["dropped"].max() <= 1
    assert ignored["fairness"].max() < 0.999 < good["fairness"].min()


def test_each_of_many_flows_is_told_its_share(pacing: Path) -> None:
    runs = runs_of(pacing, "many")
    assert (runs["right"] == runs["flows"]).all() and (runs["without_slot"] == 0).all()
    assert 0 < runs["settled_ms"].max() <= 40 and runs["fairness"].min() > 0.98
    # One notification for each earlier flow: 0 + 1 + 2 + ..., and shares that are sent again.
    assert (runs["notices"] >= runs["flows"] * (runs["flows"] - 1) / 2).all()


def test_shares_and_max_min_fairness_by_hand() -> None:
    # h1 over both links, h2 over the first, h3 over the second, which is slower.
    rates, flows = [100, 50], scenario_flows("two-bottlenecks", [1, 1, 3])
    assert shares_bps(rates, flows) == [Fraction(25, 2), 50, Fraction(75, 2)]
    assert max_min_rates_bps(rates, flows) == [Fraction(25, 2), Fraction(175, 2), Fraction(75, 2)]


def index_of_mean_rates(runs: pl.DataFrame, number: int) -> float:
    means = np.array([runs[f"mbps_{number}_h{host}"].mean() for host in range(1, number + 1)])
    return float(means.sum() ** 2 / (number * (means**2).sum()))


def test_the_papers_indices_are_those_of_its_mean_rates() -> None:
    for mode, indices in FAIRNESS.items():
        # The paper seems to cut the other digits off.
        parts = 10 ** (3 if mode == "regular" else 5)
        first, second, third, fourth = (
            math.floor(parts * fairness(rates) + 1e-6) / parts for rates in THROUGHPUT[mode]
        )
        assert (first, second, fourth) == (indices[0], indices[1], indices[3])
        # With regular TCP and with FQ, table II repeats the index of P2 in P3.
        assert indices[2] == second and (third > second) == (mode != "htb")


def test_numbers_are_in_the_report(pacing: Path) -> None:
    tables = shown_tables((pacing / "report.html").read_text())
    runs = runs_of(pacing, "wan")
    table = tables["Scenario 2: a link with delay", 1]
    measured = [row for row in table if not row[1].startswith("paper")]
    modes = runs["mode"].unique(maintain_order=True).to_list()
    assert len(measured) == 3 * len(modes)
    for place, mode in enumerate(modes):
        own = runs.filter(pl.col("mode") == mode)
        totals, of_means, single = measured[3 * place : 3 * place + 3]
        assert totals[4:8] == [f"{own[f'total_{number}'].mean():.2f}" for number in (1, 2, 3, 4)]
        assert of_means[0] == "fairness of the mean rates"
        assert of_means[4:8] == [f"{index_of_mean_rates(own, number):.5f}" for number in (1, 2, 3, 4)]
        assert single[4:8] == [f"{own[f'fairness_{number}'].mean():.5f}" for number in (1, 2, 3, 4)]
    compared = tables["Comparison with CoDel and BBR", 1]
    rows = runs_of(pacing, "rivals")
    first, last = rows.row(0, named=True), rows.row(-1, named=True)
    assert len(compared) == 4 * rows["mode"].n_unique()
    for shown, row, period in ((compared[0], first, 1), (compared[-1], last, 4)):
        assert shown[0] == f"P{period}" and shown[4] == f"{row[f'total_{period}']:.2f}"
        assert shown[8] == fixed(row[f"delay_{period}"], 2)
    paper = {(row[0], row[1]): row[4:8] for row in table if row[1].startswith("paper")}
    assert paper["goodput (Mbit/s)", "paper, regular"] == ["33.62", "67.27", "88.83", "91.86"]
    assert paper["goodput (Mbit/s)", "paper, htb"] == ["81.25", "93.1", "94.42", "95.12"]
    assert paper["fairness of the mean rates", "paper, fq"] == ["1.0", "0.9996", "0.9996", "0.99997"]


def test_every_frame_of_a_run_has_a_right_header() -> None:
    with weir.Network(star(3, rate="10Mbit"), program(), seed=4, noise="realistic") as net:
        set_capacity(net, "s1", 4, "10Mbit")
        senders = Senders(net, ["h1", "h2", "h3"], "htb")
        seen = net.sniff(["h1", "h2", "h3", "server"], "ip")
        for number, name in enumerate(senders.agents):
            net.at(f"{200 * number}ms", lambda name=name: senders.start(name, 800_000_000))  # type: ignore[misc]
        net.run_for("2s")
    kinds = {"syn": 0, "syn-ack": 0, "notice": 0}
    for frame in seen.frames:
        data = frame.data
        length = 4 * (data[14] & 15)
        assert internet_checksum(data[14 : 14 + length]) == 0
        assert int.from_bytes(data[16:18]) == len(data) - 14
        option = read_option(data[34 : 14 + length])
        if option is None:
            assert length == 20
        elif data[23] == 17:
            kinds["notice"] += 1
            assert length == 32 and data[14 + length + 2 : 14 + length + 4] == NOTICE_PORT.to_bytes(2)
        else:
            syn_ack = data[14 + length + 13] & 0x12 == 0x12
            # The server returns the option without a trace; the switch adds one on the return path.
            assert len(option.traces) == (syn_ack and frame.end != "server")
            kinds["syn-ack" if syn_ack else "syn"] += 1
    # Each is seen at both ends; joins notify 0, 1 and 2 hosts, leaves 2, 1 and 0.
    assert kinds == {"syn": 6, "syn-ack": 6, "notice": 6}
    assert [rate.kbps / 9950 for rate in senders.agents["h1"].rates] == pytest.approx([1, 1 / 2, 1 / 3])
    assert [rate.kbps / 9950 for rate in senders.agents["h3"].rates] == pytest.approx([1 / 3, 1 / 2, 1])


def test_a_host_can_have_several_flows() -> None:
    # Two of three flows are h1's: each has a class of its own.
    with weir.Network(star(2, rate="10Mbit"), program()) as net:
        set_capacity(net, "s1", 3, "10Mbit")
        for name in ("h1", "h2"):
            net.host(name).run(Agent("htb"), udp=NOTICE_PORT, frames=Agent.FRAMES)
        net.host("server").serve(5201, reflect_options=True)
        options = bytes(Option(1))
        both = net.host("h1").start_iperf("server", parallel=2, duration="2s", ip_options=options)
        other = net.host("h2").start_iperf("server", duration="2s", ip_options=options)
        net.run_for("3s")
        rates = [stream.goodput_bps / 1e6 for flow in (both, other) for stream in flow.result().streams]
    assert rates == pytest.approx([10 / 3 * 0.995 * 1448 / 1514] * 3, rel=0.02)


def test_options_are_read_as_written() -> None:
    option = Option(7, [Trace(1, 2, 3, 100_000), Trace(255, 255, 65535, 4_000_000_000)])
    assert len(bytes(option)) == 20 and read_option(b"\x01\x01\x01" + bytes(option) + b"\x00") == option
    assert read_option(b"") is None and read_option(b"\x00" + bytes(option)) is None
    assert read_option(b"\x1e") is None and read_option(b"\x1e\x0c\x01\x01") is None
    # The smallest share counts, and each flow has its own shares; 1 % is left.
    assert share_kbps(Option(2), [Trace(1, 1, 4, 1000), Trace(2, 1, 10, 2000)], 1.0) == pytest.approx(396)


@pytest.mark.parametrize(
    ("experiment", "change", "message"),
    [
        (wan, {"mode": "vegas"}, "mode=vegas: expected htb, fq, cubic, reno, bbr"),
        (wan, {"mode": "vegas-codel"}, "mode=vegas: expected htb, fq, cubic, reno, bbr"),
        (wan, {"mode": "cubic-red"}, "mode=cubic-red: expected cubic, reno or bbr with -codel or -codel-ecn"),
        (wan, {"mode": "htb-codel"}, "mode=htb-codel: expected cubic, reno or bbr with -codel or -codel-ecn"),
        (rivals, {"target": "5"}, "target"),
        (wan, {"hosts": 0}, "hosts=0: expected a number from 1 to 200"),
        (wan, {"period": "1ms"}, "period=1ms: expected 15ms or more"),
        (wan, {"period": "15"}, "period"),
        (wan, {"reserve_percent": 100.0}, "reserve_percent=100.0: expected 0 to 100"),
        (leaving, {"way": "quit"}, "way=quit: expected fin, rst, silence"),
        (leaving, {"seconds": 1}, "seconds=1: expected a number from 2 to "),
        (leaving, {"mode": "cubic"}, "mode=cubic: expected htb or fq"),
        (faults, {"fault": "fire"}, "fault=fire: expected none, ignores, lost"),
        (many, {"flows": 0}, "flows=0: expected a number from 1 to 1000"),
        (many, {"flows": 500}, "seconds=4: expected enough time for all flows to join"),
        (paths, {"scenario": "ring"}, "scenario=ring: expected one-link, "),
        (paths, {"weights": "1:0"}, "weights=1:0: expected numbers from 1 to 255"),
    ],
)
def test_values_that_are_refused(
    experiment: weir.experiments.Experiment, change: dict[str, Any], message: str
) -> None:
    options: dict[str, Any] = {name: values[0] for name, values in experiment.space.grid.items()}
    options |= {"mode": "htb"} if "mode" in options else {}
    options |= {"mode": "cubic-codel"} if "target" in options else {}
    options |= {"seed": 1, **change}
    with pytest.raises((ValueError, weir.WeirError), match=message):
        experiment.function(**options)
