"""The lab load-balance: claims recomputed from its tables, telemetry against traces."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from handmade import internet_checksum
from queue_contents import met_in_queue
from recomputed import shown_tables

import weir
from weir_labs.load_balance.balancers import LEAST_BYTES, Feedback, Flowlets, LeastLoaded
from weir_labs.load_balance.balancing import balancing
from weir_labs.load_balance.fabric import PATH_ENDS, fabric, program
from weir_labs.load_balance.measure import ARRIVALS, Observations, observe
from weir_labs.load_balance.paths import Flow, hashed_path, read_arrival, read_notice
from weir_labs.load_balance.pods import fat_tree, pairs


@pytest.fixture(scope="module")
def runs(load_balance: Path) -> pl.DataFrame:
    return pl.read_parquet(load_balance / "balancing" / "runs.parquet")


@pytest.fixture(scope="module")
def flows(load_balance: Path) -> pl.DataFrame:
    return pl.read_parquet(load_balance / "balancing" / "frames" / "flows.parquet")


def share_of_good(runs: pl.DataFrame, queues: str) -> float:
    """The share of runs in which the slowest flow ends above 9 Mbit/s."""
    own = runs.filter(pl.col("queues") == queues)
    assert own.height >= 3
    return own.filter(pl.col("slowest_mbps") > 9).height / own.height


def test_without_balancing_flows_collide_as_the_hash_says(flows: pl.DataFrame) -> None:
    plain = flows.filter(pl.col("queues") == "off")
    assert plain.height >= 12 and (plain["first_path"] == plain["hashed_path"]).all()
    for (_, path), own in plain.group_by("repetition", "hashed_path"):
        assert set(own["sharing"]) == {own.height}, path
        # The queue of 64 packets is never empty, so the flows have the whole path.
        assert own["mbps"].sum() == pytest.approx(10, rel=0.1)
        # Cubic can starve one of two flows for seconds: 10 Mbit/s for one of them are possible.
        assert own["mbps"].min() < 11 / own.height
    assert plain.filter(pl.col("sharing") == 1)["mbps"].min() > 9.9


def test_all_flows_find_a_path_of_their_own(runs: pl.DataFrame) -> None:
    assert share_of_good(runs, "shared") >= 0.9
    assert share_of_good(runs, "off") < 0.5 < share_of_good(runs, "shared")
    good = runs.filter(pl.col("queues") == "shared", pl.col("slowest_mbps") > 9)
    assert set(good["paths_at_end"]) == {4} and good["settled_s"].max() <= 20


def test_latency_falls(runs: pl.DataFrame) -> None:
    rtt = {queues: own["rtt_ms"].mean() for (queues,), own in runs.group_by("queues")}
    assert rtt["shared"] < 0.8 * rtt["off"]


def test_only_flows_that_were_moved_are_reordered(runs: pl.DataFrame, flows: pl.DataFrame) -> None:
    assert runs["overtaken_without_move"].sum() == 0
    assert flows.filter(pl.col("notices") == 0)["late"].sum() == 0
    assert flows.filter(pl.col("notices") > 0)["late"].sum() > 100


def network(feedback: Feedback | None, seed: int = 1) -> weir.Network:
    return weir.Network(fabric(feedback), program(), seed=seed, noise="realistic")


def flow_of(packet: bytes) -> bytes:
    """The addresses and ports of a packet with telemetry."""
    return packet[30:42]


def segment(packet: bytes) -> bytes:
    """The length, addresses, ports and TCP header of a packet with telemetry."""
    return packet[20:22] + packet[30:70]


@pytest.mark.parametrize("queues", ["all", "shared"])
def test_telemetry_equals_the_record(queues: str) -> None:
    with network(Feedback(queues, 100, "0s", 100), seed=3) as net:
        s1 = net.switch("s1")
        s1.trace()
        # Slow enough for a queue of a flow that is alone.
        for number in (2, 3, 4, 5):
            net.link("s1", f"s{number}").rate = "5Mbit"
        for number in (1, 2, 3, 4):
            net.host(f"h{number}").start_iperf(f"h{number + 4}", duration="250ms", port=5000 + number)
        net.run_for("1s")
        journeys = s1.journeys()
    met = met_in_queue(journeys)
    left = {
        journey.packet: output.packet
        for journey in journeys
        for output in journey.outputs
        if output.packet[12:14] == b"\x77\x77"
    }
    depths = []
    for packet, sent in left.items():
        if len(sent) >= LEAST_BYTES:
            others = [left[other] for other in met[packet]]
            shared = any(flow_of(other) != flow_of(sent) for other in others if len(other) >= LEAST_BYTES)
            depths.append((int.from_bytes(sent[14:16], "big"), len(others), shared))
    assert len(depths) > 50 and max(waiting for _, waiting, shared in depths if shared) > 10
    assert any(waiting and not shared for _, waiting, shared in depths)
    for depth, waiting, shared in depths:
        assert depth == (waiting if queues == "all" or shared else 0)


def test_each_packet_above_the_threshold_causes_feedback() -> None:
    # Without time-out and with probability 1.
    with network(Feedback("all", 10, "0s", 100), seed=3) as net:
        seen = net.sniff(ARRIVALS, "ether proto 0x7777")
        left = net.sniff(PATH_ENDS, "ether proto 0x7777")
        feedback = net.sniff(PATH_ENDS, "ether proto 0x7778")
        # The second half of a path is slower: there is a queue, too.
        net.link("s3", "s6").rate = "5Mbit"
        for number in (1, 2, 3, 4):
            net.host(f"h{number}").start_iperf(f"h{number + 4}", duration="2s", port=5000 + number)
        net.run_for("4s")
    last = [one for frame in seen.frames if not frame.outbound and (one := read_arrival(frame))]
    notices = [read_notice(frame) for frame in feedback.frames if not frame.outbound]
    assert sorted((one.flow, one.depth) for one in notices) == sorted(
        (one.flow, one.depth) for one in last if one.depth > 10
    )
    # The larger of two queues counts.
    at_s1 = {segment(frame.data): frame.data[14:16] for frame in left.frames if frame.outbound}
    longer = [
        int.from_bytes(frame.data[14:16], "big") - int.from_bytes(at_s1[segment(frame.data)], "big")
        for frame in seen.frames
        if not frame.outbound and len(frame.data) >= LEAST_BYTES
    ]
    assert len(longer) > 300 and min(longer) == 0 and max(longer) > 10


def test_feedback_is_a_short_packet_back_and_hosts_see_nothing() -> None:
    with network(Feedback("all", 10, "200ms", 100)) as net:
        hosts = net.sniff([f"h{number}" for number in range(1, 9)])
        feedback = net.sniff(ARRIVALS, "ether proto 0x7778")
        for number in (1, 2, 3, 4):
            net.host(f"h{number}").start_iperf(f"h{number + 4}", duration="2s", port=5000)
        net.run_for("3s")
    assert {frame.data[12:14] for frame in hosts.frames} == {b"\x08\x00"}
    sent = {frame.data[26:]: frame.data for frame in hosts.frames if frame.outbound}
    received = [frame.data for frame in hosts.frames if not frame.outbound]
    assert len(received) > 500
    for packet in received:
        # Only the fields that a router changes differ: Ethernet addresses, TTL and header checksum.
        before = sent[packet[26:]]
        assert packet[12:22] == before[12:22] and packet[22] == before[22] - 3 and packet[23] == before[23]
        assert internet_checksum(packet[14:34]) == 0
    frames = [frame for frame in feedback.frames if frame.outbound]
    last: dict[bytes, int] = {}
    assert len(frames) >= 4
    for frame in frames:
        packet = frame.data
        assert len(packet) == 58 and packet[16:18] == b"\x08\x00" and packet[20:22] == b"\x00\x28"
        assert internet_checksum(packet[18:38]) == 0 and packet[26] == 63
        # From a receiver to its sender.
        assert packet[30:32] == b"\x0a\x06" and packet[34:36] == b"\x0a\x01" and packet[32] == packet[36] + 4
        flow = packet[30:42]
        if flow in last:
            assert frame.time_ns - last[flow] > 199_000_000
        last[flow] = frame.time_ns


def test_hosts_can_send_neither_telemetry_nor_feedback() -> None:
    with network(Feedback("all", 10, "200ms", 100)) as net:
        flow = net.host("h1").iperf("h5", size="100kB")
        net.run_for("1s")
        before = net.switch("s1").register("ids").cells()
        seen = net.sniff(["s1-p2", *PATH_ENDS], "ether proto 0x7777 or ether proto 0x7778")
        stream = flow.streams[0]
        ports = stream.port.to_bytes(2, "big") + stream.source_port.to_bytes(2, "big")
        address = bytes([10, 6, 5, 2, 10, 1, 1, 2])
        header = bytes.fromhex("450000280000000040060000")
        total = internet_checksum(header + address)
        ipv4 = header[:10] + total.to_bytes(2, "big") + address
        for kind in (b"\x77\x78", b"\x77\x77"):
            frame = bytes.fromhex("080000010102 080000000201".replace(" ", "")) + kind
            net.host("h2").send(frame + b"\x00\x30\x08\x00" + ipv4 + ports + bytes(16))
        net.run_for("100ms")
        assert len(seen.frames) == 2 and net.switch("s1").register("ids").cells() == before


def test_probability() -> None:
    with network(Feedback("all", 10, "0s", 25), seed=2) as net:
        seen = net.sniff(ARRIVALS, "ether proto 0x7777")
        feedback = net.sniff(PATH_ENDS, "ether proto 0x7778")
        for number in (1, 2, 3, 4):
            net.host(f"h{number}").start_iperf(f"h{number + 4}", duration="4s", port=5000 + number)
        net.run_for("6s")
    above = sum(frame.data[14:16] > b"\x00\x0a" for frame in seen.frames if not frame.outbound)
    notices = sum(not frame.outbound for frame in feedback.frames)
    assert above > 400 and notices == pytest.approx(above / 4, rel=0.2)


def test_the_id_of_a_flow_decides_its_path() -> None:
    with network(Feedback("shared", 20, "500ms", 100), seed=2) as net:
        feedback = net.sniff(PATH_ENDS, "ether proto 0x7778")
        flows = [
            net.host(f"h{number}").start_iperf(f"h{number + 4}", duration="8s", port=5000 + number)
            for number in (1, 2, 3, 4)
        ]
        net.run_for("7s")
        seen = net.sniff(ARRIVALS, f"ether proto 0x7777 and greater {LEAST_BYTES}")
        net.run_for("500ms")
        ids = net.switch("s1").register("ids").cells()
        assert len(flows) == 4
    notices = [read_notice(frame) for frame in feedback.frames if not frame.outbound]
    assert notices and max(notice.time_ns for notice in notices) < 6_400_000_000
    taken = {
        (one.flow, ARRIVALS.index(one.end))
        for frame in seen.frames
        if not frame.outbound and (one := read_arrival(frame))
    }
    assert len(taken) == 4
    for flow, path in taken:
        moved = flow in {notice.flow for notice in notices}
        identifier = ids[cell(flow)]
        assert moved == (identifier != 0) and path == hashed_path(flow, 4, identifier)


def cell(flow: Flow) -> int:
    """The cell of a TCP flow in the registers of paths.p4."""
    source, target, source_port, port = flow
    return zlib.crc32(struct.pack("!IIBHH", source, target, 6, source_port, port)) % 4096


def rates_at_the_end(seen: Observations) -> list[float]:
    """The rate of each flow in the last two seconds, in Mbit/s of frames."""
    return [float(rate) for rate in seen.rates[:, -2:].mean(axis=1)]


def test_flowlets_move_without_telemetry_and_with_few_late_packets() -> None:
    seen = observe(Flowlets("50ms"), congestion="cubic", rate="10Mbit", seconds=8, seed=1)
    assert not seen.notices and seen.ways.height > 4
    assert seen.ways.group_by("flow").last()["path"].n_unique() == 4
    # A gap of 50 ms is shorter than a full queue, so packets can be late, but few.
    assert len(seen.overtaken_packets) < 100
    plain = observe(None, congestion="cubic", rate="10Mbit", seconds=8, seed=1)
    assert plain.ways.height == 4 and not plain.overtaken_packets
    # No gap is that long: the hash decides, as without flowlets.
    long = observe(Flowlets("8s"), congestion="cubic", rate="10Mbit", seconds=8, seed=1)
    assert long.ways.rows() == plain.ways.rows() and long.end_rates == plain.end_rates


def test_the_least_loaded_path_is_one_that_nobody_uses() -> None:
    for seed in (1, 2, 3):
        balancer = LeastLoaded(20, "100ms", "1s")
        seen = observe(balancer, congestion="cubic", rate="10Mbit", seconds=8, seed=seed)
        # All four flows begin within 1 ms; each takes a path that no earlier flow has.
        first = seen.ways.group_by("flow", maintain_order=True).first()["path"]
        assert set(first) == {0, 1, 2, 3}
        assert min(rates_at_the_end(seen)) > 9.9
        # A report on each flow every 100 ms, from the first data on.
        assert len(seen.notices) == pytest.approx(4 * 80, abs=12)


def test_a_flow_leaves_a_path_that_another_one_comes_to() -> None:
    with weir.Network(fabric(LeastLoaded(20, "100ms", "1s")), program(), seed=5, noise="realistic") as net:
        feedback = net.sniff(PATH_ENDS, "ether proto 0x7778")
        moved = net.switch("s1").register("path_of")
        flows = [net.host(f"h{number}").start_iperf(f"h{number + 4}", duration="6s") for number in (1, 2)]
        net.run_for("500ms")
        paths = [cell for cell in moved.cells() if cell]
        # Put both onto one path, as a control plane could.
        for place, value in enumerate(moved.cells()):
            if value:
                moved.write(place, 1)
        net.run_for("5s")
        after = [cell for cell in moved.cells() if cell]
        rates = [flow.result().streams[0].intervals[4].goodput_bps for flow in flows]
    assert len(set(paths)) == 2 and sorted(after)[0] == 1 and len(set(after)) == 2
    assert feedback.frames and min(rates) > 9.5e6


@pytest.mark.parametrize("count", [1, 8, 16])
def test_pairs_of_a_fat_tree(count: int) -> None:
    chosen_pairs = pairs(count, seed=7)
    sources, targets = zip(*chosen_pairs, strict=True)
    assert len(chosen_pairs) == len(set(sources)) == len(set(targets)) == count
    assert all((int(a[1:]) - 1) // 4 != (int(b[1:]) - 1) // 4 for a, b in chosen_pairs)
    assert pairs(count, seed=7) == chosen_pairs


def test_all_hosts_of_a_fat_tree_reach_each_other_over_all_paths() -> None:
    with weir.Network(fat_tree(Feedback("shared", 20, "1s", 20)), program(), seed=1) as net:
        assert net.ping_all().received == 16 * 15
        cores = [f"c{up}_{core}-p2" for up in range(2) for core in range(2)]
        seen = net.sniff(cores, "ether proto 0x7777")
        for port in range(6000, 6040):
            net.host("h1").start_iperf("h5", size="100B", port=port)
        net.run_for("2s")
        taken: dict[int, set[str]] = {}
        for frame in seen.frames:
            flow = Flow(*struct.unpack_from("!IIHH", frame.data, 30))
            if frame.outbound:
                taken.setdefault(hashed_path(flow, 4), set()).add(frame.end)
    # Each path of the hash is one core: over aggregation switch u and its core c.
    assert taken == {path: {cores[path]} for path in range(4)}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"queues": "some"}, "queues=some: expected off, all or shared"),
        ({"threshold": -1}, "threshold=-1: expected a number from 0 to 65535"),
        ({"percent": 0}, "percent=0: expected a number from 1 to 100"),
        ({"timeout": "soon"}, "timeout"),
        ({"seconds": 2}, "seconds=2: expected a number from 5 to "),
    ],
)
def test_numbers_out_of_range(change: dict[str, Any], message: str) -> None:
    options: dict[str, Any] = {
        "queues": "off", "threshold": 20, "timeout": "1s", "percent": 20, "congestion": "cubic",
        "rate": "10Mbit", "seconds": 5, "seed": 1, **change,
    }  # fmt: skip
    with pytest.raises((ValueError, weir.WeirError), match=message):
        balancing.function(**options)


def test_numbers_are_in_the_report(load_balance: Path, runs: pl.DataFrame) -> None:
    tables = shown_tables((load_balance / "report.html").read_text())
    compared, table = tables["Four flows, four paths", 1], tables["Four flows, four paths", 2]
    assert [row[1:3] for row in compared] == [
        ["4.45", "9.12"], ["3.22", "9.27"], ["2.10", "9.11"], ["5.00", "9.25"], ["94.2?", "54.2?"], ["94.2?", "54.2?"],
    ]  # fmt: skip
    for place, queues in enumerate(("off", "all", "shared")):
        own = runs.filter(pl.col("queues") == queues)
        assert [row[3 + place] for row in compared] == [
            *(f"{own[f'run_mbps_{number}'].mean():.2f}" for number in (1, 2, 3, 4)),
            f"{own['run_rtt_ms'].mean():.1f}",
            f"{own['run_ping_ms'].mean():.1f}",
        ]
        good = np.mean(own["slowest_mbps"].to_numpy() > 9)
        assert table[place][1:3] == [f"{own.height}", f"{100 * good:.0f}"]


def test_pings_and_tcp_see_other_queues(load_balance: Path, runs: pl.DataFrame) -> None:
    table = shown_tables((load_balance / "report.html").read_text())["Which latency?", 1]
    collide = runs.filter(pl.col("queues") == "off", pl.col("paths_at_end") < 4)
    assert table[0][1:3] == [f"{collide.height}", f"{collide['run_rtt_ms'].mean():.1f}"]
    assert table[0][5] == f"{collide['run_ping_ms'].mean():.1f}"
    # TCP waits in the queues where flows are, so its round trip is far above the slides' 94 ms.
    assert collide["run_rtt_ms"].min() > 150 and (collide["run_rtt_ms"] > collide["run_ping_ms"]).all()
    shared = runs.filter(pl.col("queues") == "shared")
    assert shared["run_ping_ms"].mean() > collide["run_ping_ms"].mean()
    seconds = pl.read_parquet(load_balance / "balancing" / "frames" / "latency.parquet")
    own = seconds.filter(pl.col("queues") == "off", pl.col("repetition") == 0)
    first = runs.filter(pl.col("queues") == "off", pl.col("repetition") == 0)
    assert own.height == first["seconds"][0]
    assert own["rtt_ms"].mean() == pytest.approx(first["run_rtt_ms"][0])
    assert own["queue"].mean() == pytest.approx(first["run_queue"][0], rel=1e-3)


def test_slower_senders_drain_queues(load_balance: Path) -> None:
    # A slower link of a receiver would take over the queue that the path had.
    rates = {str(link.a).split("-")[0]: link.rate_bps for link in fabric(None, host_rate="9Mbit").links}
    assert {name for name, rate in rates.items() if rate == 9_000_000} == {"h1", "h2", "h3", "h4"}
    assert set(rates.values()) == {9_000_000, 10_000_000}
    runs = part(load_balance, "hosts").filter(pl.col("good") == 1, pl.col("host_rate") == "9250kbit")
    assert (runs["queue"] < 10).all() and (runs["rtt_ms"] < 94.2).all()


def part(results: Path, name: str) -> pl.DataFrame:
    """The runs of another experiment."""
    return pl.read_parquet(results / name / "runs.parquet")


def test_all_other_schemes_beat_ecmp(load_balance: Path) -> None:
    runs = part(load_balance, "schemes")
    slowest = dict(runs.group_by("scheme").agg(pl.mean("slowest_mbps")).iter_rows())
    assert set(slowest) >= {"ecmp", "flowlets", "least-loaded"}
    assert all(slowest[name] > slowest["ecmp"] + 2 for name in slowest if name != "ecmp")
    # Reports find idle paths at once, and keep flows apart that start together.
    least = runs.filter(pl.col("scheme") == "least-loaded")
    assert least["slowest_mbps"].min() > 9 and least["settled_s"].max() < 8
    # Without feedback there are no notices; ECMP moves no flow.
    for scheme in ("ecmp", "flowlets"):
        assert runs.filter(pl.col("scheme") == scheme)["notices"].sum() == 0
    assert runs.filter(pl.col("scheme") == "ecmp")["late"].sum() == 0


def test_short_gaps_reorder_and_long_ones_never_come(load_balance: Path) -> None:
    runs = part(load_balance, "flowlets")
    runs_by_gap = {gap: own for (gap,), own in runs.group_by("gap")}
    assert runs_by_gap["10ms"]["late"].mean() > 10 * runs_by_gap["50ms"]["late"].mean()
    assert runs_by_gap["200ms"]["late"].sum() == 0
    slowest = {gap: own["slowest_mbps"].mean() for gap, own in runs_by_gap.items()}
    assert slowest["50ms"] > 9 and slowest["50ms"] > max(slowest["10ms"], slowest["200ms"])


def test_few_senders_of_a_fat_tree_find_paths(load_balance: Path) -> None:
    runs = part(load_balance, "fat-tree").filter(pl.col("senders") == 4)
    mean = dict(runs.group_by("scheme").agg(pl.mean("mean_mbps")).iter_rows())
    assert mean["least-loaded"] > mean["ecmp"] and mean["least-loaded"] > 9.5
    assert (runs["slowest_mbps"] <= runs["mean_mbps"]).all()


def test_settings_are_in_the_report(load_balance: Path) -> None:
    table = shown_tables((load_balance / "report.html").read_text())["Threshold, time-out, probability", 1]
    names = {"all": "all queues count", "shared": "shared queues count"}
    keys = ["queues", "threshold", "timeout", "percent"]
    means = part(load_balance, "sweep").group_by(keys, maintain_order=True).agg(pl.mean("slowest_mbps"))
    assert [[*row[:4], row[5]] for row in table] == [
        [names[queues], f"{threshold}", timeout, f"{percent}", f"{slowest:.2f}"]
        for queues, threshold, timeout, percent, slowest in means.iter_rows()
    ]
