"""The lab queue-occupancy: claims recomputed from its tables, and probes against traces."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from queue_contents import met_in_queue
from recomputed import certain_mean

import weir
from weir.packets import internet_checksum
from weir_labs.queue_occupancy.chain import FOLDER, chain, network
from weir_labs.queue_occupancy.probes import (
    PROBE_BYTES,
    TELEMETRY_BYTES,
    probe_frame,
    read_probe,
    start_probes,
)

PARAMETERS = ["flows", "repetition"]


@pytest.fixture(scope="module")
def runs(queue_occupancy: Path) -> pl.DataFrame:
    return pl.read_parquet(queue_occupancy / "occupancy" / "runs.parquet")


@pytest.fixture(scope="module")
def probes(queue_occupancy: Path, runs: pl.DataFrame) -> pl.DataFrame:
    """All probes that arrived, with the time from the start of the flows to each probe's
    departure."""
    frame = pl.read_parquet(queue_occupancy / "occupancy" / "frames" / "probes.parquet")
    return frame.join(runs.select(*PARAMETERS, "idle_s", "busy_s"), on=PARAMETERS).with_columns(
        (pl.col("sent_s") - pl.col("idle_s")).alias("after_s")
    )


def test_the_idle_network_has_no_queue_at_any_probe(runs: pl.DataFrame, probes: pl.DataFrame) -> None:
    idle = probes.filter(pl.col("after_s") < 0)
    assert idle.height == runs["idle_probes"].sum() >= 100 * runs.height
    assert idle["depth"].max() == 0
    # The last probes again: the queue is empty at most a second after the flows.
    over = probes.filter(pl.col("after_s") > pl.col("busy_s") + 1)
    assert over.height > 80 * runs.height and over["depth"].max() == 0
    # Nothing but pings can be in front of a probe.
    assert runs["idle_delay_ms"].to_list() == pytest.approx(runs["least_delay_ms"].to_list(), abs=0.02)


def test_two_flows_fill_the_queue(runs: pl.DataFrame, probes: pl.DataFrame) -> None:
    longest = probes.group_by("flows", "repetition").agg(pl.max("depth"))
    assert set(longest.filter(pl.col("flows") == 2)["depth"]) == {63}
    assert longest.filter(pl.col("flows") == 1)["depth"].max() <= 1
    assert set(runs.filter(pl.col("flows") == 2)["longest_queue"]) == {64}
    assert runs["invalid"].sum() == 0 and runs["goodput_mbps"].min() > 9.8


def test_latency_follows_depth(runs: pl.DataFrame, probes: pl.DataFrame) -> None:
    two = runs.filter(pl.col("flows") == 2)
    assert two.height >= 2
    for row in two.iter_rows(named=True):
        own = probes.filter(pl.col("flows") == 2, pl.col("repetition") == row["repetition"])
        busy = own.filter(pl.col("after_s") >= 0, pl.col("after_s") < row["busy_s"])
        for some, column in ((own, "correlation"), (busy, "busy_correlation")):
            correlation = np.corrcoef(some["depth"], some["delay_ms"])[0, 1]
            assert correlation >= 0.95 and row[column] == pytest.approx(correlation)
        assert row["ms_per_packet"] == pytest.approx(row["frame_ms"], rel=0.05)


def test_a_queue_of_any_length_is_seen_up_to_its_last_place(queue_occupancy: Path) -> None:
    rows = pl.read_parquet(queue_occupancy / "senders" / "runs.parquet")
    filled = rows.filter(pl.col("congestion").is_in(["cubic", "reno"]))
    assert set(filled["queue"]) == {16, 64, 256}
    # One probe in ten times as many packets may miss the moment at which the queue is full.
    longest = filled.group_by("congestion", "queue").agg(pl.max("depth_max"))
    assert longest["depth_max"].to_list() == (longest["queue"] - 1).to_list()
    assert (rows["depth_max"] < rows["queue"]).all()
    means = rows.group_by("congestion", "queue").agg(pl.mean("depth_mean"))
    bbr, cubic = (
        means.filter(pl.col("congestion") == name, pl.col("queue") == 256) for name in ("bbr", "cubic")
    )
    assert bbr["depth_mean"][0] < cubic["depth_mean"][0] / 4


def test_fewer_probes_know_less(queue_occupancy: Path) -> None:
    rows = pl.read_parquet(queue_occupancy / "sampling" / "runs.parquet")
    errors = rows.group_by("probe_ms").agg(pl.mean("error_packets")).sort("probe_ms")["error_packets"]
    assert errors[0] < errors[-1] / 2
    assert (rows["seen_max"] < rows["queue_max"]).all()
    assert (rows["load_percent"] * rows["probe_ms"]).to_list() == pytest.approx([5.6] * rows.height)


def test_probes_equal_the_record() -> None:
    with network(seed=3, noise="realistic") as net:
        for switch in net.switches:
            switch.trace()
        _, reader = start_probes(net, "20ms")
        net.run_for("100ms")
        for source, target in (("h1", "h3"), ("h2", "h4")):
            net.host(source).start_iperf(target, duration="1500ms", interval=None)
        net.run_for("2s")
        journeys = {switch.name: switch.journeys() for switch in net.switches}
    depths = {
        name: {packet: len(met) for packet, met in met_in_queue(own).items()}
        for name, own in journeys.items()
    }
    # A probe's content has its number; what arrives has left s3.
    expected = {}
    for journey in journeys["s3"]:
        for output in journey.outputs:
            if output.packet[12:14] == b"\x77\x77":
                number = int.from_bytes(output.packet[-12:-8], "big")
                expected[number] = max(own[journey.packet] for own in depths.values())
    assert reader.invalid == 0 and len(reader.probes) > 80
    assert {probe.number: probe.depth for probe in reader.probes} == expected
    assert max(expected.values()) > 40


def test_hosts_get_the_packet_that_was_sent() -> None:
    sent = probe_frame("10.1.1.2", "10.3.3.2", ("08:00:00:00:01:01", "08:00:00:01:01:01"), 5, 123)
    assert len(sent) == PROBE_BYTES and internet_checksum(sent[14:34]) == 0
    with network() as net:
        here, there = net.host("h3").sniff(), net.sniff("s1-p1")
        net.host("h1").send(sent)
        net.run_for("10ms")
    (arrived,), (left,) = here.frames, there.frames
    assert bytes(left) == sent
    frame = bytes(arrived)
    assert (
        frame[12:18] == bytes.fromhex("7777 0000 0800".replace(" ", ""))
        and len(frame) == len(sent) + TELEMETRY_BYTES
    )
    # Only the fields that a router changes differ: TTL and header checksum.
    assert frame[18:26] + frame[30:] == sent[14:22] + sent[26:] and frame[26] == 64 - 3
    assert internet_checksum(frame[18:38]) == 0
    probe = read_probe(frame, 1000)
    assert (probe.number, probe.sent_ns, probe.depth) == (5, 123, 0)


@pytest.mark.parametrize("place", range(12, PROBE_BYTES + TELEMETRY_BYTES))
def test_damaged_probes_are_refused(place: int) -> None:
    plain = probe_frame("10.1.1.2", "10.3.3.2", ("08:00:00:00:01:01", "08:00:00:01:01:01"), 7, 9)
    frame = bytearray(plain[:12] + bytes.fromhex("777700050800") + plain[14:])
    assert read_probe(bytes(frame), 0).depth == 5
    frame[place] ^= 0x10
    if place in (14, 15):
        assert read_probe(bytes(frame), 0).depth != 5  # Nothing protects the telemetry header.
    else:
        with pytest.raises(ValueError, match=r"expected telemetry|checksum"):
            read_probe(bytes(frame), 0)
    with pytest.raises(ValueError, match="has 70 bytes"):
        read_probe(bytes(frame[:-1]), 0)


def test_other_packets_get_no_telemetry() -> None:
    with network() as net:
        seen = net.sniff(["s2-p1", "h3"])
        net.host("h1").iperf("h3", size="100kB", port=7776)
        net.host("h1").iperf("h3", udp=True, count=3, port=7777)
        assert net.host("h1").ping("h3", count=2).received == 2
    frames = [bytes(frame) for frame in seen.frames]
    assert len(frames) > 30 and all(frame[12:14] == b"\x08\x00" for frame in frames)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"flows": 3}, "flows=3: expected a number from 1 to 2"),
        ({"probe_ms": 0.0}, "probe_ms=0: expected more than 0"),
        ({"idle_s": 0}, "idle_s=0"),
        ({"queue": 0}, "queue=0: expected a number from 1 to"),
    ],
)
def test_numbers_out_of_range(change: dict[str, float], message: str) -> None:
    from weir_labs.queue_occupancy.measure import observe

    options = {
        "flows": 2, "congestion": "cubic", "mtu": "9000B", "rate": "10Mbit", "queue": 64,
        "probe_ms": 100.0, "idle_s": 2, "busy_s": 1, "seed": 1, **change,
    }  # fmt: skip
    flows = options.pop("flows")
    with pytest.raises((ValueError, weir.WeirError), match=message):
        observe(flows, **options)  # type: ignore[arg-type]


def test_numbers_are_in_the_report(queue_occupancy: Path, runs: pl.DataFrame) -> None:
    page = (queue_occupancy / "report.html").read_text()
    section = page.split("<h2>Queue occupancy</h2>")[1].split("</section>")[0]
    tables = [
        [re.findall(r"<td[^>]*>(.*?)</td>", row, re.S) for row in re.findall(r"<tr>(.*?)</tr>", body, re.S)]
        for body in re.findall(r"<tbody>(.*?)</tbody>", section, re.S)
    ]
    assert [row[1:] for row in tables[0][:2]] == [["0", "0"], ["63", "63"]]
    two = runs.filter(pl.col("flows") == 2)
    assert tables[0][2][2] == f"correlation {two['busy_correlation'].mean():.3f}"
    for row, (flows,) in zip(
        tables[1], runs.select("flows").unique(maintain_order=True).iter_rows(), strict=True
    ):
        own = runs.filter(pl.col("flows") == flows)
        assert row[:2] == [f"{flows}", f"{own.height}"]
        assert row[6:9] == [
            certain_mean(own["busy_depth_mean"].to_list(), 1),
            f"{own['busy_depth_max'].max()}",
            certain_mean(own["busy_delay_ms"].to_list(), 1),
        ]


def test_the_file_is_the_lab_s_network() -> None:
    files, built = weir.Topology.load(FOLDER / "topology.json"), chain()
    assert {name: (host.ip, host.mac, host.arp, host.routes) for name, host in files.hosts.items()} == {
        name: (host.ip, host.mac, host.arp, host.routes) for name, host in built.hosts.items()
    }
    assert [(f"{link}", link.rate_bps, link.queue) for link in files.links] == [
        (f"{link}", link.rate_bps, link.queue) for link in built.links
    ]
    with weir.Network.load(FOLDER / "topology.json", FOLDER / "queue.p4") as net:
        assert net.ping_all().received == 12
