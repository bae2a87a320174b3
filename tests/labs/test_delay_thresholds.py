"""Latency thresholds: the behaviour of switches, and the findings of the lab."""

from __future__ import annotations

import struct
from pathlib import Path

import polars as pl
import pytest

import weir
from weir.errors import WeirError
from weir_labs.delay.machines import MACHINES
from weir_labs.delay.service_chain import SWITCHES, address, network
from weir_labs.delay.thresholds import FLOWS, set_thresholds, thresholds

CONTROL, VIDEO, BULK = FLOWS
TYPE_STAMP = 0x88B6
POINT = ["profile", "load", "policy"]


@pytest.fixture
def chain() -> weir.Network:
    """A chain without service functions, so that ages are known."""
    return network(MACHINES["modern"], has_functions=False)


def decisions(net: weir.Network) -> list[int]:
    """The packets with priority, and those dropped before and after a queue, in all switches."""
    return [sum(s.counter("decisions").read(cell).packets for s in net.switches) for cell in range(3)]


def set_all(net: weir.Network, priority_us: int, drop_us: int) -> None:
    for switch in net.switches:
        switch.table("thresholds").insert(
            {"hdr.ipv4.dstAddr": address(2), "hdr.udp.dstPort": CONTROL.port},
            "limit_age",
            {"priority_us": priority_us, "drop_us": drop_us},
        )


def fill_queue(net: weir.Network, duration: str = "30s") -> None:
    """Starts cross traffic that keeps a queue of about 50 ms at the first switch."""
    net.host("x1").start_iperf(
        "y1", udp=True, rate="11Mbit", length="1000B", duration=duration, interval=None
    )
    net.run_for("1s")


def test_a_flow_with_thresholds_has_a_stamp_inside_the_chain_only(chain: weir.Network) -> None:
    with chain as net:
        set_thresholds(net, "both")
        inside = [net.sniff(f"s{number}-p2") for number in (1, 2)]
        outside = net.sniff("h2")
        h1 = net.host("h1")
        for flow in (CONTROL, BULK):
            h1.iperf("h2", udp=True, count=1, length="100B", port=flow.port)
        for sniffer in inside:
            kinds = [struct.unpack_from("!H", bytes(frame), 12)[0] for frame in sniffer.frames]
            assert kinds == [TYPE_STAMP, 0x0800]
            stamped, plain = (bytes(frame) for frame in sniffer.frames)
            assert len(stamped) == len(plain) + 8
        stamps = {bytes(sniffer.frames[0])[14:20] for sniffer in inside}
        assert len(stamps) == 1  # only the first switch writes it
        for frame in (bytes(frame) for frame in outside.frames):
            assert frame[12:14] == b"\x08\x00"
            assert frame[22] == 64 - SWITCHES  # the TTL


def test_a_stamp_from_a_host_counts_for_nothing(chain: weir.Network) -> None:
    with chain as net:
        set_thresholds(net, "both")
        sniffer = net.sniff("h1")
        h1 = net.host("h1")
        h1.iperf("h2", udp=True, count=1, port=CONTROL.port)
        net.run_for("100ms")
        sent = bytes(sniffer.frames[0])
        received = net.sniff("h2")
        # A packet whose header says that it is 100 ms old.
        h1.send(sent[:12] + struct.pack("!H6sH", TYPE_STAMP, bytes(6), 0x0800) + sent[14:])
        net.run_for("10ms")
        (frame,) = received.frames
        assert bytes(frame)[12:14] == b"\x08\x00" and len(bytes(frame)) == len(sent)
        assert decisions(net) == [0, 0, 0]


def test_thresholds_are_set_at_run_time(chain: weir.Network) -> None:
    with chain as net:
        fill_queue(net)
        h1 = net.host("h1")

        def send() -> weir.UdpResult:
            return h1.iperf("h2", udp=True, count=20, length="100B", rate="800kbit", port=CONTROL.port)

        assert send().streams[0].delay_min_ms > 40
        set_thresholds(net, "priority")
        assert send().streams[0].delay_max_ms < 5
        set_thresholds(net, "drop")
        assert send().received == 0
        assert decisions(net)[1] == 0 and decisions(net)[2] > 0
        set_thresholds(net, "off")
        assert send().streams[0].delay_min_ms > 40


def test_the_expected_wait_gives_priority_at_the_first_switch(chain: weir.Network) -> None:
    with chain as net:
        set_all(net, priority_us=5000, drop_us=10**6)
        h1 = net.host("h1")
        h1.iperf("h2", udp=True, count=20, length="100B", port=CONTROL.port)
        assert decisions(net)[0] == 0  # no packet waits
        fill_queue(net, "2s")
        first = net.switch("s1").counter("decisions")
        h1.iperf("h2", udp=True, count=20, length="100B", rate="800kbit", port=CONTROL.port)
        assert first.read(0).packets == 20
        # The switch forgets the reported waiting time when the queue has been empty for that long.
        net.run_for("3s")
        h1.iperf("h2", udp=True, count=20, length="100B", port=CONTROL.port)
        assert first.read(0).packets == 20


