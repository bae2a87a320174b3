"""Computed figures in the documentation of labs: each page has the code's figures."""

from __future__ import annotations

import re
import sys
from dataclasses import asdict
from pathlib import Path

import pytest

from weir.lab import NoValue, load_lab
from weir.network import profiles
from weir_labs.delay.theory import transmission_ms, wire_bytes
from weir_labs.delay.thesis import COUNTED_BYTES
from weir_labs.pacing.paper import TOTALS
from weir_labs.shared_computer.chains import FITTED, MEASURED, MEASURED_AGAIN
from weir_labs.shared_computer.fit import Fit, fit, simulate

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "docs" / "labs"
sys.path.insert(0, str(ROOT / "docs" / "build"))

import published  # noqa: E402


def page(name: str) -> str:
    """A page as one line of text, so that wrapped sentences are found."""
    return " ".join((PAGES / f"{name}.md").read_text(encoding="utf-8").split())


def rows(name: str, first: str) -> list[list[str]]:
    """The rows of the table whose first column has this head."""
    lines = (PAGES / f"{name}.md").read_text(encoding="utf-8").splitlines()
    start = next(number for number, line in enumerate(lines) if line.startswith(f"| {first} |"))
    found = []
    for line in lines[start + 2 :]:
        if not line.startswith("|"):
            break
        found.append([cell.strip() for cell in line.strip("|").split("|")])
    return found


@pytest.fixture(scope="module")
def machines() -> list[Fit]:
    """The fits to one to three switches of both machines."""
    return [fit(path, predict=[5]) for path in (MEASURED, MEASURED_AGAIN)]


def percent(value: float, reference: float) -> int:
    return round(100 * (value / reference - 1))


def signed(value: int) -> str:
    return f"{value:+d}".replace("-", "−").replace("+0", "0")


FIGURES = {
    "shortest round trip (ms)": "rtt_min_ms",
    "mean round trip (ms)": "rtt_avg_ms",
    "UDP (Mbit/s)": "udp_mbps",
    "TCP (Mbit/s)": "tcp_mbps",
}


def test_the_chains_have_the_figures_of_the_fit(machines: list[Fit]) -> None:
    switches, seen = 0, 0
    for first, figure, *cells, kind in rows("shared-computer", "switches"):
        switches = int(first or switches)
        name = FIGURES[figure]
        digits = 2 if name.startswith("rtt") else 0
        for place, machine in enumerate(machines):
            ours, theirs = asdict(machine.simulated[switches])[name], machine.measured[switches][name]
            expected = [f"{theirs:.{digits}f}", f"{ours:.{digits}f}", f"{signed(percent(ours, theirs))} %"]
            assert cells[3 * place : 3 * place + 3] == expected, f"{switches} switches, {name}"
        fitted = switches in FITTED and name != "udp_mbps"
        assert kind == ("fitted" if fitted else "predicted")
        seen += 1
    assert seen == 4 * len(machines[0].measured)


def test_the_answer_of_the_chains_says_how_far_off_it_is(machines: list[Fit]) -> None:
    text = page("shared-computer").partition("## Run it")[0]
    pattern = (
        r"shortest round trip within (\d+) %, mean round trip within (\d+) %, UDP throughput within (\d+) %, "
        r"and TCP throughput within (\d+) %\. On the second machine, the bounds are (\d+), (\d+), (\d+) and (\d+) %\."
    )
    match = re.search(pattern, text)
    assert match is not None
    bounds = list(map(int, match.groups()))
    for place, machine in enumerate(machines):
        chains = [asdict(simulate(machine.computer, 5, seed)) for seed in range(1, 9)]
        for name, bound in zip(FIGURES.values(), bounds[4 * place :], strict=False):
            off = max(100 * abs(chain[name] / machine.measured[5][name] - 1) for chain in chains)
            assert bound - 1 < off <= bound, name


def test_the_computers_have_the_times_of_the_page(machines: list[Fit]) -> None:
    text = page("shared-computer")
    match = re.search(r"gives this wait (\d+) and (\d+) µs on average", text)
    assert match is not None
    waits = [round(machine.computer.deep_wake_up_jitter_ns / 1e3) for machine in machines]
    assert waits == [int(wait) for wait in match.groups()]


def test_pages_have_the_passes_of_the_profile() -> None:
    capacity = profiles()["bmv2-vm"].capacity
    assert f"switches that start {capacity} passes per second" in page("shorternet")
    assert f"more than the {capacity}" not in page("delay")
    assert f"`bmv2-vm` makes {capacity} passes per second" in page("delay")


def test_the_rests_of_the_thesis_round_trips_are_computed() -> None:
    rates = {"unlimited": None, "1 Mbit/s": 10**6, "100 kbit/s": 10**5, "10 kbit/s": 10**4}
    table = rows("delay", "links")
    assert [row[0] for row in table] == list(rates)
    for link, whole, *rests in table:
        for size, rest in zip((COUNTED_BYTES, wire_bytes(1200)), rests, strict=True):
            left = float(whole.removesuffix(" ms")) - transmission_ms(size, rates[link])
            assert rest == f"{left:.2f} ms", (link, size)


@pytest.mark.parametrize(
    ("name", "pattern"), [("delay", r"all (\d+) numbers"), ("pacing", r"all (\d+) numbers")]
)
def test_pages_count_the_published_numbers(name: str, pattern: str) -> None:
    match = re.search(pattern, page(name))
    assert match is not None
    assert int(match[1]) == sum(len(one.ids) for one in load_lab(name).published)


def test_the_switch_comparison_counts_findings_without_a_value() -> None:
    match = re.search(r"no value for (\d+) of the thesis's (\d+) findings", page("switch-comparison"))
    own = [one for one in load_lab("switch-comparison").published if one.own]
    without = [one for one in own if isinstance(one.ours, NoValue)]
    assert match is not None and match.groups() == (f"{len(without)}", f"{len(own)}")


def test_pacing_has_the_totals_that_are_kept() -> None:
    stored = published.values("pacing")
    text = (PAGES / "pacing.md").read_text(encoding="utf-8")
    for mode, totals in TOTALS.items():
        ours = [f"{stored[f'pacing.s2.{mode}.p{number}.sumT']:.1f}" for number in range(1, len(totals) + 1)]
        assert re.search(r" \| ".join(map(re.escape, ours)), text), (mode, ours)
