"""The lab switch-comparison: two switches measured, energy readers, claims from figures."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from click.testing import CliRunner

import needed
import weir
from weir.cli.app import app
from weir.errors import FileError, WeirError
from weir.lab import Tables, run_lab
from weir_labs.switch_comparison import flows, measure, power, sampler
from weir_labs.switch_comparison.causes import CAUSES
from weir_labs.switch_comparison.mechanisms.benchmark import WAYS, mechanisms
from weir_labs.switch_comparison.network import network
from weir_labs.switch_comparison.report import causes as causes_report, rates as rates_report
from weir_labs.switch_comparison.report.claims import Claim, claims_table, ratio, verdict
from weir_labs.switch_comparison.report.table_updates import answer
from weir_labs.switch_comparison.switches.kind import MissingSwitch
from weir_labs.switch_comparison.switches.known import COMPARED, SWITCHES
from weir_labs.switch_comparison.switches.starting import find
from weir_labs.switch_comparison.table_updates import updates
from weir_labs.switch_comparison.throughput import throughput
from weir_labs.switch_comparison.usage import Usage

pytestmark = pytest.mark.slow

USAGE = Usage(
    cpu_percent=60.0,
    softirq_percent=20.0,
    busy_percent=100.0,
    switches_per_s=0.0,
    frames_per_s=0.0,
    cpu_us_per_frame=None,
    rss_mb=1.0,
    rss_max_mb=1.0,
    pss_mb=None,
)


@pytest.fixture(scope="module")
def linux() -> None:
    """Skips if this computer has no Linux world."""
    try:
        network(1500, True, False, 1).close()
    except weir.NetworkError as error:
        if "allows no network namespaces" not in str(error) and "needs the program" not in str(error):
            raise
        needed.skip(f"a Linux world: {error}")


def test_switches_are_measured_side_by_side(
    linux: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("T4P4S", raising=False)
    out = tmp_path / "out"
    outcome = run_lab(
        "switch-comparison",
        out,
        only=["rates"],
        values={"switch": ["weir", "bridge", "t4p4s"], "protocol": ["udp"], "size": ["500"], "rates": ["5"]},
        seeds=1,
    )
    assert not outcome.failures
    runs = pl.read_parquet(out / "rates" / "runs.parquet").rows_by_key("switch", named=True, unique=True)
    assert [runs[name]["available"] for name in ("weir", "bridge", "t4p4s")] == [True, True, False]
    steps = pl.read_parquet(out / "rates" / "frames" / "steps.parquet")
    ours, bridge = (steps.filter(pl.col("switch") == name).row(0, named=True) for name in ("weir", "bridge"))
    for row in (ours, bridge):
        assert row["packets_per_s"] > 0 and row["goodput_mbps"] > 0 and row["loaded_rtt_us"] > 0
    # The kernel's bridge has no process, and ours has one with memory and processor time.
    assert bridge["cpu_percent"] is None and bridge["rss_mb"] is None
    assert ours["cpu_percent"] > 0 and ours["rss_mb"] > 1 and ours["switches_per_s"] > 0
    page = outcome.report.read_text()
    assert "the variable T4P4S with its command is not set" in page and "not tested" in page
    assert "Not measured: T4P4S; the report says why" in outcome.findings["rates"].answer


def test_a_table_changes_while_packets_pass(linux: None) -> None:
    result = updates("weir", updates_per_s=2000, rate=10, size=1500, seconds=1, energy="auto", seed=1)
    assert 0 < result["updates_made_per_s"] <= 2000
    assert result["goodput_mbps"] > 0 and result["cpu_percent"] > 0
    other = updates("bridge", updates_per_s=0, rate=10, size=1500, seconds=1, energy="auto", seed=1)
    assert not other["available"]
    with pytest.raises(WeirError, match=r'switch=bridg: expected none, .*did you mean "bridge"'):
        updates("bridg", updates_per_s=0, rate=10, size=1500, seconds=1, energy="auto", seed=1)


def test_all_of_a_flow_is_measured_in_one_window(linux: None) -> None:
    plan = flows.Plan(protocol="tcp", size=1500, rate_mbps=5.0, seconds=1, warm_up=measure.WARM_UP)
    with measure.switch_under_test("none", size=1500, energy="raspberry-pi-4b", seed=1) as test:
        begin = time.monotonic_ns()
        flow = test.flow(plan)
        test.finish()
    assert flow.begin_ns - begin >= 1e9 * measure.WARM_UP
    assert (flow.end_ns - flow.begin_ns) / 1e9 >= 1 - measure.WARM_UP - 1e-3


def test_the_option_switch_chooses_switches(tmp_path: Path) -> None:
    words = [
        "lab",
        "run",
        "switch-comparison",
        "--only",
        "updates",
        "--quiet",
        "--out",
        str(tmp_path / "out"),
    ]
    ended = CliRunner().invoke(app, [*words, "--switch", "bridge,t4p4s", "--switch", "copy"])
    assert ended.exit_code == 0, ended.output
    runs = pl.read_parquet(tmp_path / "out" / "updates" / "runs.parquet")
    assert set(runs["switch"]) == {"bridge", "t4p4s", "copy"} and not runs["available"].any()
    assert "There is nothing to compare." in ended.output
    ended = CliRunner().invoke(
        app, ["lab", "run", "delay", "--switch", "bridge", "--out", str(tmp_path / "no")]
    )
    assert 'have a parameter "switch": add --world linux' in ended.output + str(ended.exception)


def test_mechanisms_are_compared(tmp_path: Path) -> None:
    needed.need("cc")
    outcome = run_lab(
        "switch-comparison", tmp_path / "out", only=["mechanisms"], values={"milliseconds": ["50"]}, seeds=1
    )
    assert not outcome.failures
    runs = pl.read_parquet(tmp_path / "out" / "mechanisms" / "runs.parquet")
    assert runs["way"].to_list() == list(WAYS) and runs["ns_per_packet"].min() > 0
    # Handing packets from thread to thread wakes them up.
    switches = dict(zip(runs["way"], runs["switches_per_million"], strict=True))
    assert min(switches["pipeline"], switches["batches"]) > switches["completion"]
    assert set(runs.filter(pl.col("updates_made_per_s") > 0)["way"]) == {"snapshot", "locked"}


def test_a_switch_that_takes_no_large_frames_gets_none() -> None:
    with (
        pytest.raises(MissingSwitch, match="does not accept large frames"),
        measure.switch_under_test("simple_switch", size=1500, energy="auto", seed=1, offloads=True),
    ):
        pass


def test_our_stand_ins_are_not_bmv2(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from weir.dropin import shims

    shims.install(tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MissingSwitch, match="no simple_switch on the PATH"):
        find("simple_switch")
    own = tmp_path / "own"
    own.write_text("#!/bin/sh\n")
    own.chmod(0o755)
    monkeypatch.setenv("SIMPLE_SWITCH", str(own))
    assert find("simple_switch", "SIMPLE_SWITCH") == str(own)


def test_rapl_counters_may_begin_again(tmp_path: Path) -> None:
    for zone, name, energy in (
        ("intel-rapl:0", "package-0", 900),
        ("intel-rapl:0:0", "core", 5),
        ("intel-rapl:1", "package-1", 100),
        ("intel-rapl:2", "psys", 7),
    ):
        (tmp_path / zone).mkdir()
        (tmp_path / zone / "name").write_text(f"{name}\n")
        (tmp_path / zone / "energy_uj").write_text(f"{energy}\n")
        (tmp_path / zone / "max_energy_range_uj").write_text("999\n")
    meter = power.Rapl(tmp_path)
    before = meter.read()
    (tmp_path / "intel-rapl:0" / "energy_uj").write_text("50\n")
    (tmp_path / "intel-rapl:1" / "energy_uj").write_text("300\n")
    (tmp_path / "intel-rapl:2" / "energy_uj").write_text("800\n")
    # 150 uJ of the first package, 200 of the second; parts of a package and the whole platform do
    # not count twice.
    assert meter.joules(before, meter.read(), USAGE) == pytest.approx(350e-6)
    (tmp_path / "intel-rapl:1" / "energy_uj").unlink()
    with pytest.raises(WeirError, match="a counter cannot be read any more"):
        meter.read()
    with pytest.raises(WeirError, match="no energy counters"):
        power.Rapl(tmp_path / "nothing")


def test_a_sensor_gives_power_or_voltage_and_current(tmp_path: Path) -> None:
    chip = tmp_path / "hwmon0"
    chip.mkdir()
    (chip / "name").write_text("ina219\n")
    (chip / "in1_input").write_text("5000\n")
    (chip / "curr1_input").write_text("600\n")
    meter = power.Sensor(tmp_path)
    before = meter.read()
    time.sleep(0.2)
    after = meter.read()
    meter.stop()
    assert meter.source == "measured: sensor ina219"
    assert meter.joules(before, after, USAGE) == pytest.approx(3.0 * (after - before))


def test_a_sensor_that_fails_ends_with_a_diagnosis(tmp_path: Path) -> None:
    chip = tmp_path / "hwmon0"
    chip.mkdir()
    (chip / "name").write_text("amdgpu\n")
    (chip / "power1_input").write_text("?\n")
    meter = power.Sensor(tmp_path)
    before = meter.read()
    meter.stop()
    with pytest.raises(WeirError, match="sensor amdgpu: the sensor cannot be read any more: invalid literal"):
        meter.joules(before, meter.read(), USAGE)
    # The power of a graphics card is not that of the computer.
    with pytest.raises(WeirError, match="no sensor"):
        power.Sensor(tmp_path, power.BOARD_SENSORS)


def test_a_flow_that_fails_ends_its_meter(monkeypatch: pytest.MonkeyPatch) -> None:
    class Stopped(power.Model):
        stops = 0

        def stop(self) -> None:
            self.stops += 1

    def fails(*_: object) -> None:
        raise weir.NetworkError("no flow")

    meter = Stopped(power.DEFAULT_MODEL)
    monkeypatch.setattr(measure, "meter", lambda _: meter)
    monkeypatch.setattr(flows, "start_flow", fails)
    test = object.__new__(measure.SwitchUnderTest)
    test._net, test._energy = None, "auto"  # type: ignore[assignment]
    with pytest.raises(weir.NetworkError, match="no flow"):
        test.flow(flows.Plan(protocol="tcp", size=1500, rate_mbps=None, seconds=1, warm_up=0.0))
    assert meter.stops == 1


def test_an_external_meters_file(tmp_path: Path) -> None:
    log = tmp_path / "meter.csv"
    log.write_text("time,watts\n100,2\n101,4\n102,4\n")
    meter = power.Log(log, patience=0.0)
    assert isinstance(power.meter(str(log)), power.Log)
    # 2 to 4 W within the first second, then 4 W.
    assert meter.joules(100.0, 103.0, USAGE) == pytest.approx(3 + 4 + 4)
    # Between two rows, as for a meter that writes once a second: 2.4 to 3.8 W.
    assert meter.joules(100.2, 100.9, USAGE) == pytest.approx(0.7 * (2.4 + 3.8) / 2)
    with pytest.raises(FileError, match="no rows within 2 s"):
        meter.joules(200.0, 201.0, USAGE)
    # The meter is still writing its next row: a part of a row does not count.
    log.write_text("time,watts\n100,2\n101,4\n102,4\n103,1")
    assert meter.joules(102.0, 103.0, USAGE) == pytest.approx(4)
    log.write_text("time,watts\n100,2\n101,4\n102,4\n103,10\n")
    assert meter.joules(102.0, 103.0, USAGE) == pytest.approx(7)
    log.write_text("time,watts\n100,2\nlate\n")
    with pytest.raises(FileError, match="line 3: expected the Unix time"):
        power.meter(str(log))


def test_a_model_is_labelled_and_has_a_source() -> None:
    meter = power.meter("raspberry-pi-4b")
    assert meter.source.startswith("modelled: ")
    # 80 % of one of four processors.
    assert meter.joules(0.0, 2.0, USAGE) == pytest.approx(2 * (2.2857 + 4.5344 * 0.2))
    assert all(model["source"] for model in power.models().values())
    with pytest.raises(WeirError, match="energy=rappl: expected auto, rapl"):
        power.meter("rappl")


def rows(**of: float) -> list[dict[str, object]]:
    return [
        {"switch": switch, "repetition": 0, "size": size, "goodput_mbps": mbps * size}
        for switch, mbps in of.items()
        for size in (100, 500, 1500)
    ]


def test_claims_follow_from_the_figures() -> None:
    claim = Claim("more", "goodput_mbps", True, ("size",))
    for its, expected in ((3.0, "holds in all 3"), (0.5, "does not hold: the opposite")):
        table, answer = claims_table([claim], rows(t4p4s=its, simple_switch=1.0))
        assert table.rows[0][-1] == expected and expected in answer
    table, answer = claims_table([claim], rows(t4p4s=1.0, bridge=2.0))
    assert table.rows[0][-1] == "not tested" and "there is no BMv2" in answer
    computed = ratio(rows(weir=3.0, simple_switch=1.0), "weir", "simple_switch", "goodput_mbps", ["size"])
    assert (
        computed is not None
        and computed.mean == pytest.approx(3)
        and (computed.above, computed.count) == (3, 3)
    )


def test_weir_decides_no_finding_about_t4p4s() -> None:
    claim = Claim("more", "goodput_mbps", True, ("size",))
    table, answer = claims_table([claim], rows(weir=3.0, simple_switch=1.0))
    assert table.rows == [["more", "–", "no T4P4S", "not tested"]]
    assert answer == "the thesis's findings are not tested, because there is no T4P4S"


def test_modelled_power_decides_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "rates"
    (folder / "frames").mkdir(parents=True)
    pl.DataFrame(
        {"switch": ["t4p4s", "simple_switch"], "protocol": "udp", "size": 100, "repetition": 0, "available": True,
         "missing": None, "others_percent": 1.0, "rss_growth_mb": 0.0}
    ).write_parquet(folder / "runs.parquet")  # fmt: skip
    numbers = ("goodput_mbps", "loss_percent", "cpu_percent", "cpu_us_per_mbit", "softirq_percent", "busy_percent",
               "switches_per_s", "rss_max_mb", "watts", "loaded_rtt_us", "loaded_rtt_p99_us")  # fmt: skip
    usage = {"time_s": 0.0, "rss_mb": 1.0, "cpu_s": 0.0}
    both = [
        {"switch": switch, "protocol": "udp", "size": 100, "rate_mbps": 10.0, "repetition": 0,
         **dict.fromkeys(numbers, value)}
        for switch, value in (("t4p4s", 1.0), ("simple_switch", 2.0))
    ]  # fmt: skip
    pl.DataFrame([{**row, **usage} for row in both]).write_parquet(folder / "frames" / "usage.parquet")
    for source, is_decided in (("modelled: a board", False), ("measured: a sensor", True)):
        pl.DataFrame(both).with_columns(energy_source=pl.lit(source)).write_parquet(
            folder / "frames" / "steps.parquet"
        )
        answer = rates_report.findings(Tables(folder), tmp_path).answer
        assert ("needs less energy: holds in the only run" in answer) == is_decided
        assert "needs less processor time: holds in the only run" in answer


def test_controls_differ_in_one_thing() -> None:
    loops = {name: kind for name, kind in SWITCHES.items() if name.startswith("copy")}
    assert list(loops) == ["copy", "copy-single", "copy-threads", "copy-single-threads"]
    for cause in CAUSES:
        assert cause.one in SWITCHES and cause.other in SWITCHES and cause.same and cause.unanswered
    # Values that vary are compared only on request.
    assert not {*loops} - {"copy"} & {*COMPARED}


@pytest.mark.parametrize("switch", ["copy-single", "copy-threads", "copy-single-threads"])
def test_loops_forward_whatever_their_batch_and_threads(switch: str, linux: None) -> None:
    needed.need("cc")
    with measure.switch_under_test(switch, size=1500, energy="raspberry-pi-4b", seed=1) as test:
        plan = flows.Plan(protocol="udp", size=1500, rate_mbps=2.0, seconds=1, warm_up=measure.WARM_UP)
        flow = test.flow(plan)
        test.finish()
        figures = test.figures(flow)
    # Both interfaces send: datagrams, and pings there and back.
    assert isinstance(figures["frames_per_s"], float) and figures["frames_per_s"] > 50
    assert isinstance(figures["cpu_us_per_frame"], float) and figures["cpu_us_per_frame"] > 0


def test_pairs_without_one_side_are_undecided(tmp_path: Path) -> None:
    figures = {
        "weir": (1.0, 1.0), "weir-interp": (2.0, 3.0), "copy": (1.0, 1.0), "copy-single": (0.5, 2.0),
    }  # fmt: skip
    pl.DataFrame(
        [
            {"switch": switch, "size": 100, "repetition": repetition, "available": True, "missing": None, "cpu_us_per_frame": cost,
             "frames_per_s": 1000.0, "loss_percent": 0.0, "cpu_percent": 10.0, "switches_per_s": 5.0, "others_percent": 0.0}
            for switch, costs in figures.items()
            for repetition, cost in enumerate(costs)
        ]
    ).write_parquet(tmp_path / "runs.parquet")  # fmt: skip
    answer = causes_report.findings(Tables(tmp_path), tmp_path).answer
    assert "machine code instead of an interpreter: 0.41" in answer
    assert "Undecided here, " in answer and "in all runs: 64 frames per system call instead of one" in answer


def test_a_claim_that_holds_at_some_points_only_says_so() -> None:
    mixed = [
        {"switch": switch, "repetition": repetition, "size": 100, "v": value}
        for switch, values in {"a": [4.0, 5.0, 0.9], "b": [1.0] * 3}.items()
        for repetition, value in enumerate(values)
    ]
    computed = ratio(mixed, "a", "b", "v", ["size"])
    assert verdict(computed, True) == "holds on average, but not in 1 of 3"
    assert verdict(computed, False) == "does not hold: the opposite"
    same = ratio([*mixed[3:], {**mixed[3], "switch": "a"}], "a", "b", "v", ["size"])
    assert verdict(same, True) == "does not hold: no difference"
    assert verdict(None, True) == "not tested"


def test_a_number_that_may_be_zero_is_compared_by_differences() -> None:
    claim = Claim("less", "v", False, (), unit="MB")
    for ours, its, expected in (
        ([0.0, -0.1], [3.0, 1.9], "holds in all 2"),
        ([0.0, 0.0], [0.0, 0.1], "does not hold: no difference"),
        ([5.0, 0.0], [0.0, 0.0], "does not hold: the opposite"),
    ):
        both = [
            {"switch": switch, "repetition": repetition, "v": value}
            for switch, values in {"t4p4s": ours, "simple_switch": its}.items()
            for repetition, value in enumerate(values)
        ]
        table, _ = claims_table([claim], both)
        assert table.rows[0][-1] == expected and "−" in table.rows[0][1]


def test_round_trips_that_are_not_known_are_said_so() -> None:
    still = {"switch": "weir", "updates_per_s": 0, "updates_made_per_s": 0.0, "loss_percent": 0.0}
    busy = {**still, "updates_per_s": 9, "updates_made_per_s": 9.0, "loaded_rtt_us": None}
    said = answer([{**still, "loaded_rtt_us": 80.0}, busy])
    assert "an unknown time, because all pings were lost, and 80 µs without" in said


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        (lambda: throughput("none", "udp", 68, 0, "auto", 1), "seconds=0: expected a number from 1 to 3600"),
        (lambda: throughput("none", "tcp", 68, 1, "auto", 1), "size=68: expected a number from 100 to 9000"),
        (lambda: throughput("none", "sctp", 100, 1, "auto", 1), "protocol=sctp: expected tcp or udp"),
        (
            lambda: mechanisms("pool", milliseconds=0, updates_per_s=0, seed=1),
            "milliseconds=0: expected a number from 10",
        ),
        (
            lambda: mechanisms("pool", milliseconds=-5, updates_per_s=0, seed=1),
            "milliseconds=-5: expected a number from 10",
        ),
        (lambda: updates("weir", 40000, 10, 1500, 1, "auto", 1), "updates_per_s=40000: .* 0 to 32764"),
    ],
)
def test_numbers_out_of_range_are_refused(run: Callable[[], object], expected: str) -> None:
    with pytest.raises(WeirError, match=expected):
        run()


def test_children_of_an_ended_process_count() -> None:
    # A child of the shell works and waits for a line; then it ends, and the shell waits.
    work = "i=0; while [ $i -lt 30000 ]; do i=$((i + 1)); done; echo worked; read line"
    words = ["sh", "-c", f"({work}); echo ended; read line"]
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as shell:
        assert shell.stdin is not None and shell.stdout is not None
        family = sampler.ProcessTree([shell.pid])
        assert shell.stdout.readline() == "worked\n"
        with_child = family.sample()
        assert len(family.members()) == 2
        shell.stdin.write("go on\n")
        shell.stdin.flush()
        assert shell.stdout.readline() == "ended\n"
        alone = family.sample()
        assert family.members() == [shell.pid] and alone[0] >= with_child[0] and alone[1] < with_child[1]
        # The shell itself has only waited.
        own_ns = int(Path(f"/proc/{shell.pid}/schedstat").read_text().split()[0])
        assert with_child[0] > 2 * own_ns
        shell.kill()
    with pytest.raises(ProcessLookupError, match="has ended"):
        family.sample()
