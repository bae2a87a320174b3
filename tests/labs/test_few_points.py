"""Answers of experiments that ran at few points: they say nothing about points that were not run,
do not compare a value with itself, and name the number of runs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from test_premises import LABS, results, single_point

from weir.lab import Findings, Tables
from weir.lab.premises import own_values
from weir.report import plot as plots_of_reports
from weir_labs.int_report.report import load, nth, onset, second
from weir_labs.load_balance.report.names import good_runs
from weir_labs.pacing.report import joining, many
from weir_labs.queue_occupancy.report import sampling
from weir_labs.shorternet.report import benchmark, capacity, parsing


def at_load(stack: str, percent: int, lost: int) -> dict[str, Any]:
    return {
        "limit": "link",
        "equal": "payload",
        "length": 200,
        "stack": stack,
        "percent": percent,
        "lost": lost,
    }


def test_a_stack_that_did_not_run_loses_nothing_and_something() -> None:
    one = capacity._answer(pl.DataFrame([at_load("shorternet", 90, 0), at_load("shorternet", 120, 7)]))
    assert one == "Equal payload: links of 5 Mbit/s first lose packets between 90 and 120 % with Shorternet."
    both = capacity._answer(pl.DataFrame([at_load("shorternet", 90, 0), at_load("standard", 90, 0)]))
    assert (
        "links of 5 Mbit/s lose no packets at 90 % with Shorternet and with Ethernet and IPv4 (theory:"
        in both
    )
    assert capacity._answer(pl.DataFrame([at_load("standard", 90, 0)]).clear()).startswith("Not run: ")


def test_one_length_has_one_gain() -> None:
    both = pl.DataFrame({"length": [74], "theory_percent": [93.75], "deviation_percent": [0.0]}).with_columns(
        **{f"{name}_ms{stack}": pl.lit(1.0) for name in ("latency", "jitter") for stack in ("", "_standard")}
    )
    text = benchmark._answer(pl.DataFrame({"lost": [0], "sent": [10], "n": [1]}), both)
    assert text.endswith(
        "gains 93.75 % of effective bandwidth with packets of 74 bytes; the measured gain is the same."
    )


def test_an_effect_of_headers_needs_several_numbers_of_headers() -> None:
    point = {"equal": "length", "extra": 0, "header_ns": 0, "latency_us": 3.0, "predicted_us": 3.0}
    assert parsing._answer(pl.DataFrame([point])) == "Latency equals theory, over 1 combination."
    text = parsing._answer(pl.DataFrame([point, point | {"extra": 16}]))
    assert "up to 16 extra ones do not change latency at equal length" in text


def test_loss_begins_only_between_loads() -> None:
    low = pl.DataFrame({"lost": [0, 0], "predicted_lost": [0.0, 0.0]})
    text = onset._answer(low, [99.0])
    assert text.startswith("Not run: where loss begins") and "at 2 of 2 points at 99 % of" in text
    text = onset._answer(pl.DataFrame({"lost": [0, 4], "predicted_lost": [0.0, 4.0]}), [99.0, 101.0])
    assert text.startswith("Whether datagrams are lost follows from") and "at 99 to 101 % of" in text


def test_one_value_is_not_compared_with_itself() -> None:
    row = {"every": 1, "telemetry_percent": 3.6, "fitting_mbps": 5.6, "error_packets": 0.5}
    assert nth._answer([row]) == (
        "With n = 1, telemetry takes 3.60 % of the payload, and 5.60 Mbit/s fit. "
        "The sender's knowledge of a fluctuating queue is wrong by 0.50 packets on average."
    )
    assert nth._answer([row, row | {"every": 8}]).startswith("From n = 1 to 8, ")
    probe = {"probe_ms": 10.0, "error_packets": 2.5, "load_percent": 0.56}
    assert sampling._answer([probe]) == (
        "The depth in the last probe differs from the queue by 2.5 packets on average if there is one every 10 ms; "
        "probes are 0.56 % of the link."
    )
    assert "and by 2.5 if there is one every 20 ms" in sampling._answer([probe, probe | {"probe_ms": 20.0}])


def test_the_largest_load_without_loss_may_be_the_largest_of_all() -> None:
    assert second._lost_text(3.0, 4.0) == "nothing up to 3 Mbit/s"
    assert second._lost_text(3.0, None) == "nothing up to 3 Mbit/s, the largest load of this run,"
    assert second._lost_text(None, 1.0) == "something at 1 Mbit/s, the smallest load of this run,"
    assert load._compare_with_thesis([(5, "on", 5.6, 3.0, None)], pl.DataFrame(
        {"switches": [5], "telemetry": ["on"], "mbps": [3.0]}
    )) == "With telemetry over five switches, nothing is lost at any load of this run, up to 3 Mbit/s. "  # fmt: skip


def test_a_single_host_or_flow_shares_nothing() -> None:
    row = {
        "hosts": 1,
        "mode": "htb",
        "settled_rtts_max": 1.0,
        "settled": 1,
        "fairness_1": 1.0,
        "total_1": 86.3,
    }
    assert joining._answer([row]) == (
        "After each join, all hosts have the right rate within 1.00 round trips. "
        "The total throughput is 86.3 Mbit/s (paced by HTB)."
    )
    flow = {"flows": 1, "fairness": 1.0, "right": 1.0, "settled_ms": 20.1}
    assert many._answer(flow) == "After the last join 1 of 1 flow has the right rate, within 20.1 ms."
    assert many._answer(flow | {"flows": 2, "right": 2.0}).startswith(
        "2 flows have a fairness of 1.0000; after"
    )


def test_shares_of_runs_name_the_number_of_runs() -> None:
    assert good_runs({"good": 0.75, "n": 4}) == "3 of 4 runs"
    assert good_runs({"good": 1.0, "n": 1}) == "1 of 1 run"


COUNT_OF_ONE = re.compile(r"(?<![\w.,+·/] )(?<![\w.,−-])1 (?!ms\b|µs\b|ns\b)\w+s\b")
"""A number 1 with a plural noun."""

RANGE = re.compile(r"\b(\d\S*) to \1(?= )|\b(\w+): \2\.")
"""A range from a value to the same value, or a name explained by itself."""

COMPARED = re.compile(
    r"\bat most\b|\b(falls?|rises?|grows?|converges?|diverges?) from\b|\bup to\b|\bno slower\b|\bbest\b|\bbegins\b",
    re.I,
)
"""Words that need several values."""

SEVERAL_IN_A_RUN = {
    ("firewall", "joining"),
    ("firewall", "changing"),
    ("firewall", "flooding"),
    ("int", "cost"),
    ("pacing", "paths"),
    ("queue-occupancy", "occupancy"),
}
"""Experiments whose answer is about several joins, packets or flows of one run."""


def sentences(findings: Findings) -> Iterator[str]:
    """All sentences of an experiment's part of the report."""
    yield findings.answer
    for section in findings.sections:
        yield from section.paragraphs
        yield from (table.caption for table in section.shown_tables)
        yield from (figure.caption for figure in section.shown_figures)
        yield from section.all_notes


@pytest.mark.parametrize("lab", LABS)
def test_a_report_of_one_run_compares_nothing(
    lab: str, request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = list(results(lab, request))
    # Pictures take most of the time, and their content does not matter here.
    monkeypatch.setattr(plots_of_reports, "save_as", lambda ax, path, **options: path)
    wrong = []
    for part, source in made:
        names = [*own_values(part), "seed"]
        for at in (0, -1):
            folder = single_point(source, tmp_path / f"{part.name}{at}", names, at)
            findings = part.report(Tables(folder), tmp_path)
            wrong += [
                f"{part.name}, run {at}: {text}"
                for text in sentences(findings)
                if COUNT_OF_ONE.search(text) or RANGE.search(text)
            ]
            if (lab, part.name) not in SEVERAL_IN_A_RUN:
                wrong += [
                    f"{part.name}, run {at}: {text}"
                    for text in re.split(r"(?<=[.;]) ", findings.answer)
                    if COMPARED.search(text)
                    and not re.search(r"of this run|^Not run|at or below|thesis", text)
                ]
    assert not wrong, "\n".join(wrong)
