"""Compares Weir's TCP with the kernel's over the same paths.

python compare.py linux OUT [--only REGEX] [--repeat N] [--jobs N]    as root
python compare.py weir OUT [--only REGEX] [--repeat N] [--jobs N] [--jitter US]
python compare.py ns3 OUT [--only REGEX] [--repeat N] [--jobs N]      cells with one flow
python compare.py table LINUX WEIR [--only REGEX]
python compare.py record LINUX CSV
python compare.py noise                                              as root

OUT is a file of JSON lines. Cells whose results it already has do not run again.
"""

from __future__ import annotations

import argparse
import importlib
import json
import re
import signal
import statistics
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

import numpy as np
from cells import (
    Cell,
    Datagrams,
    ShortFlows,
    datagrams,
    matrix,
    several_flows,
    shapers,
    short_flows,
    single_segments,
)

Work = Cell | ShortFlows | Datagrams


def all_cells() -> Iterator[Work]:
    """All cells of the comparison."""
    yield from matrix()
    yield from single_segments()
    yield from several_flows()
    yield from shapers()
    yield from short_flows()
    yield from datagrams()


def run_one(side: str, work: Work, repetition: int, jitter: int | None) -> dict[str, Any]:
    """One repetition of one cell, on one side. Weir's hosts take up to `jitter` us for a frame."""
    runner = importlib.import_module({"linux": "kernel", "weir": "ours", "ns3": "ns3sim"}[side])
    if side == "weir":
        runner.jitter_us = jitter
    begin = time.monotonic()
    if isinstance(work, Cell):
        figures = runner.cell(work, repetition)
    elif isinstance(work, ShortFlows):
        figures = runner.short_flows(work)
    else:
        figures = runner.datagrams(work)
    took = round(time.monotonic() - begin, 1)
    return {"name": work.name, "repetition": repetition, "took_s": took, **figures}


def run(side: str, out: Path, only: str, repeat: int, jobs: int, jitter: int | None) -> None:
    """Runs the cells whose results are not in `out` yet."""
    done = set()
    if out.exists():
        for line in out.read_text().splitlines():
            entry = json.loads(line)
            done.add((entry["name"], entry["repetition"]))
    wanted = [
        (work, repetition)
        for repetition in range(1, repeat + 1)
        for work in all_cells()
        if re.search(only, work.name) and (work.name, repetition) not in done
    ]
    with ProcessPoolExecutor(jobs) as pool, out.open("a") as file:
        futures = {pool.submit(run_one, side, *one, jitter): one for one in wanted}
        try:
            for future in as_completed(futures):
                work, repetition = futures[future]
                if error := future.exception():
                    print(f"{work.name}, repetition {repetition}: {error!r}", file=sys.stderr)
                    continue
                file.write(json.dumps(future.result()) + "\n")
                file.flush()
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def read(file: Path) -> dict[str, list[dict[str, Any]]]:
    """The repetitions of each cell."""
    cells: dict[str, list[dict[str, Any]]] = {}
    for line in file.read_text().splitlines():
        entry = json.loads(line)
        cells.setdefault(entry["name"], []).append(entry)
    return cells


METRICS = ("goodput", "queue_ms", "retransmits", "completion_ms", "round_trip_ms", "loss_percent")
VERDICTS = ("differs", "differs from one run", "Linux varies")
# The largest factor between two values that count as the same.
FACTORS = {"retransmits": 1.5}
FACTOR = 1.1


def figures(runs: list[dict[str, Any]], metric: str) -> list[list[float]]:
    """The values of a metric in all runs, one list for each flow."""
    values = [run.get(metric) for run in runs]
    if not values or any(value is None for value in values):
        return []
    # Losses of TCP flows are retransmissions.
    if metric == "loss_percent" and "goodput" in runs[0]:
        return []
    rows = [value if isinstance(value, list) else [value] for value in values]
    return [list(flow) for flow in zip(*rows, strict=True)]


def text(value: float) -> str:
    """Four digits, or a whole number."""
    return f"{value:.4g}" if value < 10_000 else f"{value:.0f}"


def is_same(metric: str, values: list[float]) -> bool:
    """Whether values differ by no more than the factor for this metric."""
    return max(values) <= FACTORS.get(metric, FACTOR) * min(values)


