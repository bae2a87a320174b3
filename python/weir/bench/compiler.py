"""Measures the speed of the compiler."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from weir.program import compile_stages


@dataclass(frozen=True)
class CompileTimes:
    """The compile times of a program: the median time of each stage over the rounds, in
    seconds.

    Attributes:
        program: the program's file.
        lines: the number of lines of the program, without included files.
        rounds: the number of measurements of each stage.
    """

    program: str
    lines: int
    stages: Mapping[str, float]
    rounds: int

    @property
    def check(self) -> float:
        """The seconds for parsing, checking and warnings."""
        return self.stages["parse"] + self.stages["check"]

    @property
    def ready(self) -> float:
        """The seconds in all stages, after which the program can process its first packet."""
        return sum(self.stages.values())


def time_compiler(
    path: str,
    include: Sequence[str] = (),
    defines: Mapping[str, str] | None = None,
    *,
    executor: str | None = None,
    rounds: int = 5,
) -> CompileTimes:
    """Measures the time from a program's text to its first packet, in this process.

    Raises:
        FileError: the file cannot be read.
        P4Error: the program has errors.
        NetworkError: the program cannot run.
    """
    times = [compile_stages(path, include, defines, executor=executor) for _ in range(rounds)]
    stages = {stage: median(times_of_round[stage] for times_of_round in times) for stage in times[0]}
    lines = len(Path(path).read_text(encoding="utf-8", errors="replace").splitlines())
    return CompileTimes(path, lines, stages, rounds)
