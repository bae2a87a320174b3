"""How long the compiler takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import perf_counter

from weir.program import check, compile


@dataclass(frozen=True)
class CompileTimes:
    """Medians over the rounds, in seconds.

    Attributes:
        program: the program's file.
        lines: its lines, without what it includes.
        check: reading, checking, and looking for warnings.
        ready: all that is done until the first packet could come: checking, lowering, passes, making the executor.
        rounds: how often each was measured.
    """

    program: str
    lines: int
    check: float
    ready: float
    rounds: int


def time_compiler(
    path: str, include: Sequence[str] = (), defines: Mapping[str, str] | None = None, *, rounds: int = 5
) -> CompileTimes:
    """Measures how long checking and making ready a program take, in this process.

    Raises:
        CompileError: the program has errors.
    """
    ready = [_seconds(lambda: compile(path, include, defines)) for _ in range(rounds)]
    checked = [_seconds(lambda: check(path, include, defines)) for _ in range(rounds)]
    lines = len(Path(path).read_text(encoding="utf-8", errors="replace").splitlines())
    return CompileTimes(path, lines, median(checked), median(ready), rounds)


def _seconds(work: Callable[[], object]) -> float:
    start = perf_counter()
    work()
    return perf_counter() - start
