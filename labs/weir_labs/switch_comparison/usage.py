"""Measures the processor time and memory of a switch during a flow."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import weir
from weir.errors import NetworkError

if TYPE_CHECKING:
    from weir.linux.process import Process

SAMPLER: Final = Path(__file__).with_name("sampler.py")
_INTERVAL_MS: Final = 100


@dataclass(frozen=True)
class UsageSample:
    """The counters that the sampler printed in one line; see ``sampler.py``."""

    time_ns: int
    cpu_ns: int
    rss_kb: int
    voluntary: int
    involuntary: int
    softirq_ns: int
    busy_ns: int
    frames: int


@dataclass(frozen=True)
class Usage:
    """The usage of a switch and of the processors between two samples.

    Attributes:
        cpu_percent: processor time of the switch's processes; 100 is one processor.
        softirq_percent: the time of all processors in softirqs; 100 is one processor.
        busy_percent: the busy time of all processors; 100 is one processor.
        switches_per_s: the context switches of the switch's threads per second.
        frames_per_s: the frames that the switch's interfaces sent per second.
        cpu_us_per_frame: the processor time per frame of the switch's processes, in microseconds;
            ``None`` if there were no frames.
        rss_mb: the resident memory at the end, in megabytes.
        rss_max_mb: the maximum of the resident memory, in megabytes.
        pss_mb: the switch's proportional memory (PSS) in megabytes; ``None`` if unknown.
    """

    cpu_percent: float
    softirq_percent: float
    busy_percent: float
    switches_per_s: float
    frames_per_s: float
    cpu_us_per_frame: float | None
    rss_mb: float
    rss_max_mb: float
    pss_mb: float | None


class Sampler:
    """A sampler that runs ten times a second from its creation until :meth:`finish` or the end of
    the network.

    Args:
        net: the network of the switch.
        node: the node in which the sampler runs.
        processes: the switch's processes.
        file: the file for the figures.
    """

    def __init__(self, net: weir.Network, node: str, processes: Sequence[Process], file: Path) -> None:
        pids = [str(process.pid) for process in processes]
        words = [sys.executable, "-S", str(SAMPLER), str(_INTERVAL_MS), *pids]
        self._file = file
        with file.open("w", encoding="utf-8") as out:
            self._process = net.host(node).popen(words, stdout=out)
        self.begin_ns = time.monotonic_ns()
        self.looks: list[UsageSample] = []
        self._pss_kb = 0

    def finish(self) -> None:
        """Stops sampling.

        Raises:
            NetworkError: the switch has exited, or its figures cannot be read.
        """
        self._process.terminate()
        code = self._process.wait(timeout=20)
        text = self._file.read_text(encoding="utf-8")
        if code or not text:
            raise NetworkError(f"the switch cannot be measured: {text.strip()[-300:]}")
        *lines, last = text.splitlines()
        self.looks = [UsageSample(*map(int, line.split())) for line in lines]
        self._pss_kb = int(last)

    def usage(self, begin_ns: int, end_ns: int) -> Usage:
        """Computes the usage between two times of the monotonic clock."""
        inside = [look for look in self.looks if begin_ns <= look.time_ns <= end_ns]
        if len(inside) < 2:
            raise NetworkError("there are no samples, because the processors were too busy")
        first, last = inside[0], inside[-1]
        time_ns = last.time_ns - first.time_ns
        frames, cpu_ns = last.frames - first.frames, last.cpu_ns - first.cpu_ns
        switches = last.voluntary + last.involuntary - first.voluntary - first.involuntary
        return Usage(
            cpu_percent=100 * cpu_ns / time_ns,
            softirq_percent=100 * (last.softirq_ns - first.softirq_ns) / time_ns,
            busy_percent=100 * (last.busy_ns - first.busy_ns) / time_ns,
            switches_per_s=1e9 * switches / time_ns,
            frames_per_s=1e9 * frames / time_ns,
            cpu_us_per_frame=cpu_ns / 1e3 / frames if frames else None,
            rss_mb=last.rss_kb / 1e3,
            rss_max_mb=max(look.rss_kb for look in inside) / 1e3,
            pss_mb=self._pss_kb / 1e3 if self._pss_kb else None,
        )
