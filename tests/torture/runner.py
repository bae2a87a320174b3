"""Runs the cases of a class and records failed cases."""

from __future__ import annotations

import math
import shlex
import shutil
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from torture.case import Class
from torture.process import Worker

_CASES_PER_WORKER: Final = 500
"""After so many cases a worker is replaced, and its memory is compared with that before."""

_WARM_UP: Final = 50
"""Cases after which a worker's caches have their size."""

_LEAK_MEGABYTES: Final = 400
"""Growth of a worker's memory that is a failure."""


@dataclass
class Outcome:
    """The results of the cases of a class.

    Attributes:
        cases: the number of cases that ran.
        outcomes: how often each kind had each outcome.
        failures: the numbers of the cases that failed, with the reason.
        cpu: processor time of all cases in seconds.
        slowest: the longest processor time of a case, with its number.
        largest: the largest memory of a case in megabytes, with the case's number.
    """

    cases: int = 0
    outcomes: Counter[tuple[str, str]] = field(default_factory=Counter)
    failures: list[tuple[int, str]] = field(default_factory=list)
    cpu: float = 0.0
    slowest: tuple[float, int] = (0.0, -1)
    largest: tuple[float, int] = (0.0, -1)

    def lines(self) -> list[str]:
        """A summary: a line for each kind, and the totals."""
        kinds = sorted({kind for kind, _ in self.outcomes})
        width = max(map(len, kinds), default=0)
        lines = []
        for kind in kinds:
            words = sorted((word, count) for (own, word), count in self.outcomes.items() if own == kind)
            lines.append(f"  {kind:{width}}  " + ", ".join(f"{count} {word}" for word, count in words))
        lines.append(
            f"  {self.cases} cases, {len(self.failures)} failed, {self.cpu:.0f} s of processor time; "
            f"slowest {self.slowest[0]:.1f} s (case {self.slowest[1]}), "
            f"largest {self.largest[0]:.0f} MB (case {self.largest[1]})"
        )
        return lines


def run(
    tortured: Class,
    seed: int,
    numbers: Iterable[int],
    out: Path,
    *,
    kind: str | None = None,
    jobs: int = 1,
    max_failures: int = 100,
    minutes: float = math.inf,
    progress: Callable[[Outcome], None] | None = None,
) -> Outcome:
    """Runs cases in worker processes.

    Args:
        tortured: the class of the cases.
        seed: the seed of the cases.
        numbers: the numbers of the cases.
        out: the folder for failed cases, each in its own folder.
        kind: the kind of all cases, instead of a random one.
        jobs: the number of processes at a time.
        max_failures: the number of failures after which no further case is begun.
        minutes: wall-clock time after which no further case is begun.
        progress: called after each case.
    """
    total = Outcome()
    lock = threading.Lock()
    end = time.monotonic() + 60 * minutes
    pending = iter(list(numbers))

    def take() -> int | None:
        with lock:
            ends = len(total.failures) >= max_failures or time.monotonic() >= end
            return None if ends else next(pending, None)

    def record(answer: dict[str, Any]) -> None:
        with lock:
            _record(total, tortured, seed, kind, answer, out)
            if progress is not None:
                progress(total)

    def work() -> None:
        worker: Worker | None = None
        warm = 0.0
        try:
            while (number := take()) is not None:
                worker = worker or Worker(tortured, seed, kind)
                answer = worker.run(number)
                if worker.alive:
                    if worker.cases == _WARM_UP:
                        warm = worker.megabytes()
                    elif worker.cases == _CASES_PER_WORKER:
                        grown = worker.megabytes() - warm
                        if grown > _LEAK_MEGABYTES:
                            message = f"{grown:.0f} MB more than {worker.cases - _WARM_UP} cases before"
                            answer.setdefault("failure", f"the process leaks: {message}")
                        worker.close()
                        worker = None
                else:
                    worker.close()
                    worker = None
                record(answer)
        finally:
            if worker is not None:
                worker.close()

    with ThreadPoolExecutor(jobs) as pool:
        for done in [pool.submit(work) for _ in range(jobs)]:
            done.result()
    return total


def _record(
    total: Outcome, tortured: Class, seed: int, kind: str | None, answer: dict[str, Any], out: Path
) -> None:
    number = answer["number"]
    total.cases += 1
    total.cpu += answer.get("cpu", 0.0)
    total.slowest = max(total.slowest, (answer.get("cpu", 0.0), number))
    total.largest = max(total.largest, (answer.get("megabytes", 0.0), number))
    failure = answer.get("failure")
    own = answer.get("kind") or tortured.make(seed, number, kind).kind
    total.outcomes[own, "failed" if failure else answer["outcome"]] += 1
    if failure:
        total.failures.append((number, failure))
        _write_failure(tortured, seed, number, kind, failure, out)


def _write_failure(
    tortured: Class, seed: int, number: int, kind: str | None, failure: str, out: Path
) -> None:
    """Writes the case's inputs, the failure, and the command to repeat the case."""
    folder = out / f"{tortured.name}-{seed}-{number}"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    case = tortured.make(seed, number, kind)
    for name, content in case.inputs.items():
        content = content.encode("utf-8", "surrogateescape") if isinstance(content, str) else content
        (folder / name).write_bytes(content)
    (folder / "failure.txt").write_text(f"{case.kind}\n\n{failure}\n", errors="replace")
    command = [sys.executable, str(Path(__file__).parent)]
    command += ["--class", tortured.name, "--seed", str(seed), "--case", str(number)]
    command += ["--kind", kind] if kind else []
    (folder / "repeat").write_text(f"#!/bin/sh\nexec {shlex.join(command)}\n")
    (folder / "repeat").chmod(0o755)


def counter(every: float = 5.0) -> Callable[[Outcome], None]:
    """Shows progress on standard error, every few seconds."""
    last = time.monotonic()

    def show(total: Outcome) -> None:
        nonlocal last
        if time.monotonic() - last >= every:
            last = time.monotonic()
            print(f"  {total.cases} cases, {len(total.failures)} failed", file=sys.stderr, flush=True)

    return show
