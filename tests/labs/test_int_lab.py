"""The lab int: its claims, recomputed from its tables; its files; bugs that it must find."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

import weir
from weir.errors import WeirError
from weir.lab import copy_lab
from weir.telemetry import Hop, Report
from weir_labs.int.chain import FOLDER, FROM_H1, PATH, chain, drop_entries, entries, program, watch_entry
from weir_labs.int.collector import collect
from weir_labs.int.compare import ALL, FIELDS, compare
from weir_labs.int.known import PAYLOAD, packets_of
from weir_labs.int.metadata import start_cross_traffic, watch
from weir_labs.int.record import Passage, Recorder


def runs(folder: Path, part: str) -> pl.DataFrame:
    return pl.read_parquet(folder / part / "runs.parquet")


def test_all_values_are_those_of_the_record(int_lab: Path) -> None:
    rows = runs(int_lab, "metadata")
    assert set(rows["mode"]) == {"MD", "MX", "XD"} and rows["packets"].min() >= 240
    for column in ("wrong", "lost_reports", "bad_reports", "wrong_checksums"):
        assert rows[column].to_list() == [0] * rows.height, column
    assert rows["hops"].to_list() == (5 * rows["packets"]).to_list()
    assert rows["longest_queue"].min() > 10
    each = pl.read_parquet(int_lab / "metadata" / "frames" / "fields.parquet")
    available = each.filter(~pl.col("field").str.starts_with("buffer"))
    assert available["unavailable"].sum() == 0 and available["values"].min() >= 1200
    assert each.filter(pl.col("field").str.starts_with("buffer"))["values"].sum() == 0


def test_the_record_says_the_same_as_reports_over_time(int_lab: Path) -> None:
    hops = pl.read_parquet(int_lab / "metadata" / "frames" / "hops_over_time.parquet")
    assert (hops["latency_us"] == hops["recorded_us"]).all()
    # The queue is at s2, where the flows meet.
    longest = hops.filter(pl.col("mode") == "MD").group_by("node").agg(pl.max("queue")).sort("node")["queue"]
    assert longest[1] > 10 and longest[1] > 5 * max(longest[0], longest[2], longest[3], longest[4])


def test_hosts_and_other_flows_see_nothing(int_lab: Path) -> None:
    rows = runs(int_lab, "transparency")
    assert rows["host_frames_differ"].sum() == rows["other_frames_differ"].sum() == 0
    assert rows["host_frames"].min() > 1000
    assert (rows["frames_with_int"] > 0).to_list() == (rows["mode"] != "XD").to_list()
    instant = rows.filter(pl.col("links") == "instant")
    assert instant["shift_us"].max() < 1 and instant.height >= 3


def test_costs_are_computed_ones(int_lab: Path) -> None:
    links = pl.read_parquet(int_lab / "cost" / "frames" / "links.parquet")
    assert links["int_bytes"].to_list() == links["predicted_int"].to_list()
    assert links["report_bytes"].to_list() == links["predicted_report"].to_list()
    some = {row["mode"]: row for row in runs(int_lab, "cost").filter(pl.col("switches") == 5).to_dicts()}
    assert [some[mode]["collector_bytes"] for mode in ("MD", "MX", "XD")] == [182, 590, 510]
    assert [some[mode]["network_bytes"] for mode in ("MD", "MX", "XD")] == [224, 1244, 1020]


def test_limits_are_those_of_the_rules(int_lab: Path) -> None:
    rows = runs(int_lab, "limits")
    for name in ("hops", "hops_exceeded", "mtu_exceeded"):
        assert rows[name].to_list() == rows[f"predicted_{name}"].to_list()
    assert (rows["longest"] <= rows["mtu"]).all()
    assert (rows["received"] == rows["packets"]).all()
    assert set(rows["hops"]) >= {0, 1, 2, 3, 5}


def test_watchlists_change_under_way(int_lab: Path) -> None:
    (row,) = runs(int_lab, "runtime").to_dicts()
    assert row["lost"] == 0 and row["md_reports"] > 40
    assert all(row[f"{mode}_reports"] == row[f"{mode}_expected"] for mode in ("xd", "mx", "md"))


@pytest.fixture(scope="module")
def compared() -> tuple[list[Report], dict[tuple[int, tuple[bytes, int]], Passage]]:
    """The reports of a run with INT-MD, and the simulator's record."""
    topology = chain(5, "10Mbit", payload=PAYLOAD, watch=watch("MD", ALL), cross=True, logical=True)
    with weir.Network(topology, program(), noise="realistic") as net:
        recorder, collector = Recorder(net, 5, cross=True), collect(net)
        start_cross_traffic(net, 9.0, 0.3)
        net.host("h1").iperf("h2", udp=True, rate="2Mbit", length="1000B", duration="300ms")
        net.run_for("100ms")
        return [report for _, report in collector.reports], recorder.passages


@pytest.mark.parametrize("name", [name for name in FIELDS if not name.startswith("buffer")])
def test_one_wrong_value_is_noticed(name: str, compared: tuple[list[Report], dict]) -> None:  # type: ignore[type-arg]
    reports, record = compared
    assert sum(compare(reports, record, "10Mbit").wrong.values()) == 0
    last = reports[30]
    step = 3000 if name == "utilization_ppm" else 1
    for change in (step, None):
        value = getattr(last.local, name)
        local = replace(last.local, **{name: None if change is None else value + change})
        wrong = compare([*reports[:30], replace(last, local=local), *reports[31:]], record, "10Mbit")
        assert sum(wrong.wrong.values()) + wrong.unknown >= 1, change