@pytest.mark.parametrize(
    ("priority_us", "drop_us", "expected"),
    [(0, 10**6, [3, 0, 0]), (10**6, 0, [0, 1, 0]), (10**6, 10**6, [0, 0, 0]), (0, 0, [0, 1, 0])],
)
def test_thresholds_at_their_limits(
    chain: weir.Network, priority_us: int, drop_us: int, expected: list[int]
) -> None:
    with chain as net:
        set_all(net, priority_us, drop_us)
        result = net.host("h1").iperf("h2", udp=True, count=1, port=CONTROL.port)
        assert decisions(net) == expected
        assert result.received == (drop_us > 0)


def test_an_old_packet_is_dropped_by_the_next_switch(chain: weir.Network) -> None:
    with chain as net:
        net.link("s1-p2", "s2-p1").delay = "30ms"
        set_all(net, priority_us=10_000, drop_us=20_000)
        result = net.host("h1").iperf("h2", udp=True, count=5, port=CONTROL.port)
        assert result.received == 0
        assert decisions(net) == [0, 5, 0]
        assert net.switch("s2").counter("decisions").read(1).packets == 5
        net.link("s1-p2", "s2-p1").delay = "15ms"
        assert net.host("h1").iperf("h2", udp=True, count=5, port=CONTROL.port).received == 5
        assert decisions(net) == [10, 5, 0]  # at s2 and s3


def test_a_load_below_that_of_the_flows_is_refused() -> None:
    with pytest.raises(WeirError, match=r"load = 0\.3: expected more than 0\.34"):
        thresholds.function(profile="modern", load=0.3, policy="off", seconds=1, seed=1)


def runs(delay: Path) -> pl.DataFrame:
    return pl.read_parquet(delay / "thresholds" / "runs.parquet")


def delays(delay: Path) -> pl.DataFrame:
    return pl.read_parquet(delay / "thresholds" / "frames" / "delays.parquet")


def test_no_packet_arrives_past_the_second_threshold(delay: Path) -> None:
    rows = delays(delay)
    for flow in (CONTROL, VIDEO):
        of_flow = rows.filter(pl.col("flow") == flow.name)
        dropping = of_flow.filter(pl.col("policy").is_in(["drop", "both"]))
        # After the last queue: a pass and its wait, the link, and the host. Before the first stamp:
        # the wait for a pass.
        largest = dict(dropping.group_by("profile").agg(pl.max("delay_ms")).iter_rows())
        assert largest["modern"] <= flow.drop_ms + 1
        assert largest["bmv2-vm"] <= flow.drop_ms + 3
        others = of_flow.filter(pl.col("policy").is_in(["off", "priority"]))
        assert others["delay_ms"].max() > flow.drop_ms + 3


def test_each_packet_is_accounted_for(delay: Path) -> None:
    rows = runs(delay)
    dropped = rows["old_before_queue"] + rows["old_after_queue"]
    lost = sum((rows[f"{f.name}_sent"] - rows[f"{f.name}_received"] for f in (CONTROL, VIDEO)), start=0)
    policies = rows["policy"]
    assert (dropped.filter(policies.is_in(["off", "priority"])) == 0).all()
    assert (rows["prioritized"].filter(policies.is_in(["off", "drop"])) == 0).all()
    # With priority no packet of these flows finds a full queue; alone, "drop" loses some there too.
    assert (lost.filter(policies == "priority") == 0).all()
    assert (lost.filter(policies == "both") == dropped.filter(policies == "both")).all()
    assert (lost.filter(policies == "drop") >= dropped.filter(policies == "drop")).all()
    assert dropped.filter(policies == "drop").sum() > 100
    received = delays(delay).group_by("flow").len()
    for name, count in received.iter_rows():
        assert count == rows[f"{name}_received"].sum()


def test_priority_brings_packets_in_time_and_dropping_alone_does_not(delay: Path) -> None:
    rows = delays(delay).filter(load=0.8)
    sent = runs(delay).filter(load=0.8)
    for profile in ("bmv2-vm", "modern"):
        for flow in (CONTROL, VIDEO):
            in_time = {
                policy: rows.filter(
                    pl.col("delay_ms") <= flow.drop_ms, profile=profile, flow=flow.name, policy=policy
                ).height
                / sent.filter(profile=profile, policy=policy)[f"{flow.name}_sent"].sum()
                for policy in ("off", "priority", "drop", "both")
            }
            assert min(in_time["priority"], in_time["both"]) > 0.98
            assert max(in_time["off"], in_time["drop"]) < 0.5


def test_other_traffic_pays_for_priority(delay: Path) -> None:
    rows = delays(delay).filter(pl.col("load") >= 0.8, flow=BULK.name)
    means = {row[:3]: row[3] for row in rows.group_by(POINT).agg(pl.mean("delay_ms")).iter_rows()}
    for (profile, load, policy), mean in means.items():
        if policy in ("priority", "both"):
            assert mean > 1.1 * means[profile, load, "off"]
