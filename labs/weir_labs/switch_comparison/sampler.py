"""Samples the usage of processes and processors every MS milliseconds: ``python sampler.py MS [PID
…]``.

The program exits on SIGTERM. It runs in the network's PID namespace, so process numbers are those
of the network. The figures of a process include those of the processes that it starts. The program
prints a line for each sample, with times in nanoseconds: the clock; the processor time of the
processes; their resident memory in kilobytes; their context switches, voluntary and not; the time
of all processors in softirqs; the time in which they were busy; the frames that the network's
interfaces have sent. The last line has the processes' proportional memory (PSS), in kilobytes, or 0
if the kernel does not report it.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path

_TICK_NS = 1_000_000_000 // os.sysconf("SC_CLK_TCK")
_PAGE_KB = os.sysconf("SC_PAGE_SIZE") // 1024


class ProcessTree:
    """The counters of processes and of all processes that they start.

    The processor time and context switches of threads and processes that have exited still count,
    with their last sampled values.

    Args:
        roots: the numbers of the first processes.
    """

    def __init__(self, roots: Sequence[int]) -> None:
        self._roots = roots
        self._known = set(roots)
        # For each process and thread: processor time, voluntary and other context switches.
        self._threads: dict[tuple[int, int], tuple[int, int, int]] = {}

    def sample(self) -> list[int]:
        """Samples processor time, resident memory, and voluntary and other context switches of all
        processes.

        Raises:
            ProcessLookupError: one of the first processes has ended.
        """
        resident = 0
        for pid in self.members():
            try:
                resident += self._process(pid)
            except OSError:
                if pid in self._roots:
                    raise ProcessLookupError(f"process {pid} has ended") from None
        time_ns, voluntary, other = (sum(column) for column in zip(*self._threads.values(), strict=True))
        return [time_ns, resident, voluntary, other]

    def members(self) -> list[int]:
        """Finds the numbers of all running processes in the tree."""
        parents = _parents()
        # A process's number is larger than its parent's, except where numbers restart.
        for pid in sorted(parents):
            if parents[pid] in self._known:
                self._known.add(pid)
        self._known &= {*parents, *self._roots}
        return sorted(self._known)

    def _process(self, pid: int) -> int:
        """Stores the counters of a process's threads; returns the process's resident memory in
        kilobytes."""
        place = Path("/proc", str(pid))
        for thread in (place / "task").iterdir():
            try:
                time_ns = int((thread / "schedstat").read_text().split()[0])
                status = (thread / "status").read_text()
            except OSError:
                # The thread has ended in the meantime.
                continue
            voluntary, other = (
                int(status.partition(f"\n{name}_ctxt_switches:")[2].split(None, 1)[0])
                for name in ("voluntary", "nonvoluntary")
            )
            self._threads[pid, int(thread.name)] = (time_ns, voluntary, other)
        return int((place / "statm").read_text().split()[1]) * _PAGE_KB


def _parents() -> dict[int, int]:
    """Returns the parent's number of each process, by process number."""
    parents = {}
    for place in Path("/proc").iterdir():
        if place.name.isdigit():
            try:
                # The process's name in brackets may contain any characters.
                parents[int(place.name)] = int((place / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                # The process has ended in the meantime.
                continue
    return parents


def processors() -> list[int]:
    """Reads the nanoseconds that all processors spent in softirqs, and those in which they were
    busy."""
    _, nice, system, idle, waiting, irq, softirq = ticks = [
        int(word) for word in Path("/proc/stat").read_text().partition("\n")[0].split()[1:8]
    ]
    del nice, system, irq
    return [softirq * _TICK_NS, (sum(ticks) - idle - waiting) * _TICK_NS]


def frames() -> int:
    """Counts the frames that this network namespace's interfaces have sent, without the loopback
    interface."""
    lines = Path("/proc/net/dev").read_text().splitlines()[2:]
    fields = [(name.strip(), counts.split()) for name, _, counts in (line.partition(":") for line in lines)]
    return sum(int(counts[9]) for name, counts in fields if name != "lo")


def proportional_memory_kb(pid: int) -> int:
    """Reads a process's proportional memory (PSS) in kilobytes; returns 0 if the kernel does not
    report it."""
    try:
        text = Path("/proc", str(pid), "smaps_rollup").read_text()
    except OSError:
        return 0
    return int(text.partition("\nPss:")[2].split(None, 1)[0])


def main(milliseconds: str, *pids: str) -> int:
    """Prints a sample at each interval until SIGTERM; returns the exit code."""
    if str(Path("/proc/self").readlink()) != str(os.getpid()):
        print("/proc does not show this namespace's processes", file=sys.stderr)
        return 1
    ends: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, _: ends.append(number))
    family = ProcessTree([int(pid) for pid in pids])
    look, step = time.monotonic_ns(), int(milliseconds) * 1_000_000
    while not ends:
        sample = family.sample() if pids else [0] * 4
        print(time.monotonic_ns(), *sample, *processors(), frames(), flush=True)
        look += step
        time.sleep(max(0, look - time.monotonic_ns()) / 1e9)
    print(sum(proportional_memory_kb(pid) for pid in family.members()), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