def test_a_value_that_a_switch_cannot_know_is_wrong(compared: tuple[list[Report], dict]) -> None:  # type: ignore[type-arg]
    reports, record = compared
    invented = replace(reports[0], local=replace(reports[0].local, buffer=0, buffer_packets=1))
    assert compare([invented], record, "10Mbit").wrong["buffer_packets"] == 1


def test_the_record_knows_packets_again(compared: tuple[list[Report], dict]) -> None:  # type: ignore[type-arg]
    """Each packet passes all switches in order, and each report is about one of the packets."""
    reports, record = compared
    packets = packets_of(reports)
    assert len(set(packets)) == len(packets) >= 70
    for packet in packets:
        way = [record[number, packet] for number in range(1, 6)]
        assert [(passage.ingress_port, passage.egress_port) for passage in way] == [(1, 2)] * 5
        times = [time for passage in way for time in (passage.arrived_ns, passage.left_ns)]
        assert times == sorted(times)


def test_the_record_is_that_of_the_traces() -> None:
    """The times and queues from the ends of links are those in the switch's own traces."""
    with weir.Network(
        chain(4, "10Mbit", payload=PAYLOAD, cross=True, watch=watch("MX", PATH)), program()
    ) as net:
        recorder = Recorder(net, 4, cross=True)
        collect(net)
        net.switch("s2").trace()
        for source, target in (("h1", "h2"), ("h4", "h5")):
            net.host(source).start_iperf(target, udp=True, rate="8Mbit", length="900B", count=15)
        net.run_for("300ms")
        journeys = net.switch("s2").journeys()
        record = recorder.passages
    passages = [passage for (number, _), passage in record.items() if number == 2]
    own = {(one.arrived_ns, one.ingress_port, one.left_ns, one.egress_port) for one in passages}
    traced = set()
    for journey in journeys:
        came, left = journey.root.steps[0], journey.root.steps[-1]
        traced.add((came.time_ns, came.what["port"], left.time_ns, left.what["port"]))
    assert own == traced and len(own) == len(passages) >= 45
    assert max(passage.waiting[0] for passage in passages) > 3


def test_the_files_are_the_network_of_the_lab() -> None:
    files = weir.Topology.load(FOLDER / "topology.json")
    built = chain(5, "10Mbit", cross=True, bypass=True)
    assert {name: (host.ip, host.mac) for name, host in files.hosts.items()} == {
        name: (host.ip, host.mac) for name, host in built.hosts.items()
    }
    assert {frozenset((f"{link.a}", f"{link.b}")) for link in files.links} == {
        frozenset((f"{link.a}", f"{link.b}")) for link in built.links
    }
    for number in range(1, 6):
        expected = entries(number, 5, "10Mbit", cross=True, logical=True, bypass=True, detect=True)
        expected["table_entries"] += drop_entries(FROM_H1, 10**6)
        if number == 1:
            expected["table_entries"].append(
                watch_entry("embed_data", PATH, FROM_H1, max_hops=8, discard=0, by_port=1)
            )
        assert json.loads((FOLDER / f"s{number}-runtime.json").read_text()) == expected


def test_the_collector_of_the_files_prints_paths(capsys: pytest.CaptureFixture[str]) -> None:
    with weir.Network.load(FOLDER / "topology.json", FOLDER / "int.p4") as net:
        assert net.host("h1").iperf("h2", udp=True, count=2, length="1000B", rate="1Mbit").received == 2
        assert net.ping_all().received == 20
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2 and all(" INT-MD s1 " in line and ", s5 1 us behind 0" in line for line in lines)


def test_a_copy_has_all_files(tmp_path: Path) -> None:
    copy_lab("int", tmp_path / "mine")
    assert {path.name for path in (tmp_path / "mine").iterdir()} >= {"int.p4", "int.lua", "s5-runtime.json"}


def test_wrong_parameters_are_refused() -> None:
    with pytest.raises(WeirError, match="switches=3: expected a number from 4 to 63"):
        chain(3, cross=True)
    with pytest.raises(WeirError, match='mode=md: expected MD, MX or XD; did you mean "MD"'):
        from weir_labs.int.metadata import metadata

        metadata.function(
            mode="md",
            transport="udp",
            switches=5,
            rate="10Mbit",
            mbps=1.0,
            cross_mbps=1.0,
            data_bytes=100,
            seconds=1,
            seed=1,
        )


def test_metadata_without_a_node_id_are_in_order(compared: tuple[list[Report], dict]) -> None:  # type: ignore[type-arg]
    """Instructions without bit 0: the order of the hops tells which node it was."""
    reports, record = compared
    first = reports[0]
    assert first.embedded is not None
    nameless = replace(first.embedded, hops=tuple(replace(hop, node=None) for hop in first.embedded.hops))
    comparison = compare([replace(first, embedded=nameless)], record, "10Mbit")
    assert comparison.nodes == [[1, 2, 3, 4, 5]] and isinstance(comparison.pairs[0][0], Hop)
    assert comparison.wrong["latency_us"] == 0
