"""Looks at processes and processors many times a second: ``python sampler.py SECONDS MS [PID …]``.

It ends after so many seconds, or at SIGTERM. It runs in the network's PID namespace, so it sees the
switch by the number that the network knows. It prints a line for each look, times in nanoseconds:
the clock; the processor time of the processes; their resident memory in kilobytes; their context
switches, voluntary and not; the time of all processors in softirqs; the time in which they were
busy. The last line has the processes' proportional memory (PSS), in kilobytes, or 0 where the
kernel does not say.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

_TICK_NS = 1_000_000_000 // os.sysconf("SC_CLK_TCK")
_PAGE_KB = os.sysconf("SC_PAGE_SIZE") // 1024


def process(pid: str) -> list[int]:
    """Processor time, resident memory, voluntary and other context switches of a process."""
    place = Path("/proc", pid)
    time_ns = voluntary = other = 0
    for thread in (place / "task").iterdir():
        try:
            time_ns += int((thread / "schedstat").read_text().split()[0])
            status = (thread / "status").read_text()
        except OSError:
            # The thread has ended.
            continue
        voluntary += int(status.partition("\nvoluntary_ctxt_switches:")[2].split(None, 1)[0])
        other += int(status.partition("\nnonvoluntary_ctxt_switches:")[2].split(None, 1)[0])
    return [time_ns, int((place / "statm").read_text().split()[1]) * _PAGE_KB, voluntary, other]


def processors() -> list[int]:
    """The time of all processors in softirqs, and in which they were busy."""
    _, nice, system, idle, waiting, irq, softirq = ticks = [
        int(word) for word in Path("/proc/stat").read_text().partition("\n")[0].split()[1:8]
    ]
    del nice, system, irq
    return [softirq * _TICK_NS, (sum(ticks) - idle - waiting) * _TICK_NS]


def proportional(pid: str) -> int:
    """A process's share of the memory that it uses, in kilobytes."""
    try:
        text = Path("/proc", pid, "smaps_rollup").read_text()
    except OSError:
        return 0
    return int(text.partition("\nPss:")[2].split(None, 1)[0])


def main(seconds: str, milliseconds: str, *pids: str) -> int:
    """Prints until the time is over."""
    if str(Path("/proc/self").readlink()) != str(os.getpid()):
        print("/proc does not show this namespace's processes", file=sys.stderr)
        return 1
    ends: list[int] = []
    signal.signal(signal.SIGTERM, lambda number, _: ends.append(number))
    look = time.monotonic_ns()
    end, step = look + int(float(seconds) * 1e9), int(milliseconds) * 1_000_000
    while look < end and not ends:
        found = [process(pid) for pid in pids] or [[0] * 4]
        sums = [sum(column) for column in zip(*found, strict=True)]
        print(time.monotonic_ns(), *sums, *processors(), flush=True)
        look += step
        time.sleep(max(0, look - time.monotonic_ns()) / 1e9)
    print(sum(proportional(pid) for pid in pids), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
