"""Throughput, chains and custom packets of the delay lab, from its tables."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

import weir
from weir.lab import Tables
from weir_labs.delay.chain import H1, H2, network
from weir_labs.delay.custom import custom_frame, read_custom, recirculate_custom
from weir_labs.delay.machines import MACHINES
from weir_labs.delay.survival import goodput, largest_surviving_x


def runs(delay: Path, part: str) -> pl.DataFrame:
    return pl.read_parquet(delay / part / "runs.parquet")


@pytest.mark.parametrize(("mbps", "last"), [(1.0, 15), (2.0, 15), (4.0, 7), (8.0, 3)])
@pytest.mark.parametrize("link", ["unlimited", "10Mbit"])
def test_udp_survives_while_the_load_fits(delay: Path, mbps: float, last: int, link: str) -> None:
    rows = runs(delay, "udp-throughput").filter(pl.col("mbps") == mbps, pl.col("link") == link)
    assert rows.filter(pl.col("x") <= last)["lost"].sum() == 0
    assert rows.filter(pl.col("x") > last).filter(pl.col("lost") == 0).is_empty()


@pytest.mark.parametrize(("mbps", "last"), [(1.0, 15), (2.0, 15), (4.0, 7), (8.0, 3), (9.5, 1), (10.0, 1)])
def test_survival_is_judged_by_goodput_which_no_queue_hides(delay: Path, mbps: float, last: int) -> None:
    tables = Tables(delay / "udp-throughput")
    assert largest_surviving_x(tables, "unlimited", mbps) == last
    # 9.5 Mbit/s at X = 3 need 3231 passes/s of 3200. The input queue takes the rest of ten seconds.
    if mbps == 9.5:
        assert tables.runs.filter(link="unlimited", mbps=mbps, x=3)["lost"].sum() == 0
        assert goodput(tables, "unlimited", mbps, 3) == pytest.approx(3200 / 4 * 1470 * 8 / 1e6, rel=1e-3)


def test_datagrams_beyond_the_rate_wait_in_the_queue(delay: Path) -> None:
    rows = runs(delay, "udp-throughput").filter(link="10Mbit", mbps=10.0, x=0)
    assert rows["lost"].sum() == 0
    # A frame has 14 bytes of Ethernet, 20 of IPv4 and 8 of UDP.
    assert rows["goodput_mbps"].to_list() == [pytest.approx(10 * 1470 / 1512, rel=0.001)] * rows.height


def test_tcp_falls_with_x_and_converges(delay: Path) -> None:
    rows = (
        runs(delay, "tcp-throughput").group_by("link", "x", maintain_order=True).agg(pl.mean("goodput_mbps"))
    )
    curves = {
        link: cells["goodput_mbps"].to_list()
        for (link,), cells in rows.partition_by("link", as_dict=True).items()
    }
    assert curves["unlimited"][0] == pytest.approx(25, rel=0.1)
    for link in ("unlimited", "25Mbit"):
        assert curves[link] == sorted(curves[link], reverse=True)
    # 10 Mbit/s of the link are the limit at X = 0 and 1, so the two are equal up to noise.
    assert curves["10Mbit"][0] == pytest.approx(curves["10Mbit"][1], rel=0.01)
    assert curves["10Mbit"][1:] == sorted(curves["10Mbit"][1:], reverse=True)
    gaps = [1 - min(at) / max(at) for at in zip(*curves.values(), strict=True)]
    assert gaps[0] > 0.5 and gaps[-1] < 0.1


def test_directions_are_alike_in_turn_and_share_the_switch_at_once(delay: Path) -> None:
    rows = runs(delay, "directions").group_by("link", "order", "x").agg(pl.mean("there_mbps", "back_mbps"))
    for link, order, x, there, back in rows.iter_rows():
        assert back == pytest.approx(there, rel=0.02 if order == "in turn" else 0.25)
        (alone,) = rows.filter(link=link, order="in turn", x=x)["there_mbps"]
        if order == "at once":
            # At X = 1, two directions of 10 Mbit/s need more passes than the switch has; one
            # direction does not.
            times = 2 if (link, x) == ("10Mbit", 0) else 1.2 if (link, x) == ("10Mbit", 1) else 1
            assert there + back == pytest.approx(times * alone, rel=0.1)


def test_round_trips_do_not_depend_on_the_number_of_switches(delay: Path) -> None:
    rows = runs(delay, "switches-rtt").filter(pl.col("link") == "unlimited")
    for cells in rows.partition_by("transmissions"):
        values = cells["rtt_min_ms"].to_list()
        assert max(values) <= 1.01 * min(values)
    one = rows.filter(pl.col("switches") == 1, pl.col("transmissions") == 1)["rtt_min_ms"][0]
    two = rows.filter(pl.col("switches") == 2, pl.col("transmissions") == 2)["rtt_min_ms"][0]
    assert (one, two) == (pytest.approx(1.021, rel=0.001), pytest.approx(1.646, rel=0.001))


def test_two_switches_send_more_where_a_switch_is_the_limit(delay: Path) -> None:
    rows = (
        runs(delay, "switches-tcp").group_by("link", "switches", "transmissions").agg(pl.mean("goodput_mbps"))
    )
    mean = {row[:3]: row[3] for row in rows.iter_rows()}
    for link in ("unlimited", "25Mbit", "10Mbit"):
        for transmissions in (2, 4, 8, 16):
            one, two = mean[link, 1, transmissions], mean[link, 2, transmissions]
            # At 10 Mbit/s and 2 transmissions the link is the limit for both.
            assert two > (0.99 * one if (link, transmissions) == ("10Mbit", 2) else 1.5 * one)


def test_custom_packets_are_delayed_and_pings_are_not(delay: Path) -> None:
    rows = runs(delay, "custom")
    assert rows.height == 30
    assert rows.filter(
        (pl.col("received") != pl.col("sent")) | (pl.col("answered") != pl.col("sent"))
    ).is_empty()
    for row in rows.iter_rows(named=True):
        passes = row["switches"] * (row["x"] + 1)
        one_pass = MACHINES[row["profile"]].pass_ns / 1e6
        assert row["ingress_num"] == row["egress_num"] == passes and row["all_counted_alike"]
        # The starts of passes are 1/capacity apart.
        assert row["delay_min_ms"] == pytest.approx(passes * one_pass, rel=0.01)
        assert row["ping_ttl"] == 64 - row["switches"]
    for cells in rows.partition_by("profile", "switches"):
        # A ping that meets a custom packet waits for its passes.
        waits = cells["ping_rtt_max_ms"] - cells["ping_rtt_min_ms"]
        one_pass = MACHINES[cells["profile"][0]].pass_ns / 1e6
        assert cells["ping_rtt_min_ms"].n_unique() == 1 and waits.max() <= (cells["x"].max() + 1) * one_pass


def test_normal_packets_are_the_same_bytes_with_and_without_custom_ones() -> None:
    seen = []
    for custom in (False, True):
        with network("custom", MACHINES["bmv2-vm"]) as net:
            recirculate_custom(net, 7)
            at_h2 = net.host("h2").sniff("icmp")
            customs = net.host("h2").sniff("ether proto 0x1313")
            if custom:
                for number in range(5):
                    net.at(
                        f"{50 + 100 * number}ms",
                        lambda n=number: net.host("h1").send(custom_frame(H2[1], H1[1], 102, n)),
                    )
            net.host("h1").ping("h2", count=5, interval="100ms")
            net.run_for("200ms")
            assert [read_custom(bytes(frame)) for frame in customs.frames] == [
                (102, 8, 8, number) for number in (range(5) if custom else ())
            ]
            seen.append([(frame.time_ns, bytes(frame)) for frame in at_h2.frames])
    assert seen[0] == seen[1] and len(seen[0]) == 10


def test_unknown_content_is_dropped() -> None:
    with network("custom", MACHINES["modern"]) as net:
        recirculate_custom(net, 0)
        net.host("h1").send(custom_frame(H2[1], H1[1], 103, 0))
        net.run_for("1ms")
        assert net.audit().dropped == 1


def test_the_programs_have_no_warnings() -> None:
    folder = Path(__file__).parents[2] / "labs" / "weir_labs" / "delay"
    for program in folder.glob("*.p4"):
        assert weir.check(program) == [], program