def compare(theirs: list[dict[str, Any]], own: list[dict[str, Any]]) -> tuple[dict[str, str], str]:
    """For each metric the medians of Linux and Weir and their ratio, and how they compare."""
    cells, verdicts = {}, set()
    for metric in METRICS:
        parts = []
        flows = figures(theirs, metric)
        others = figures(own, metric) or [[] for _ in flows]
        if not flows:
            others = []
        for linux, weir in zip(flows, others, strict=True):
            median = statistics.median(linux)
            repeats = is_same(metric, linux)
            varies = "" if repeats else f" ({text(min(linux))} to {text(max(linux))})"
            if not weir:
                parts.append(f"{text(median)}{varies} / ?")
                continue
            value = statistics.median(weir)
            ratio = f" = {value / median:.2f}" if median else ""
            parts.append(f"{text(median)}{varies} / {text(value)}{ratio}")
            if not is_same(metric, [median, value]):
                once = "differs from one run" if len(linux) == 1 else "differs"
                verdicts.add(once if repeats else "Linux varies")
        cells[metric] = ", ".join(parts)
    return cells, next((verdict for verdict in VERDICTS if verdict in verdicts), "same")


def table(linux: Path, weir: Path, only: str) -> None:
    """Prints each metric as Linux / Weir = ratio, in Markdown, and whether the values are the same:
    within 10 %, retransmissions within a factor of 1.5. Where the runs of Linux differ by more,
    their range follows."""
    theirs, ours = read(linux), read(weir)
    names = [work.name for work in all_cells() if re.search(only, work.name) and work.name in theirs]
    compared = {name: compare(theirs[name], ours.get(name, [])) for name in names}
    used = [metric for metric in METRICS if any(cells[metric] for cells, _ in compared.values())]
    print("| cell | " + " | ".join(used) + " | |")
    print("|---|" + "---|" * len(used) + "---|")
    for name, (cells, verdict) in compared.items():
        print(f"| {name} | " + " | ".join(cells[metric] for metric in used) + f" | {verdict} |")


def record(linux: Path, csv: Path) -> None:
    """Writes the medians and ranges of cells with one flow."""
    metrics = METRICS[:3]
    lines = ["name," + ",".join(f"{metric},{metric}_range" for metric in metrics)]
    runs = read(linux)
    for name in (work.name for work in all_cells() if work.name in runs):
        values = [figures(runs[name], metric) for metric in metrics]
        if all(len(flows) == 1 for flows in values):
            numbers = [f"{statistics.median(v):.3f},{max(v) - min(v):.3f}" for [v] in values]
            lines.append(f"{name}," + ",".join(numbers))
    csv.write_text("\n".join(lines) + "\n")


def print_noise() -> None:
    """Prints how late single frames and their answers are on the path, and the variation of one
    direction, to which `ours.NOISE_US` must be set."""
    percentiles = (10, 25, 50, 75, 90, 99)
    for rate in (10e6, 100e6):
        late = importlib.import_module("kernel").frame_delays(rate, 10, 8000, 0.0024)
        values = np.percentile(late, percentiles)
        texts = [f"{at} %: {value:.0f} us" for at, value in zip(percentiles, values, strict=True)]
        # A uniform spread has 80 % of its width between these percentiles; the spreads of two
        # directions add as squares.
        width = (values[4] - values[0]) / 0.8 / 2**0.5
        print(f"{rate / 1e6:.0f} Mbit/s, both directions: {', '.join(texts)}; one: {width:.0f} us wide")


def terminated(*_: object) -> None:
    """Makes SIGTERM end with the same clean-up as Ctrl-C."""
    raise KeyboardInterrupt


def main() -> None:
    """Runs the command."""
    signal.signal(signal.SIGTERM, terminated)
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    for side in ("linux", "weir", "ns3"):
        command = commands.add_parser(side)
        command.add_argument("out", type=Path)
        command.add_argument("--only", default="", help="names that match this expression")
        command.add_argument("--repeat", type=int, default=3)
        command.add_argument("--jobs", type=int, default=1)
        if side == "weir":
            command.add_argument("--jitter", type=int, help="us that hosts take for a frame at most")
    command = commands.add_parser("table")
    command.add_argument("linux", type=Path)
    command.add_argument("weir", type=Path)
    command.add_argument("--only", default="", help="names that match this expression")
    command = commands.add_parser("record")
    command.add_argument("linux", type=Path)
    command.add_argument("csv", type=Path)
    commands.add_parser("noise")
    arguments = parser.parse_args()
    if arguments.command == "table":
        table(arguments.linux, arguments.weir, arguments.only)
    elif arguments.command == "noise":
        print_noise()
    elif arguments.command == "record":
        record(arguments.linux, arguments.csv)
    else:
        side, jitter = arguments.command, getattr(arguments, "jitter", None)
        run(side, arguments.out, arguments.only, arguments.repeat, arguments.jobs, jitter)


if __name__ == "__main__":
    main()
