"""``weir bench``: its figures agree with what happened."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import pytest
from click.testing import CliRunner

import weir
from weir.bench import time_collector, time_compiler, time_pipeline
from weir.bench.telemetry import datagrams
from weir.cli.app import app
from weir.dropin.p4c import bm2_ss
from weir.program import compile, compile_stages
from weir.telemetry import read_reports

ROOT = Path(__file__).parent.parent
ROUTER = str(ROOT / "benches/programs/router.p4")


@pytest.fixture
def entries(tmp_path: Path) -> str:
    commands = tmp_path / "router.txt"
    commands.write_text(
        "table_add next_hops forward 1 => 02:00:00:00:01:01 02:00:00:00:02:02 3\n"
        "table_add routes via 10.0.0.0/8 => 1\n"
        "table_add routes via 192.168.4.0/22 => 1\n"
    )
    return str(commands)


def test_flows_are_drawn_from_the_entries(entries: str):
    program = compile(ROUTER)
    stages = time_pipeline(program, load=lambda s: s.run_commands(entries), flows=50, seconds=0.05)
    assert stages.varied == ("hdr.ipv4.dst",)
    assert stages.out == stages.packets > 0, "every drawn destination has a route"
    assert stages.dropped == 0


def test_unconstrained_fields_stay(tmp_path: Path):
    anything, ports = "0&&&0", "0->65535 0->65535"
    rules = tmp_path / "rules.txt"
    rules.write_text(
        f"table_add rules permit {anything} {anything} {ports} {anything} => 2\n"
        f"table_add rules permit 10.0.0.0&&&255.0.0.0 {anything} {ports} 17&&&255 => 1\n"
    )
    program = compile(str(Path(ROUTER).with_name("acl.p4")))
    stages = time_pipeline(program, load=lambda s: s.run_commands(str(rules)), seconds=0.01)
    assert stages.varied == ("hdr.ipv4.protocol", "hdr.ipv4.src")


def test_packets_are_sent_as_they_are(entries: str):
    def to(address: str) -> bytes:
        plain = bytes.fromhex("4500 001c 0001 0000 4011 0000 0a000001") + bytes(map(int, address.split(".")))
        # The words' sum in one's complement is their sum modulo 65535.
        checksum = 0xFFFF - sum(struct.unpack("!10H", plain)) % 0xFFFF
        return bytes(12) + b"\x08\x00" + plain[:10] + struct.pack("!H", checksum) + plain[12:] + bytes(8)

    packets = [to("10.1.2.3"), to("11.1.2.3"), to("192.168.5.1"), to("10.9.9.9")]
    stages = time_pipeline(
        compile(ROUTER), load=lambda s: s.run_commands(entries), packets=packets, seconds=0.02
    )
    assert (stages.size, stages.flows, stages.varied) == (42, 4, ())
    assert stages.out == 3 * stages.dropped > 0, "only 11.1.2.3 has no route"


@pytest.mark.parametrize("packets", [[], [b""], [bytes(60), bytes(61)]])
def test_packets_have_one_length(packets: list[bytes]):
    with pytest.raises(ValueError, match="one length"):
        time_pipeline(compile(ROUTER), packets=packets)


def test_packets_without_entries_are_dropped():
    stages = time_pipeline(compile(ROUTER), seconds=0.02)
    assert (stages.out, stages.dropped, stages.varied, stages.entries) == (0, stages.packets, (), 0)


def test_missing_entries_are_reported(entries: str):
    args = ["bench", "pipeline", ROUTER, "--seconds", "0.02"]
    result = CliRunner().invoke(app, args)
    assert result.exit_code == 0, result.output
    assert "No --entries: tables are empty and packets take their default actions." in result.stdout
    result = CliRunner().invoke(app, [*args, "--entries", entries])
    assert "No --entries" not in result.stdout
    assert ["entries", "3"] in [line.split() for line in result.stdout.splitlines()]


@pytest.mark.parametrize("executor", ["native", "interp"])
def test_requested_executor_is_measured(entries: str, executor: str):
    args = ["bench", "pipeline", ROUTER, "--entries", entries, "--executor", executor]
    result = CliRunner().invoke(app, [*args, "--size", "128", "--flows", "10", "--seconds", "0.02", "--json"])
    assert result.exit_code == 0, result.output
    fields = json.loads(result.stdout)
    assert (fields["executor"], fields["size"], fields["flows"]) == (executor, 128, 10)
    assert fields["program"] == ROUTER
    assert 0 < fields["ns_undisturbed"] <= 1.1 * fields["ns_per_packet"]


@pytest.mark.parametrize("name", sorted(path.name for path in Path(ROUTER).parent.glob("*.p4")))
def test_every_program_that_is_measured_runs(name: str):
    stages = time_pipeline(compile(str(Path(ROUTER).with_name(name))), seconds=0.01)
    assert stages.packets > 0


def test_wrong_entries_are_told_by_their_line(tmp_path: Path):
    commands = tmp_path / "wrong.txt"
    commands.write_text("table_add routes via 10.0.0.0/8 => 1\ntable_add routs via 10.0.0.0/8 => 1\n")
    result = CliRunner().invoke(app, ["bench", "pipeline", ROUTER, "--entries", str(commands)])
    assert result.exit_code == 1
    assert (
        str(result.exception)
        == f'{commands}:2: there is no table "routs"; did you mean "RouterIngress.routes"?'
    )


def test_the_json_has_the_fields_that_tools_read(entries: str):
    args = ["bench", "pipeline", ROUTER, "--entries", entries, "--seconds", "0.02", "--json"]
    result = CliRunner().invoke(app, args)
    assert result.exit_code == 0, result.output
    fields = json.loads(result.stdout)
    assert {"packets_per_second", "ns_per_packet", "executor", "program"} <= fields.keys()
    assert fields["packets_per_second"] == pytest.approx(1e9 / fields["ns_per_packet"])


def test_compile_times_are_of_the_program():
    times = time_compiler(ROUTER, rounds=3)
    assert times.check > 0
    assert times.ready > 0
    assert times.rounds == 3
    assert list(times.stages) == ["parse", "check", "lower", "passes", "executor", "first packet"]
    assert times.ready == pytest.approx(sum(times.stages.values()))
    assert times.lines == len(Path(ROUTER).read_text().splitlines())


def test_compile_times_of_json_are_those_of_the_program_in_it(tmp_path: Path):
    carried = tmp_path / "router.json"
    assert bm2_ss(["-o", str(carried), ROUTER]) == 0
    assert list(time_compiler(str(carried), rounds=1).stages)[-1] == "first packet"
    compiled = ROOT / "testdata/bmv2_json/swap.json"
    with pytest.raises(weir.FileError, match="p4c has compiled this JSON: name the P4 program"):
        compile_stages(str(compiled))


def test_compile_of_a_folder_lists_failures(tmp_path: Path):
    (tmp_path / "good.p4").write_text(Path(ROUTER).read_text())
    (tmp_path / "bad.p4").write_text("control c() { apply { x = 1; } }")
    args = ["bench", "compile", str(tmp_path), "--rounds", "1"]
    result = CliRunner().invoke(app, [*args, "--json"])
    assert result.exit_code == 0, result.output
    fields = json.loads(result.stdout)
    [good], [bad] = fields["programs"], fields["refused"]
    assert good["program"].endswith("good.p4")
    assert good["ready_seconds"] == pytest.approx(sum(good["stages"].values()))
    assert bad["program"].endswith("bad.p4")
    assert bad["error"]
    result = CliRunner().invoke(app, args)
    assert "first packet" in result.stdout
    assert "cannot run: " in result.stdout


def test_compile_of_one_program_shows_errors(tmp_path: Path):
    (tmp_path / "bad.p4").write_text("control c() { apply { x = 1; } }")
    result = CliRunner().invoke(app, ["bench", "compile", str(tmp_path / "bad.p4")])
    assert result.exit_code == 1
    assert "bad.p4:1:23" in str(result.exception)
    empty = tmp_path / "empty"
    empty.mkdir()
    result = CliRunner().invoke(app, ["bench", "compile", str(empty)])
    assert result.exit_code == 2
    assert "there is no .p4 file in" in result.output


def test_tables_as_json_and_for_people():
    result = CliRunner().invoke(app, ["bench", "tables", "exact-1k", "--json"])
    assert result.exit_code == 0, result.output
    [figures] = json.loads(result.stdout)
    assert (figures["table"], figures["what"], figures["entries"]) == ("exact-1k", "exact 48", 1000)
    assert all(value > 0 for name, value in figures.items() if name not in {"table", "what"})
    result = CliRunner().invoke(app, ["bench", "tables", "acl-1k"])
    assert "ns/lookup" in result.stdout
    assert "acl-1k" in result.stdout


def test_a_wrong_table_is_told():
    result = CliRunner().invoke(app, ["bench", "tables", "ipv5-1k"])
    assert result.exit_code == 2
    assert 'there is no table "ipv5-1k"; there are exact-1k, ' in " ".join(result.output.split())


def test_a_wrong_port_is_told():
    result = CliRunner().invoke(app, ["bench", "pipeline", ROUTER, "--ports", "1,x"])
    assert result.exit_code == 2
    assert '"x" is not a port' in result.output


def test_a_network_is_measured():
    result = CliRunner().invoke(
        app, ["bench", "network", "--hosts", "4", "--seconds", "0.05", "--json", "--executor", "native"]
    )
    assert result.exit_code == 0, result.output
    document = json.loads(result.output)
    assert (document["topology"], document["hosts"], document["switches"], document["executor"]) == (
        "dumbbell",
        4,
        2,
        "native",
    )
    assert document["packet_hops_per_second"] == pytest.approx(document["hops"] / document["seconds"])
    # Two flows of TCP in slow start or beyond, on 1 Gbit/s: each data segment makes three hops, and
    # so do acknowledgements.
    assert document["hops"] > 1000 and document["seconds"] >= 0.05
    assert 0 < document["goodput_bps"] < 1e9
    assert document["virtual_seconds"] == pytest.approx(round(document["virtual_seconds"] / 0.05) * 0.05)


def test_networks_of_other_shapes():
    for args in (["--topology", "star", "--hosts", "5"], ["--topology", "fat-tree", "--hosts", "16"]):
        result = CliRunner().invoke(
            app, ["bench", "network", *args, "--seconds", "0.02", "--congestion", "reno"]
        )
        assert result.exit_code == 0, result.output
        assert "packet-hops per second" in result.output
    for args, message in (
        (["--hosts", "5"], "a dumbbell has an even number of hosts, at most 1000, found 5"),
        (["--hosts", "1002"], "at most 1000, found 1002"),
        (["--topology", "star", "--hosts", "501"], "a star has 2 to 500 hosts, found 501"),
        (
            ["--topology", "fat-tree", "--hosts", "17"],
            "a fat tree has 2, 16, 54, 128, 250, 432, 686, 1024 hosts, found 17",
        ),
    ):
        result = CliRunner().invoke(app, ["bench", "network", *args])
        assert message in str(result.exception)


def test_the_collector():
    measured = time_collector(reports=500, hops=3, batch=200)
    assert (measured.reports, measured.hops, measured.datagram_bytes) == (500, 3, 108)
    assert measured.reports_per_second > 0 and measured.decode_ratio > 0 and measured.store_bytes > 1000
    result = CliRunner().invoke(app, ["bench", "telemetry", "--reports", "500", "--json"])
    assert result.exit_code == 0 and json.loads(result.output)["hops"] == 5


@pytest.mark.parametrize("hops", [1, 2, 40])
def test_the_reports_of_the_benchmark_are_right(hops: int):
    """The datagrams are reports of paths with this many nodes."""
    for payload in datagrams(50, hops, seed=1):
        (report,) = read_reports(payload)
        assert [hop.node for hop in report.hops] == list(range(1, hops + 1))
        assert report.flow is not None and report.flow.target_port == 5000
