"""The lab of a shared computer, and weir lab fit for chains of switches."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from statistics import fmean

import polars as pl
import pytest

import weir
from weir.errors import FileError
from weir.lab import Tables
from weir_labs.shared_computer.chain import network
from weir_labs.shared_computer.chains import MEASURED, MEASURED_AGAIN, chains
from weir_labs.shared_computer.fit import fit, read_measurements, simulate
from weir_labs.shared_computer.report import worlds as worlds_report


def test_a_simulated_computer_is_found_again(tmp_path: Path) -> None:
    known = weir.Computer.named("bmv2-deep-sleep")
    rows = ["switches,processors,rtt_min_ms,rtt_avg_ms,tcp_mbps"]
    for switches in (1, 2, 3):
        # TCP's goodput scatters by seed, as in measurements of several turns.
        seeds = [asdict(simulate(known, switches, seed)) for seed in (1, 2, 3)]
        means = [fmean(one[name] for one in seeds) for name in ("rtt_min_ms", "rtt_avg_ms", "tcp_mbps")]
        rows.append(f"{switches},2,{','.join(map(str, means))}")
    (tmp_path / "chains.csv").write_text("\n".join(rows) + "\n")
    found_again = fit(tmp_path / "chains.csv").computer
    assert found_again.switch_ns == pytest.approx(known.switch_ns, rel=0.1)
    assert found_again.wake_up_ns == pytest.approx(known.wake_up_ns, rel=0.25)
    assert found_again.deep_wake_up_jitter_ns == pytest.approx(known.deep_wake_up_jitter_ns, rel=0.25)


def test_the_named_computer_is_that_of_the_fit() -> None:
    named = weir.Computer.named("bmv2-deep-sleep")
    assert replace(fit(MEASURED, predict=[5]).computer, name=named.name, title=named.title) == named


@pytest.mark.parametrize(("file", "bound"), [(MEASURED, 0.16), (MEASURED_AGAIN, 0.15)])
def test_five_switches_are_predicted(file: Path, bound: float) -> None:
    fitted = fit(file, predict=[5])
    measured, predicted = fitted.measured[5], asdict(fitted.simulated[5])
    for name in ("rtt_min_ms", "rtt_avg_ms", "udp_mbps", "tcp_mbps"):
        assert predicted[name] == pytest.approx(measured[name], rel=bound)


def test_the_figures_of_five_switches_are_not_part_of_the_fit(tmp_path: Path) -> None:
    other = [*MEASURED_AGAIN.read_text().splitlines()[:-1], "5,2,0.1,9,900,900"]
    (tmp_path / "chains.csv").write_text("\n".join(other) + "\n")
    fitted = fit(tmp_path / "chains.csv", predict=[5]).computer
    assert replace(fitted, name="") == replace(fit(MEASURED_AGAIN, predict=[5]).computer, name="")


def test_chains_next_to_the_measurements() -> None:
    row = chains.function(5, "bmv2-deep-sleep", 1)
    assert row["fitted"] is False and row["tcp_mbps_measured"] == 107


def test_one_acknowledgement_covers_all_that_a_busy_application_reads() -> None:
    with network(3, computer=weir.Computer.named("bmv2-two-processors")) as net:
        sniffer = net.sniff(["h2"], "tcp")
        net.host("h1").iperf("h2", duration="0.1s", interval=None)
        frames = sniffer.stop()
    answers = sum(frame.outbound for frame in frames)
    assert len(frames) - answers > 5 * answers


def measured_here(folder: Path, lengths: tuple[int, ...], file: Path = MEASURED_AGAIN) -> Tables:
    """Results of ``--world linux``, on a computer as fast as the one that was measured."""
    known, processors = read_measurements(file)
    rows = [
        {
            "run": number,
            "turn": 1,
            "world": "linux",
            "switches": switches,
            "switch": "simple_switch",
            "repetition": 0,
            "processors": processors,
            **known[switches],
        }
        for number, switches in enumerate(lengths)
    ]
    pl.DataFrame(rows).write_parquet(folder / "runs.parquet")
    return Tables(folder)


def test_a_report_predicts_the_longest_chain_of_this_computer(tmp_path: Path) -> None:
    findings = worlds_report.chains(measured_here(tmp_path, (1, 2, 3, 5)), tmp_path)
    assert findings.answer.startswith(
        "Yes: the fit to the shorter chains of simple_switch predicts all figures of 5 switches within 15 % ("
    )
    (table,) = findings.sections[0].tables
    kinds = {(row[0], row[1].partition(" in ")[0]): row[7] for row in table.rows}
    assert kinds["5", "TCP"] == kinds["1", "UDP"] == "predicted" and kinds["3", "TCP"] == "fitted"


def test_a_report_says_which_prediction_is_off(tmp_path: Path) -> None:
    findings = worlds_report.chains(measured_here(tmp_path, (1, 2, 3, 5), MEASURED), tmp_path)
    assert findings.answer.startswith("No: ") and "UDP +15 %" in findings.answer


def test_two_lengths_give_no_fit(tmp_path: Path) -> None:
    findings = worlds_report.chains(measured_here(tmp_path, (1, 5)), tmp_path)
    assert findings.answer.startswith("Not run: whether the fit to the shorter chains")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("switches,processors,rtt_min_ms,rtt_avg_ms\n", "has no column tcp_mbps"),
        ("switches,processors,rtt_min_ms,rtt_avg_ms,tcp_mpbs\n", "is not known"),
        ("switches,processors,rtt_min_ms,rtt_avg_ms,tcp_mbps\n1,2,1,1,9\n", "at least two"),
        ("switches,processors,rtt_min_ms,rtt_avg_ms,tcp_mbps\n1,2,x,1,9\n", "expected a number"),
        ("switches,processors,rtt_min_ms,rtt_avg_ms,tcp_mbps\n1,2,2,3,9\n2,2,1,2,8\n", "do not get slower"),
    ],
)
def test_mistakes(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "a.csv").write_text(text)
    with pytest.raises(FileError, match=message):
        fit(tmp_path / "a.csv")
