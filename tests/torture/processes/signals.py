"""Runs that are killed or interrupted while they write results."""

from __future__ import annotations

import random
import signal
import time
from pathlib import Path

from torture.case import Case, Failed
from torture.processes import command, results
from torture.processes.command import NETWORK

_SIGNALS = [
    signal.SIGKILL,
    signal.SIGKILL,
    signal.SIGINT,
    signal.SIGINT,
    signal.SIGTERM,
    signal.SIGHUP,
    signal.SIGQUIT,
]


def signals(chance: random.Random) -> Case:
    """A run that writes results and gets a signal at a random time."""
    number = chance.choice(_SIGNALS)
    delay = chance.choice([0.0, 0.05, 0.2, 0.5, 1.0, 3.0]) * chance.uniform(0.5, 2)
    rows = chance.choice([3, 1000])
    plot = chance.choice([None, "a.png", "a.svg", "a.pdf"])
    long = chance.random() < 0.5
    args = ["ping", *NETWORK, "-c", str(rows), "-i", "0.001", "--csv", "a.csv", "--pcap", "captures"]
    if chance.random() < 0.4:
        args = ["iperf", *NETWORK, "-t", "5" if long else "0.1", "--csv", "a.csv", "--pcap", "captures"]
    args += ["--plot", plot] if plot else []
    times = chance.choice([1, 1, 2])

    def run(folder: Path) -> str:
        files = [
            folder / name
            for name in ("a.csv", plot, "captures/h1_s1-p1.pcapng", "captures/h2_s1-p2.pcapng")
            if name
        ]
        results.prepare(files)
        process = command.start(args, folder)
        for _ in range(times):
            time.sleep(delay)
            if process.poll() is None:
                process.send_signal(number)
        ended = command.end(process)
        if number == signal.SIGINT:
            # Before Python can catch it, the signal ends the process, or interrupts an import.
            early = delay < 2 and "KeyboardInterrupt" in ended.err
            if not early:
                ended.check(0, 130, -number)
            if not early and ended.code >= 0 and "Traceback" not in ended.err:
                results.check_no_partial(folder)
        else:
            ended.check(0, -number)
        states = [
            results.check(path, rows if path.suffix == ".csv" and args[0] == "ping" else None)
            for path in files
        ]
        if ended.code == 0 and set(states) != {"new"}:
            raise Failed(f"ended well, with results {states}")
        return "ended" if ended.code == 0 else "ended early"

    return Case("signals", run, {"command.txt": f"{args}\n{number.name} after {delay} s, {times} times\n"})


def together(chance: random.Random) -> Case:
    """Runs that write the same files at the same time: each file is one run's, and whole."""
    plot = chance.choice(["a.png", "a.svg"])
    counts = [chance.choice([3, 300]) for _ in range(chance.choice([2, 3]))]
    args = ["ping", *NETWORK, "-i", "0.001", "--csv", "a.csv", "--pcap", "captures", "--plot", plot]

    def run(folder: Path) -> str:
        started = [command.start([*args, "-c", str(count)], folder) for count in counts]
        for process in started:
            command.end(process).check(0)
        for name in ("a.csv", plot, "captures/h1_s1-p1.pcapng", "captures/h2_s1-p2.pcapng"):
            if results.check(folder / name) != "new":
                raise Failed(f"{name} is not there")
        rows = (folder / "a.csv").read_bytes().count(b"\n") - 1
        if rows not in counts:
            raise Failed(f"a.csv has {rows} rows, of runs with {counts}")
        results.check_no_partial(folder)
        return "done"

    return Case("together", run, {"command.txt": f"{args}\n-c {counts}\n"})


def labs(chance: random.Random) -> Case:
    """A lab that is killed and resumed, or that runs twice into one folder."""
    delay, twice = chance.uniform(0, 4), chance.random() < 0.4
    number = chance.choice([signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
    args = ["lab", "run", "delay", "--quick", "--only", "rtt", "--out", "result"]

    def run(folder: Path) -> str:
        result = folder / "result"
        if twice:
            ends = [command.end(process) for process in [command.start(args, folder) for _ in range(2)]]
            for ended in ends:
                ended.check(0, 1)
            if all(ended.code for ended in ends):
                raise Failed(f"neither run ended well: {[ended.err for ended in ends]}")
        else:
            process = command.start(args, folder)
            time.sleep(delay)
            process.send_signal(number)
            ended = command.end(process)
            if "KeyboardInterrupt" not in ended.err:
                ended.check(0, 130, -number)
            _check_files(result)
            command.end(command.start(args, folder)).check(0)
        _check_files(result)
        if not (result / "report.html").exists() or not (result / "rtt" / "runs.parquet").exists():
            raise Failed("the result is not complete")
        return "twice" if twice else "went on"

    return Case("labs", run, {"command.txt": f"{args}\ntwice: {twice}, else {number.name} after {delay} s\n"})


def _check_files(folder: Path) -> None:
    for path in filter(Path.is_file, folder.rglob("*")):
        results.check(path)
