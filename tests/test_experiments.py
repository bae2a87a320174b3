"""Experiments: points, runs, results that do not depend on how they were made, mistakes."""

import html
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import polars as pl
import pytest

import weir
from command import weir as command
from experiment_file import FILE, load
from weir.experiments import Result, compare
from weir.experiments.declaration import run_seed
from weir.experiments.failures import failures_in_short
from weir.experiments.intervals import difference, estimate, larger_than_chance
from weir.experiments.tables import frames
from weir.topology import shapes


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "study.py"
    path.write_text(FILE)
    return path


def tables(folder):
    """The bytes of all tables of a result."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*.parquet"))
    }


# Points.


def points(*groups, **parameters):
    declare = weir.experiment(*groups, **parameters)
    return [tuple(point.values()) for point in declare(lambda **_: 1).points()]


def test_a_grid_has_all_combinations():
    assert points(a=[1, 2], b=["x", "y"]) == [(1, "x"), (1, "y"), (2, "x"), (2, "y")]


def test_zipped_parameters_vary_together():
    assert points(weir.zipped(a=[1, 2], b=[3, 4]), c=[5, 6]) == [(1, 3, 5), (1, 3, 6), (2, 4, 5), (2, 4, 6)]


def test_conditional_parameters_exist_for_some_values():
    chosen = points(weir.when({"q": "codel"}, target=["5ms", "20ms"]), q=["fifo", "codel"])
    assert chosen == [("fifo", None), ("codel", "5ms"), ("codel", "20ms")]


def test_a_predicate_chooses_combinations():
    assert points(a=[1, 2, 3], b=[1, 2, 3], where=lambda a, b: a < b) == [(1, 2), (1, 3), (2, 3)]


def test_points_may_be_limited_to_some_values():
    declared = weir.experiment(a=[1, 2], b=[True, False])(lambda **_: 1)
    assert [tuple(p.values()) for p in declared.points({"a": 2, "b": "true"})] == [(2, True)]


def test_a_missing_condition_leaves_the_argument_out():
    calls = []

    @weir.experiment(weir.when({"q": "codel"}, target=["5ms"]), q=["fifo", "codel"])
    def measure(q, target="none"):
        calls.append((q, target))
        return 1

    measure.run(workers=1)
    assert calls == [("fifo", "none"), ("codel", "5ms")]


# Runs and results.


def test_a_user_needs_ten_lines():
    @weir.experiment(rate=["1Mbit", "10Mbit"], queue=["4p", "64p"], seeds=2)
    def bufferbloat(rate, queue, seed):
        with weir.Network(shapes.dumbbell(2, middle_rate=rate, queue=queue), seed=seed) as net:
            net.host("h1").start_iperf("h3", duration="1s")
            ping = net.host("h2").ping("h4", count=10, interval="100ms")
            return {"rtt_max_ms": ping.rtt_max_ms, "rtt": ping.rtts, "replies": ping}

    result = bufferbloat.run(workers=1)
    assert result.failures == []
    assert result.runs.height == 8
    worst = {key: one.mean for key, one in result.estimates("rtt_max_ms").items()}
    assert worst["1Mbit", "64p"] > 2 * worst["1Mbit", "4p"] > worst["10Mbit", "4p"]
    # Every row names its program and its topology.
    assert result.runs["programs"].n_unique() == 1
    assert result.runs["topologies"].n_unique() == 4
    assert result.frames["replies"].columns[:4] == ["run", "rate", "queue", "repetition"]
    assert result.series["series"].unique().to_list() == ["rtt"]
    of_run = (
        result.series.group_by("run", maintain_order=True).first().drop("series", "unit", "time_s", "value")
    )
    assert of_run.equals(result.runs.select(of_run.columns))
    assert {"programs", "topologies", "version", "rate", "queue", "seed"} < set(of_run.columns)
    assert result.is_noiseless


def test_tables_are_the_same_on_one_worker_and_on_two(file, tmp_path):
    noisy = load(file, "noisy")
    one = noisy.run(out=tmp_path / "one", workers=1)
    noisy.run(out=tmp_path / "two", workers=2)
    assert tables(tmp_path / "one") == tables(tmp_path / "two")
    assert set(tables(tmp_path / "one")) == {"runs.parquet", "series.parquet"}
    again = Result.load(tmp_path / "one")
    assert again.runs.equals(one.runs)
    assert again.series.equals(one.series)


def children(parent):
    """The processes that a process has started."""
    calls = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = status.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if fields[1] == str(parent):
            calls.append(status.parent.name)
    return calls


@pytest.mark.parametrize("workers", [1, 2])
def test_a_run_killed_three_times_goes_on(file, tmp_path, workers):
    load(file, "noisy").run(out=tmp_path / "whole", workers=1)
    arguments = [sys.executable, "-m", "weir", "experiment", "run", f"{file}:noisy"]
    arguments += ["--out", str(tmp_path / "killed"), "--workers", str(workers), "--quiet"]
    runs = tmp_path / "killed" / "runs"
    for stopped in (3, 8, 13):
        process = subprocess.Popen(arguments, env={**os.environ, "SLOW": "0.1"}, stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + 60
        while len(list(runs.glob("[!.]*.json"))) < stopped:
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.01)
        started = children(process.pid)
        process.send_signal(signal.SIGKILL)
        process.wait()
        while any(Path(f"/proc/{child}").exists() for child in started):
            assert time.monotonic() < deadline, "worker processes are left"
            time.sleep(0.05)
    done = len(list(runs.glob("[!.]*.json")))
    assert 13 <= done < 24
    code, _, problems = command("experiment", "run", f"{file}:noisy", "--out", tmp_path / "killed")
    assert (code, problems.count("of")) != (1, 0)
    assert tables(tmp_path / "killed") == tables(tmp_path / "whole")


def test_a_worker_ends_if_its_parent_was_gone_when_it_started():
    code = "import time; from weir.experiments.processes import _begin; _begin(1 << 22); time.sleep(30)"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=25)
    assert (ended.returncode, ended.stderr) == (1, "")


def test_a_failing_run_is_recorded_and_others_finish(file, tmp_path):
    with pytest.warns(weir.WeirWarning, match="2 of 6 runs of failing failed\nValueError: two is too many"):
        result = load(file, "failing").run(out=tmp_path / "out", workers=2)
    assert [record["error"] for record in result.failures] == ["ValueError: two is too many"] * 2
    assert "Traceback" in result.failures[0]["log"]
    assert result.runs["double"].to_list() == [2, 2, None, None, 6, 6]
    assert result.summary()["n"].to_list() == [2, 0, 2]
    code, _, problems = command(
        "experiment", "run", f"{file}:failing", "--out", tmp_path / "cli", "--workers", "1"
    )
    assert code == 1
    log = next((tmp_path / "cli" / "runs").glob("*.log"))
    assert problems.splitlines()[-3:-1] == [
        "error: ValueError: two is too many",
        f"  2 runs, first x=2 seed={run_seed(1, 0)}",
    ]
    assert "Traceback" in log.read_text()
    lines = problems.splitlines()[-1]
    assert Path(lines.removeprefix("  log: ")).read_text().endswith("ValueError: two is too many\n")


def test_equal_failures_are_shown_once(tmp_path):
    @weir.experiment(x=list(range(20)), seeds=2)
    def measure(x, seed):
        raise ValueError(f"{x} is odd" if x % 2 else "even")

    shown = failures_in_short(measure.run(workers=1, warn=False))
    assert [text.splitlines()[0] for text in shown] == [
        "ValueError: even",
        *(f"ValueError: {x} is odd" for x in (1, 3, 5, 7)),
        "12 runs failed with other errors",
    ]
    assert shown[0].splitlines()[1:] == [f"  20 runs, first x=0 seed={run_seed(1, 0)}"]


def test_a_log_goes_when_the_run_succeeds(tmp_path):
    broken = tmp_path / "broken"
    broken.touch()

    @weir.experiment(x=[1])
    def measure(x):
        if broken.exists():
            raise ValueError("broken")
        return x

    measure.run(out=tmp_path / "out", workers=1, warn=False)
    assert len(list((tmp_path / "out/runs").glob("*.log"))) == 1
    broken.unlink()
    measure.run(out=tmp_path / "out", workers=1)
    assert list((tmp_path / "out/runs").glob("*.log")) == []


def test_a_failed_run_is_tried_again(file, tmp_path):
    load(file, "failing").run(out=tmp_path / "out", workers=1, warn=False)
    before = sorted((tmp_path / "out/runs").glob("*.json"))
    changed = {path: path.stat().st_mtime_ns for path in before}
    time.sleep(0.01)
    load(file, "failing").run(out=tmp_path / "out", workers=1, warn=False)
    assert sum(path.stat().st_mtime_ns != changed[path] for path in before) == 2


def test_a_process_that_dies_takes_only_its_run_along(file):
    result = load(file, "dying").run(workers=2, warn=False)
    assert result.runs["value"].to_list() == [1, 2, None, 4]
    assert "worker process ended" in result.failures[0]["error"]


def test_dask_gives_the_same_tables(file, tmp_path):
    from distributed import LocalCluster

    load(file, "noisy").run(out=tmp_path / "one", workers=1)
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster:
        load(file, "noisy").run(out=tmp_path / "dask", on=cluster.scheduler_address)
    assert tables(tmp_path / "dask") == tables(tmp_path / "one")


def test_seeds_are_derived_from_the_master_seed():
    seen = {}

    @weir.experiment(a=[1, 2], seeds=3)
    def measure(a, seed):
        seen.setdefault(seed, []).append(a)
        return 1

    measure.run(workers=1, seed=5)
    # Equal for all points, so that these can be compared in pairs.
    assert seen == {run_seed(5, repetition): [1, 2] for repetition in range(3)}
    assert run_seed(5, 0) != run_seed(6, 0)


# Statistics.


def test_an_interval_is_students():
    estimated = estimate([1.0, 2.0, 3.0, 4.0])
    assert (estimated.mean, round(estimated.low, 4), round(estimated.high, 4)) == (2.5, 0.4457, 4.5543)
    assert estimate([3.0, 3.0]).is_exact


def test_pairs_find_what_samples_hide():
    first = [1.0, 5.0, 9.0, 13.0]
    second = [value + 0.5 + 0.01 * number for number, value in enumerate(first)]
    assert difference(first, second, paired=True).p < 0.001
    assert difference(first, second, paired=False).p > 0.5
    assert difference([1.0, 2.0], [2.0, 3.0], paired=True).p == 0.0
    assert difference([1.0, 2.0], [1.0, 2.0], paired=True).p == 1.0
    assert difference([1.0], [2.0], paired=True).p is None


def test_of_many_comparisons_some_are_extreme_by_chance():
    assert larger_than_chance([0.001, None, 0.04, 0.5]) == [True, False, False, False]


def test_two_results_are_compared(file, tmp_path):
    noisy = load(file, "noisy")
    before = noisy.run(workers=1)
    assert compare(before, before).significant == []
    other = noisy.run(workers=1, seed=2, only={"queue": [16, 64]})
    comparison = compare(before, other)
    assert len(comparison.only_first) == 2
    assert [row.measure for row in comparison.significant] == []
    records = [json.loads(json.dumps(record)) for record in before.records]
    for record in records:
        record["scalars"]["delay_ms"] += 0.25
    shifted = compare(before, Result(before.declaration, records))
    assert {row.measure for row in shifted.significant} == {"delay_ms"}
    assert len(shifted.significant) == 6
    assert shifted.to_frame().height == 12


# Plots and reports.


@pytest.mark.parametrize("kind", ["line", "box", "cdf", "heatmap", "time", "gantt"])
def test_kinds_of_plots(file, tmp_path, kind):
    result = load(file, "noisy").run(workers=1)
    for name in ("a.svg", "b.svg"):
        figure = result.plot(kind=kind, path=tmp_path / name, title="a title")
        assert figure.axes[0].get_title(loc="left") == "a title" or figure.axes[0].get_title() == "a title"
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


@pytest.mark.parametrize(("values", "title"), [(6, "b"), (20, "b"), (24, "b"), (25, "25 values of b")])
def test_a_legend_fits_or_says_how_many_lines_there_are(values, title, tmp_path):
    measure = weir.experiment(a=[1, 2], b=list(range(values)))(lambda a, b: a * b)
    figure = measure.run(workers=1).plot(x="a", hue="b", path=tmp_path / "a.svg")
    legend = figure.axes[0].get_legend()
    assert legend.get_title().get_text() == title
    assert len(legend.get_texts()) == (values if title == "b" else 0)
    assert legend.get_window_extent().height <= figure.bbox.height


def test_a_line_has_the_means_and_their_band(file):
    result = load(file, "noisy").run(workers=1)
    ax = result.plot(x="queue", y="delay_ms", hue="rate").axes[0]
    assert [line.get_label() for line in ax.get_lines()] == ["1Mbit", "10Mbit"]
    assert ax.get_xlabel() == "queue"
    assert ax.get_ylabel() == "delay in ms"
    means = [one.mean for key, one in result.estimates("delay_ms").items() if key[0] == "1Mbit"]
    assert list(ax.get_lines()[0].get_ydata()) == means
    assert len(ax.collections) == 2


def test_a_report_has_question_parameters_table_and_command(file, tmp_path):
    result = load(file, "noisy").run(out=tmp_path / "out", workers=1, only={"rate": "1Mbit"})
    page = result.report().read_text()
    for text in (
        "How noisy is noise?",
        "It depends.",
        "16, 64, 256",
        "delay_ms",
        "weir experiment run study.py:noisy --seed=1 --seeds=4 --only=rate=1Mbit.",
        "delay_ms against queue: mean and 95 % interval over seeds.",
        "course over virtual time: first repetition.",
    ):
        assert text in page, text
    assert "http://" not in page.replace("http://www.w3.org", "")
    assert len(page) < 3_000_000
    assert result.report().read_text() == page


@weir.experiment(size=[1, 2])
def lossless(size: int) -> dict[str, float]:
    """Measures the same number as the size, and no losses."""
    return {"doubled": 2.0 * size, "lost": 0.0}


def test_a_report_of_single_runs_has_no_means_and_no_empty_plot(tmp_path: Path):
    page = html.unescape(lossless.run(out=tmp_path / "out", workers=1).report().read_text())
    assert "One run for each point." in page and "over seeds" not in page
    assert 'alt="doubled against size."' in page and 'alt="lost against size."' not in page
    assert "No figure, because all values are 0: lost against size." in page


def test_a_report_of_other_values_says_how_to_repeat_them(file, tmp_path):
    other = load(file, "noisy").replaced(rate=["5Mbit"], seeds=2).replaced(queue=[1, 2])
    page = html.unescape(other.run(out=tmp_path / "out", workers=1).report().read_text())
    assert "noisy.replaced(rate=['5Mbit'], queue=[1, 2]).run(seed=1, seeds=2)." in page


def test_a_report_says_which_network_it_draws(tmp_path):
    @weir.experiment(rate=["1Mbit", "10Mbit"])
    def measure(rate):
        with weir.Network(shapes.dumbbell(1, middle_rate=rate)) as net:
            return {"rtt_ms": net.host("h1").ping("h2", count=1).rtt_max_ms}

    page = measure.run(out=tmp_path / "out", workers=1).report().read_text()
    assert "The network of the first run: rate=1Mbit." in page
    assert (
        "The network"
        not in measure.run(only={"rate": "1Mbit"}, workers=1).report(tmp_path / "a.html").read_text()
    )


def test_large_reports_stay_below_three_megabytes(tmp_path):
    def wave(number):
        times = [1_000_000 * step for step in range(20_000)]
        values = [float(step * (number + 7) % 1009) for step in range(20_000)]
        return weir.measure.Series("wave", "ms", times, values)

    @weir.experiment(a=list(range(30)), b=list(range(30)))
    def measure(a, b):
        if a == 29:
            raise ValueError(f"{b}: " + "far too much " * 1000)
        scalars = {f"measurement_{number}_ms": a * b + number for number in range(60)}
        return scalars | ({f"wave{number}": wave(number) for number in range(6)} if a < 12 and b == 0 else {})

    page = measure.run(workers=1, warn=False).report(tmp_path / "report.html").read_text()
    assert 100_000 < len(page) < 3_000_000
    for note in (
        r"[1-9]\d* more series are in series\.parquet",
        r"[1-9]\d* more measurements are in the table only",
        r"[1-9]\d* more points are in runs\.parquet",
    ):
        assert re.search(note, page), note


def test_a_notebook_shows_failures_a_table_and_a_plot(file):
    shown = load(file, "noisy").run(workers=1)._repr_html_()
    assert "noisy: 24 runs</div>" in shown
    assert "10Mbit" in shown and "±" in shown
    assert 'alt="delay_ms against queue: mean and 95 % interval over seeds." src="data:image/svg+xml' in shown
    failed = load(file, "failing").run(workers=1, warn=False)._repr_html_()
    assert "failing: 6 runs, 2 failed</div>" in failed
    assert "ValueError: two is too many" in failed
    assert (
        "failing: 0 runs"
        in Result(load(file, "failing").run(workers=1, warn=False).declaration, [])._repr_html_()
    )


# The command line.


def test_the_command_runs_and_lists(file, tmp_path):
    code, out, _ = command("experiment", "list", file)
    assert code == 0
    assert "rate=1Mbit,10Mbit queue=16,64,256" in out
    code, out, _ = command(
        "experiment", "run", f"{file}:noisy", "--only", "queue=16,64", "--seeds", "2", "--quiet", cwd=tmp_path
    )
    assert code == 0
    assert pl.read_parquet(tmp_path / "out/noisy/runs.parquet").height == 8
    assert (tmp_path / "out/noisy/report.html").exists()
    code, out, _ = command("experiment", "diff", "out/noisy", "out/noisy", cwd=tmp_path)
    assert (code, out.splitlines()[-1][:8]) == (0, "0 of 8 d")


def test_a_stored_frame_with_the_name_of_a_parameter_is_refused():
    """Runs refuse such frames; a file of another version may contain one."""
    record = {"frames": {"f": {"rate": [1]}}, "parameters": {"rate": "1Mbit"}, "repetition": 0, "seed": 1}
    with pytest.raises(weir.ExperimentError, match="the data frame 'f' has a column 'rate'"):
        frames([record], {"names": ["rate"]})
