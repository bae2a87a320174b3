"""Holding packets and delays on demand, in the delay lab."""

from __future__ import annotations

from bisect import insort
from pathlib import Path

import polars as pl
import pytest

from weir_labs.delay.chain import network
from weir_labs.delay.hold import BOUND_PASSES, PORT, Receiver, Sender
from weir_labs.delay.machines import MACHINES
from weir_labs.delay.target import PORT as FLOW, set_passes, set_time


def runs(delay: Path, part: str) -> pl.DataFrame:
    return pl.read_parquet(delay / part / "runs.parquet")


def test_every_held_pair_arrives_in_the_order_b_a(delay: Path) -> None:
    rows = runs(delay, "hold")
    assert rows.height >= 4 and rows["within"].min() > 400
    assert rows["b_first"].to_list() == rows["within"].to_list()
    assert rows["received"].to_list() == rows["sent"].to_list()
    assert rows["others_in_order"].all()


def test_no_packet_is_held_past_the_bound(delay: Path) -> None:
    held = pl.read_parquet(delay / "hold" / "frames" / "held.parquet")
    # 100 recirculations are 101 passes; on bmv2-vm other packets use passes in between.
    modern = held.filter(pl.col("profile") == "modern")["held_passes"]
    assert modern.max() <= BOUND_PASSES + 1.01
    for profile in ("bmv2-vm", "modern"):
        by_time = held.filter(pl.col("profile") == profile, pl.col("bound") == "time")["held_passes"]
        one_pass = MACHINES[profile].pass_ns
        assert by_time.max() * one_pass < BOUND_PASSES * one_pass + 1000  # timestamps are whole microseconds
    never = held.filter(pl.col("gap_passes").is_null(), pl.col("profile") == "modern")["held_passes"]
    assert never.min() >= BOUND_PASSES - 1


def test_without_a_bound_no_packet_waits() -> None:
    machine = MACHINES["modern"]
    with network("hold", machine) as net:
        receiver = net.host("h2").run(Receiver(), udp=PORT)
        net.host("h1").run(Sender([(1000, 0, 7), (50_000, 1, 7)]), udp=PORT)
        net.run_for("1ms")
        assert [(role, pair) for _, role, pair in receiver.arrived] == [(0, 7), (1, 7)]
        net.switch("s1").table("bound").set_default("set_bound", {"recirculations": 1000, "us": 1000})
        net.host("h1").run(Sender([(1000, 0, 8), (50_000, 1, 8)]), udp=PORT + 1)
        net.run_for("1ms")
        assert [(role, pair) for _, role, pair in receiver.arrived][2:] == [(1, 8), (0, 8)]


def test_held_packets_take_only_the_passes_that_are_left(delay: Path) -> None:
    rows = runs(delay, "hold-price")
    assert (rows["reordered"] == 0).all() and (rows["left_early"] == 0).all()
    for row in rows.iter_rows(named=True):
        machine, n = MACHINES[row["profile"]], row["held"]
        load = row["mbps"] * 1e6 / 8 / 1470
        if load > machine.capacity:
            assert row["loss_percent"] > 5
            continue
        assert (row["loss_percent"], row["held_lost"], row["b_first"]) == (0, 0, n)
        pass_s = machine.pass_ns / 1e9
        # The held packets share the remaining passes, and none comes back before its pass has
        # ended.
        assert row["held_passes_per_s"] == pytest.approx(min(machine.capacity - load, n / pass_s), rel=0.15)
        loop_ms = 1e3 * max(pass_s, n / (machine.capacity - load))
        assert row["delay_max_ms"] <= loop_ms + 1e3 * (pass_s + 1 / machine.capacity)
    idle = rows.filter(pl.col("held") == 0)
    assert (idle["held_passes_per_s"] == 0).all()
    full = rows.filter(pl.col("mbps") == 32.0, pl.col("held") >= 2)
    assert (full["capacity_percent"] > 99.9).all() and full["delay_mean_ms"].min() > 4


@pytest.mark.parametrize("way", ["calibrated", "timestamp"])
def test_target_delays_are_met_within_a_pass_on_an_idle_switch(delay: Path, way: str) -> None:
    rows = runs(delay, "target-delay").filter(pl.col("way") == way, pl.col("cross") == "none")
    assert rows.height == 18
    assert rows["error_passes"].max() <= 1.0


def test_time_stamps_meet_the_delay_within_a_pass_where_any_way_can(delay: Path) -> None:
    rows = runs(delay, "target-delay").filter(pl.col("way") == "timestamp")
    assert rows.height == 54 and rows["in_reach_passes"].max() <= 1.0
    # Only a packet that has to wait for its first pass, or several in one loop, are out of reach.
    unreached = rows.filter(pl.col("out_of_reach") > 0)
    assert set(unreached["cross"]) <= {"constant", "poisson"}
    assert unreached.filter(pl.col("cross") == "constant", pl.col("d_ms") > pl.col("pass_ms")).is_empty()
    assert unreached["out_of_reach"].sum() < 0.01 * rows["received"].sum()
    late = runs(delay, "target-delay").filter(pl.col("way") == "calibrated", pl.col("cross") == "constant")
    assert late["in_reach_passes"].max() > 3


