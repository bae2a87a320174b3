"""Kills an experiment of 200 runs three times and resumes it, and measures the time of two workers.

``make sweep`` runs it: with one worker, with two, and on a Dask cluster of two workers. The tables
must have the bytes of those of an experiment that was not killed. It ends with exit code 1 if they
do not.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

BIN = Path(sys.executable).parent
RUNS = 200
KILLED_AFTER = (30, 80, 140)
"""Runs that are done when the experiment is killed."""
LIMIT_S = 900

EXPERIMENT = '''
import weir
from weir.topology import shapes


@weir.experiment(rate=["1Mbit", "2Mbit", "5Mbit", "10Mbit"], queue=["8p", "16p", "32p", "64p", "128p"], seeds=10)
def sweep(rate, queue, seed):
    """How long does a packet wait behind a TCP flow?"""
    with weir.Network(shapes.dumbbell(2, middle_rate=rate, queue=queue), seed=seed, noise="realistic") as net:
        net.host("h1").start_iperf("h3", duration="20s")
        ping = net.host("h2").ping("h4", count=200, interval="100ms")
        return {"rtt_max_ms": ping.rtt_max_ms, "lost": ping.lost, "rtt": ping.rtts}
'''


def start(folder: Path, out: str, options: Sequence[str]) -> subprocess.Popen[bytes]:
    """Starts the experiment in a process group of its own."""
    arguments = ["experiment", "run", "sweep.py", "--out", out, "--quiet", *options]
    return subprocess.Popen(
        [BIN / "weir", *arguments], cwd=folder, stdout=subprocess.DEVNULL, start_new_session=True
    )


def seconds(folder: Path, out: str, options: Sequence[str]) -> float:
    """The time of an experiment that is not killed."""
    begin = time.monotonic()
    if start(folder, out, options).wait(LIMIT_S) != 0:
        sys.exit(f"the experiment failed: {' '.join(options)}")
    return time.monotonic() - begin


def killed(folder: Path, out: str, options: Sequence[str]) -> list[int]:
    """Kills the experiment three times, then lets it end.

    Returns:
        The number of finished runs at each kill.
    """
    runs = []
    for wanted in KILLED_AFTER:
        process = start(folder, out, options)
        end = time.monotonic() + LIMIT_S
        while len(done(folder / out)) < wanted:
            if process.poll() is not None or time.monotonic() > end:
                sys.exit(f"the experiment ended before {wanted} runs: {' '.join(options)}")
            time.sleep(0.02)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        runs.append(len(done(folder / out)))
    seconds(folder, out, options)
    return runs


def done(out: Path) -> list[Path]:
    """The records of complete runs."""
    return list((out / "runs").glob("[!.]*.json"))


def tables(out: Path) -> dict[str, bytes]:
    """The tables' bytes by file."""
    return {path.name: path.read_bytes() for path in sorted(out.glob("*.parquet"))}


@contextmanager
def cluster(folder: Path) -> Iterator[str]:
    """A Dask scheduler at loopback and two workers, as processes."""
    port_file = folder / "scheduler.json"
    dask = [str(BIN / "dask")]
    file = ["--scheduler-file", str(port_file)]
    quiet = {"cwd": folder, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    started = [
        subprocess.Popen(
            [*dask, "scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard", *file],
            **quiet,  # type: ignore[call-overload]
        )
    ]
    try:
        end = time.monotonic() + 60
        while not port_file.exists() and time.monotonic() < end:
            time.sleep(0.1)
        for _ in range(2):
            options = ["--nthreads", "1", "--no-dashboard", *file]
            started.append(subprocess.Popen([*dask, "worker", *options], **quiet))  # type: ignore[call-overload]
        yield json.loads(port_file.read_text(encoding="utf-8"))["address"]
    finally:
        for process in reversed(started):
            process.terminate()
            process.wait(30)


def main() -> int:
    """Prints a line for each way to run, and the ratio of times."""
    same = True
    with tempfile.TemporaryDirectory(prefix="weir-sweep-") as name:
        folder = Path(name)
        (folder / "sweep.py").write_text(EXPERIMENT, encoding="utf-8")
        one = seconds(folder, "whole", ["--workers", "1"])
        expected = tables(folder / "whole")
        assert len(done(folder / "whole")) == RUNS
        assert expected
        two = seconds(folder, "two", ["--workers", "2"])
        same &= tables(folder / "two") == expected
        print(
            f"{RUNS} runs: one worker {one:.1f} s, two workers {two:.1f} s, ratio {two / one:.2f} (limit 0.60)",
            flush=True,
        )
        with cluster(folder) as address:
            ways = {
                "1 worker": ["--workers", "1"],
                "2 workers": ["--workers", "2"],
                "Dask": ["--on", address],
            }
            for number, (way, options) in enumerate(ways.items()):
                at = killed(folder, f"killed-{number}", options)
                equal = tables(folder / f"killed-{number}") == expected
                same &= equal
                verdict = "the same bytes" if equal else "OTHER BYTES"
                print(f"{way}: killed after {', '.join(map(str, at))} runs; {verdict}", flush=True)
    return 0 if same else 1


if __name__ == "__main__":
    sys.exit(main())
