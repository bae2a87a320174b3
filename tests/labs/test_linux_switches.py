"""Labs whose parameter ``switch`` names another switch of the Linux world."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from weir.lab import Tables, load_lab
from weir.lab.worlds import named

OF_LABS = {
    "delay": ("rtt", {"rate": ["1Mbit"], "x": [0], "pings": [1]}),
    "firewall": ("binding", {"pings": [1], "spoofed": [2]}),
    "int": ("cost", {"mode": ["MD"], "switches": [2], "packets": [2]}),
    "int-report": ("load", {"mbps": [3.0], "telemetry": ["on"], "seconds": [1]}),
    "load-balance": ("balancing", {"queues": ["off"], "seconds": [5]}),
    "pacing": ("joining", {"mode": ["htb"], "hosts": [2], "period": ["1500ms"]}),
    "queue-occupancy": ("occupancy", {"flows": [1], "idle_s": [1], "busy_s": [1]}),
    "shared-computer": ("chains", {"turn": [1], "switches": [1]}),
    "shorternet": ("benchmark", {"length": [74], "stack": ["shorternet"], "packets": [3]}),
}
"""An experiment of each such lab, with the smallest useful sizes."""


@pytest.mark.parametrize("lab", OF_LABS)
def test_the_virtual_world_has_its_own_switches_whatever_those_of_the_other(lab: str) -> None:
    name, sizes = OF_LABS[lab]
    (part,) = (one for one in load_lab(lab).linux if one.name == name)
    experiment = part.experiment.replaced(1, world=["virtual"], switch=["simple_switch"], **sizes)
    assert not experiment.run(workers=1).failures


def test_all_labs_that_take_another_switch_are_tested() -> None:
    labs = ("compare-worlds", "delay", "firewall", "int", "int-report", "load-balance", "pacing")
    labs += ("queue-occupancy", "shorternet", "shared-computer")
    switches = {
        lab for lab in labs if any("switch" in part.experiment.space.grid for part in load_lab(lab).linux)
    }
    assert switches == set(OF_LABS)


def test_a_report_names_the_virtual_world_once(tmp_path: Path) -> None:
    worlds, switches = ["virtual", "linux"], ["weir", "simple_switch"]
    rows = [(world, switch) for world in worlds for switch in switches]
    pl.DataFrame({"world": [row[0] for row in rows], "switch": [row[1] for row in rows]}).write_parquet(
        tmp_path / "runs.parquet"
    )
    assert named(Tables(tmp_path)) == {
        "virtual": ("virtual", "weir"),
        "linux": ("linux", "weir"),
        "linux, simple_switch": ("linux", "simple_switch"),
    }
