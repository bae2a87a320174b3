"""The processors' activity over a period: /proc/stat and /proc/net/softnet_stat (proc(5))."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Usage:
    """The activity of all processors during a period.

    Attributes:
        busy_percent: the share of the period in which the processors were not idle.
        kernel_percent: the share in system calls.
        softirq_percent: the share in softirqs, in which the kernel moves packets.
        backlog_drops: packets that the kernel dropped because it was too slow to take them from
            its queues between interfaces.
        squeezed: how often the kernel had to stop taking packets because the time for one turn was
            over.
    """

    busy_percent: float
    kernel_percent: float
    softirq_percent: float
    backlog_drops: int
    squeezed: int


class Processors:
    """Counts the processors' activity from the creation of this object on."""

    def __init__(self) -> None:
        self._times, self._packets = _times(), _packets()

    def usage(self) -> Usage:
        """Computes the activity since this object was created."""
        times = [now - then for now, then in zip(_times(), self._times, strict=True)]
        drops, squeezed = (now - then for now, then in zip(_packets(), self._packets, strict=True))
        _, _, system, idle, waiting, irq, softirq = times
        total = max(sum(times), 1)
        return Usage(
            busy_percent=100 * (total - idle - waiting) / total,
            kernel_percent=100 * (system + irq) / total,
            softirq_percent=100 * softirq / total,
            backlog_drops=drops,
            squeezed=squeezed,
        )


def _times() -> list[int]:
    """Reads the times of all processors: user, nice, system, idle, waiting for disks, interrupts,
    softirqs."""
    first = Path("/proc/stat").read_text(encoding="ascii").partition("\n")[0]
    return [int(word) for word in first.split()[1:8]]


def _packets() -> tuple[int, int]:
    """Reads the number of dropped packets, and of turns that ended too early, on all processors."""
    lines = Path("/proc/net/softnet_stat").read_text(encoding="ascii").splitlines()
    rows = [[int(word, 16) for word in line.split()[:3]] for line in lines]
    return sum(row[1] for row in rows), sum(row[2] for row in rows)
