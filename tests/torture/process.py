"""A worker process seen from outside: its answers, its processor time, its memory."""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Final

from torture.case import Class

_POLL_SECONDS: Final = 0.05
_TICKS: Final = os.sysconf("SC_CLK_TCK")
_PAGE: Final = os.sysconf("SC_PAGE_SIZE")


class Worker:
    """A process that runs cases of one class.

    Args:
        tortured: the class.
        seed: the seed of the cases.
        kind: the kind of all cases, or None.
    """

    def __init__(self, tortured: Class, seed: int, kind: str | None) -> None:
        self._class = tortured
        self.cases = 0
        self._process = subprocess.Popen(
            [
                sys.executable,
                str(Path(__file__).with_name("worker.py")),
                tortured.name,
                str(seed),
                kind or "",
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,  # ends with its children
        )

    def run(self, number: int) -> dict[str, Any]:
        """Runs a case; returns its kind, and its outcome or its failure.

        A failure can end the worker.
        """
        assert self._process.stdin is not None and self._process.stdout is not None
        self.cases += 1
        begin, used = time.monotonic(), self._cpu_seconds()
        self._process.stdin.write(f"{number}\n".encode())
        self._process.stdin.flush()
        peak, seconds = 0.0, 0
        while not select.select([self._process.stdout], [], [], _POLL_SECONDS)[0]:
            peak, cpu = max(peak, self.megabytes()), self._cpu_seconds() - used
            # On a busy machine, what computes does not hang.
            if int(cpu) > seconds:
                seconds, begin = int(cpu), time.monotonic()
            exceeded = self._exceeded(time.monotonic() - begin, cpu, peak)
            if exceeded:
                self.close()
                return {"number": number, "failure": exceeded}
        line = self._process.stdout.readline()
        if not line:
            return {"number": number, "failure": f"the process ended: {_reason(self._process.wait())}"}
        cpu = self._cpu_seconds() - used
        answer = {**json.loads(line), "cpu": cpu, "megabytes": max(peak, self.megabytes())}
        exceeded = self._exceeded(time.monotonic() - begin, cpu, answer["megabytes"])
        return answer if exceeded is None else {"failure": exceeded, **answer}

    def _exceeded(self, wall: float, cpu: float, megabytes: float) -> str | None:
        bounds = self._class
        if cpu > bounds.cpu_seconds:
            return f"took more than {bounds.cpu_seconds:g} s of processor time"
        if wall > bounds.wall_seconds:
            return f"hangs: no answer after {bounds.wall_seconds:g} s, {cpu:.1f} s of processor time"
        if megabytes > bounds.megabytes:
            return f"used more than {bounds.megabytes} MB of memory"
        return None

    @property
    def alive(self) -> bool:
        """Whether it can run another case."""
        return self._process.poll() is None

    def megabytes(self) -> float:
        """Resident memory now."""
        try:
            pages = int(Path(f"/proc/{self._process.pid}/statm").read_text().split()[1])
        except (OSError, IndexError):
            return 0.0
        return pages * _PAGE / 1e6

    def _cpu_seconds(self) -> float:
        """Processor time of the process and of its children that ended."""
        try:
            fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return 0.0
        return sum(map(int, fields[11:15])) / _TICKS

    def close(self) -> None:
        """Ends the worker and the processes that it started."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            assert stream is not None
            with contextlib.suppress(BrokenPipeError):
                stream.close()


def _reason(code: int) -> str:
    return signal.Signals(-code).name if code < 0 else f"exit code {code}"