@pytest.mark.parametrize(("d_ms", "mbps"), [(0.2, 4), (2.0, 2), (2.0, 6), (10.0, 4)])
@pytest.mark.parametrize("seed", [1, 2])
def test_no_way_of_delaying_a_packet_by_passes_is_nearer_by_more_than_a_pass(
    d_ms: float, mbps: int, seed: int
) -> None:
    machine = MACHINES["bmv2-vm"].switch_alone
    one_pass, apart = machine.pass_ns, 10**9 / machine.capacity
    with network("target", machine, seed=seed) as net:
        set_time(net, d_ms)
        h1 = net.host("h1")
        cross = net.sniff("s1-p1", "udp dst port 5201")
        sent, received = (net.sniff(end, f"udp dst port {FLOW}") for end in ("s1-p1", "h2"))
        h1.start_poisson("h2", f"{mbps}Mbit", duration="6s", interval=None)
        net.run_for("103.1ms")
        h1.iperf("h2", udp=True, count=250, length="100B", rate="40kbit", port=FLOW)
    others = [frame.time_ns for frame in cross.frames]
    stays = [(a.time_ns, b.time_ns) for a, b in zip(sent.frames, received.frames, strict=True)]

    # All passes in order: those of other packets, and those of the delayed packets while they were
    # in the switch.
    waiting = sorted([(time, 0, 0) for time in others] + [(came, 1, left) for came, left in stays])
    ready, ends = 0.0, []
    while waiting:
        came, is_delayed, left = waiting.pop(0)
        begin = max(came, ready)
        ready, end = begin + apart, begin + one_pass
        if is_delayed:
            ends.append(end)
            if end < left - 50:
                insort(waiting, (end, 1, left))
    # The model matches the switch: each packet left when one of these passes ended.
    assert all(min(abs(end - left) for end in ends) < 50 for _, left in stays)

    unmet = 0
    for came, left in stays:
        goal = came + d_ms * 1e6
        if abs(left - goal) <= one_pass + 1000:  # timestamps are whole microseconds
            continue
        unmet += 1
        # The packet left too late: the previous pass had ended more than a pass time before the
        # goal, or there was no previous pass.
        before = max((end for end in ends if came < end < left - 50), default=0)
        assert left > goal and before < goal - one_pass + 1000
    assert len(stays) == 250 and unmet < 25


@pytest.mark.parametrize(
    ("other_us", "error_ms"),
    # Passes of 312.5 us: 15 are 4.6875 ms, and 16 are 5 ms. A packet that comes after 3 ms delays
    # all later passes by one; a packet that comes in the 15th pass might delay the next one, so the
    # delayed packet leaves; a packet that comes in the 16th pass changes nothing.
    [(None, 0.1), (3000, 0.1), (4500, -0.2125), (4800, 0.1)],
)
def test_a_packet_knows_whether_its_next_loop_has_others_in_it(other_us: int | None, error_ms: float) -> None:
    with network("target", MACHINES["bmv2-vm"].switch_alone) as net:
        set_time(net, 4.9)
        h1 = net.host("h1")
        h1.iperf("h2", udp=True, count=1, port=FLOW, linger="10ms")  # finds the shortest loop
        flow = h1.start_iperf("h2", udp=True, count=1, port=FLOW, linger="10ms")
        if other_us is not None:
            net.run_for(f"{other_us}us")
            h1.start_iperf("h2", udp=True, count=1)
        net.wait(flow)
        assert flow.result().streams[0].delay_mean_ms == pytest.approx(4.9 + error_ms, abs=0.001)


def test_the_delay_is_set_at_run_time() -> None:
    with network("target", MACHINES["bmv2-vm"].switch_alone) as net:
        send = lambda: net.host("h1").iperf("h2", udp=True, count=3, rate="100kbit", port=FLOW)  # noqa: E731
        delays = []
        for change in (lambda: None, lambda: set_time(net, 5.0), lambda: set_passes(net, 2)):
            change()
            delays.append(send().streams[0].delay_mean_ms)
        assert delays == [
            pytest.approx(0.3125),
            pytest.approx(5.0, abs=0.3125),
            pytest.approx(0.9375, abs=0.01),
        ]


def test_plots_have_plain_numbers(delay: Path) -> None:
    plots = list((delay / "plots").glob("*.svg"))
    assert len(plots) > 3
    assert [plot.name for plot in plots if "mathdefault" in plot.read_text()] == []
