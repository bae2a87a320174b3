"""Labs whose switches and hosts share a computer (``weir lab run LAB --computer NAME``)."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

import weir
from weir.errors import CommandError, NetworkError
from weir.lab import copy_lab, lab_folders, load_lab, run_lab
from weir.network.computer import shared_by_all
from weir.topology import shapes

TINY = Path(__file__).parent / "tiny"
NAME = "bmv2-two-processors"

SMALL = {
    "delay": ("rtt", {"rate": ["unlimited"], "x": ["0"], "pings": ["2"]}),
    "firewall": ("binding", {"pings": ["1"], "spoofed": ["2"]}),
    "int": ("limits", {"max_hops": ["2"], "room": ["2"]}),
    "int-report": ("load", {"mbps": ["3.0"], "telemetry": ["on"], "seconds": ["1"], "switches": ["3"]}),
    "load-balance": ("balancing", {"queues": ["shared"], "seconds": ["10"]}),
    "pacing": ("lan", {"mode": ["htb"], "hosts": ["2"], "period": ["90ms"]}),
    "queue-occupancy": ("sampling", {"probe_ms": ["100"], "busy_s": ["10"]}),
    "shared-computer": ("chains", {"switches": ["1"]}),
    "shorternet": ("benchmark", {"length": ["74"], "packets": ["20"]}),
}
"""A small run of each lab of the virtual world."""


def small(lab: str, out: Path, computer: str | None) -> pl.DataFrame:
    part, values = SMALL[lab]
    outcome = run_lab(lab, out, only=[part], quick=True, values=values, seeds=1, workers=1, computer=computer)
    assert not outcome.failures
    return pl.read_parquet(out / part / "runs.parquet")


def test_every_lab_of_the_virtual_world_has_a_small_run() -> None:
    assert {name for name in lab_folders() if not load_lab(name).real} == set(SMALL)


@pytest.mark.parametrize("lab", SMALL)
def test_a_lab_runs_on_a_computer_and_its_report_names_it(lab: str, tmp_path: Path) -> None:
    outcome = small(lab, tmp_path / "shared", NAME)
    page = (tmp_path / "shared" / "report.html").read_text(encoding="utf-8")
    assert f"share the computer {NAME}" in page and f"--computer {NAME}" in page
    settings = json.loads((tmp_path / "shared" / "lab.json").read_text())
    assert settings["computer"]["name"] == NAME
    if lab in ("delay", "shorternet"):
        assert outcome["profile"].to_list() == [NAME] * outcome.height


def test_a_round_trip_takes_longer_on_a_computer(tmp_path: Path) -> None:
    alone = small("firewall", tmp_path / "alone", None)
    assert "computer" not in json.loads((tmp_path / "alone" / "lab.json").read_text())
    assert alone["members_lost"].to_list() == [0]
    own = small("delay", tmp_path / "delay", NAME)["rtt_min_ms"].min()
    # A switch takes 34 us for a packet, and a request and its reply cross it.
    assert isinstance(own, float) and 0.07 < own < 0.5


def test_networks_in_a_block_share_a_computer_unless_they_name_another() -> None:
    computer, other = weir.Computer.named(NAME), weir.Computer(name="other", processors=1)
    with shared_by_all(computer):
        with weir.Network(shapes.star(2), p4="router") as net:
            assert net.computer is computer
        with weir.Network(shapes.star(2), p4="router", computer=other) as net:
            assert net.computer is other
        with pytest.raises(NetworkError, match="leave one of them out"):
            weir.Network(shapes.star(2), p4="router", profile="bmv2-vm")
    with weir.Network(shapes.star(2), p4="router") as net:
        assert net.computer is None


@pytest.mark.parametrize(
    ("lab", "options", "message"),
    [
        ("switch-comparison", {}, "measures real hosts, which are as fast as this computer"),
        ("delay", {"world": "linux"}, "measures real hosts"),
        ("firewall", {"only": ["exchange"]}, "exchange cannot share a computer, because .* --only binding,"),
        ("delay", {"values": {"profile": ["modern"]}}, "--computer and --set profile= both say"),
        ("pacing", {"values": {"computer": [NAME]}}, "--computer and --set computer= both say"),
    ],
)
def test_runs_that_cannot_share_a_computer_are_refused(
    lab: str, options: dict[str, object], message: str, tmp_path: Path
) -> None:
    with pytest.raises(CommandError, match=message):
        run_lab(lab, tmp_path / "out", computer=NAME, **options)  # type: ignore[arg-type]
    assert not (tmp_path / "out").exists()


def test_an_unknown_computer_is_refused_with_a_suggestion(tmp_path: Path) -> None:
    with pytest.raises(NetworkError, match="there is no computer") as refused:
        run_lab("delay", tmp_path / "out", computer="bmv2-two-procesors")
    assert refused.value.suggestion == NAME and not (tmp_path / "out").exists()


def test_experiments_with_times_of_their_own_are_left_out(tmp_path: Path) -> None:
    lab = tmp_path / "lab"
    copy_lab(str(TINY), lab)
    text = (lab / "lab.py").read_text()
    (lab / "lab.py").write_text(
        text.replace("report=report.words", "report=report.words, own_times='it waits'")
    )
    assert set(run_lab(str(lab), tmp_path / "out", workers=1, computer=NAME).findings) == {"product"}
    with pytest.raises(CommandError, match="words cannot share a computer, because it waits"):
        run_lab(str(lab), tmp_path / "out", workers=1, computer=NAME, only=["words"])
