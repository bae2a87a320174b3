"""The labs' experiments on real hosts, with the smallest useful sizes."""

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import needed
from weir.lab import run_lab

pytestmark = pytest.mark.usefixtures("namespaces")


def runs(
    folder: Path, lab: str, part: str, values: Mapping[str, Sequence[str]]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Checks that the report is complete; returns the first run in each world."""
    outcome = run_lab(lab, folder, only=[part], quick=True, values=values, seeds=1, world="linux")
    assert outcome.failures == [] and list(outcome.findings) == [part]
    assert f"weir lab run {lab} --world linux --only {part} --quick" in outcome.report.read_text(
        encoding="utf-8"
    )
    rows = {row["world"]: row for row in pl.read_parquet(folder / part / "runs.parquet").to_dicts()}
    return rows["virtual"], rows["linux"]


def test_pacing_by_the_kernels_htb(tmp_path: Path) -> None:
    values = {"mode": ["htb"], "hosts": ["2"], "period": ["3s"], "rate": ["10Mbit"]}
    virtual, linux = runs(tmp_path, "pacing", "joining", values)
    assert virtual["settled_ms"] < 25 and virtual["retransmits"] == 0
    # Two SYN-ACKs with the option, and a notification to the first host.
    assert linux["available"] and linux["options"] >= 3 and linux["notices"] >= 1
    assert 0 < linux["settled_ms"] < 3000
    assert 0 < linux["total_mbps"] < 10


def test_a_discipline_that_the_kernel_lacks_is_reported(tmp_path: Path) -> None:
    values = {"mode": ["fq"], "hosts": ["2"], "period": ["750ms"], "rate": ["10Mbit"]}
    virtual, linux = runs(tmp_path, "pacing", "joining", values)
    assert virtual["available"]
    answer = (tmp_path / "report.html").read_text(encoding="utf-8")
    if linux["available"]:
        assert linux["settled_ms"] is not None
    else:
        assert "this kernel lacks fq" in linux["missing"]
        assert "Not possible on this computer: fq: " in answer and "this kernel lacks fq" in answer


def test_probes_see_the_queues_of_real_switches(tmp_path: Path) -> None:
    values = {"flows": ["2"], "idle_s": ["1"], "busy_s": ["5"]}
    virtual, linux = runs(tmp_path, "queue-occupancy", "occupancy", values)
    for run in (virtual, linux):
        # On a busy computer a probe may meet another one.
        assert run["invalid"] == 0 and run["idle_depth_max"] <= (0 if run is virtual else 5)
        # A queue for 64 packets: a probe that finds it full is lost.
        assert 0 < run["busy_depth_max"] <= 63
    assert virtual["busy_depth_max"] == 63 and virtual["busy_delay_ms"] > virtual["idle_delay_ms"]


def test_reports_come_back_to_real_senders(tmp_path: Path) -> None:
    values = {"mbps": ["2.0"], "telemetry": ["on"], "seconds": ["1"], "switches": ["2"]}
    virtual, linux = runs(tmp_path, "int-report", "load", values)
    for run in (virtual, linux):
        assert run["bad_reports"] == 0 and run["sent"] > 100
    assert virtual["reports"] == virtual["sent"]
    # A busy computer may lose some.
    assert 0.8 * (linux["sent"] - linux["lost"]) <= linux["reports"] <= linux["sent"]


@pytest.mark.parametrize("stack", ["shorternet", "standard"])
def test_frames_of_both_stacks_pass_real_switches(tmp_path: Path, stack: str) -> None:
    values = {"length": ["300"], "stack": [stack], "packets": ["30"], "per_second": ["50"]}
    virtual, linux = runs(tmp_path, "shorternet", "benchmark", values)
    for run in (virtual, linux):
        assert run["sent"] == 30 and run["changed"] == 0 and run["lost"] == 0
        # Four links of 10 Mbit/s.
        assert run["links_ms"] == pytest.approx(0.96)
        assert run["latency_min_ms"] >= 0.96


def test_the_firewall_keeps_spoofed_frames_out(tmp_path: Path) -> None:
    virtual, linux = runs(tmp_path, "firewall", "binding", {"pings": ["1"], "spoofed": ["20"]})
    for run in (virtual, linux):
        assert run["spoofed_sent"] == 40 and run["spoofed_leaked"] == 0
        assert run["late_before"] == 0 and run["members_lost"] == run["late_lost"] == 0


def test_telemetry_has_the_same_bytes_on_real_links(tmp_path: Path) -> None:
    values = {"mode": ["MD"], "switches": ["2"], "packets": ["10"]}
    virtual, linux = runs(tmp_path, "int", "cost", values)
    for name in ("int_bytes", "network_bytes", "collector_bytes", "reports_per_packet", "differs"):
        assert linux[name] == virtual[name], name
    assert linux["differs"] == 0


def test_four_real_flows_share_four_paths(tmp_path: Path) -> None:
    virtual, linux = runs(tmp_path, "load-balance", "balancing", {"queues": ["off"], "seconds": ["5"]})
    for run in (virtual, linux):
        assert 1 <= run["paths_at_end"] <= 4 and run["notices"] == 0
        assert 0 < run["slowest_mbps"] <= run["total_mbps"] < 42


@pytest.mark.parametrize(
    ("lab", "part", "values", "column"),
    [
        ("delay", "rtt", {"rate": ["1Mbit"], "x": ["0", "3"], "pings": ["5"]}, "received"),
        (
            "shorternet",
            "benchmark",
            {"stack": ["shorternet"], "length": ["300"], "packets": ["20"], "per_second": ["50"]},
            "sent",
        ),
        ("firewall", "binding", {"pings": ["1"], "spoofed": ["20"]}, "spoofed_sent"),
        ("queue-occupancy", "occupancy", {"flows": ["2"], "idle_s": ["1"], "busy_s": ["5"]}, "flows"),
        ("load-balance", "balancing", {"queues": ["off"], "seconds": ["5"]}, "seconds"),
        ("pacing", "joining", {"mode": ["htb"], "hosts": ["2"], "period": ["1500ms"]}, "hosts"),
        ("int", "cost", {"mode": ["MD"], "switches": ["2"], "packets": ["10"]}, "int_bytes"),
        (
            "int-report",
            "load",
            {"mbps": ["2.0"], "telemetry": ["on"], "seconds": ["1"], "switches": ["2"]},
            "seconds",
        ),
        ("shared-computer", "chains", {"turn": ["1"], "switches": ["1"], "seconds": ["0.2"]}, "switches"),
    ],
)
def test_labs_run_on_simple_switch(
    tmp_path: Path, lab: str, part: str, values: dict[str, list[str]], column: str
) -> None:
    # Compiling takes p4c some ten seconds.
    for program in ("simple_switch", "p4c-bm2-ss"):
        needed.need(program)
    if "weir shims install" in Path(shutil.which("simple_switch") or "").read_bytes()[:4096].decode(
        "latin-1"
    ):
        needed.skip("simple_switch of p4lang: the PATH has Weir's stand-in")
    virtual, linux = runs(tmp_path, lab, part, {**values, "switch": ["simple_switch"]})
    assert linux["switch"] == "simple_switch" and linux[column] == virtual[column] > 0
    assert linux.get("lost", 0) == 0 and linux.get("spoofed_leaked", 0) == 0
