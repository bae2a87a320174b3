"""Measures chains of switches on this computer, for ``weir lab fit`` and for ``--world linux``.

``python -m weir_labs.shared_computer.measure measured.csv`` measures chains of ``simple_switch``.
It needs Linux with network namespaces, iperf (version 2), ``simple_switch`` and ``p4c-bm2-ss`` on
the ``PATH``, and a computer that does nothing else. If other programs must run, start the
measurement with a real-time priority (``chrt -r 1``).
"""

from __future__ import annotations

import csv
import os
import re
import shutil
import subprocess
import sys
import time
from dataclasses import asdict
from pathlib import Path
from statistics import median
from typing import Final

import weir
from weir.errors import NetworkError

from .chain import H2, network
from .figures import DATAGRAM_BYTES, Figures, highest_goodput

LENGTHS: Final = (1, 2, 3, 5)
_UDP_REPORT: Final = re.compile(r"([\d.]+) Mbits/sec +[\d.]+ ms +(-?\d+)/ *(\d+)")
_TCP_REPORT: Final = re.compile(r"([\d.]+) Mbits/sec")


def measured(switches: int, switch: str, *, pings: int, seconds: float) -> Figures:
    """Measures an idle chain of real switches with ping and iperf.

    Args:
        switches: the number of switches.
        switch: the kind of switch.
        pings: the number of pings, 20 ms apart.
        seconds: the duration of each UDP flow; TCP has twice as long.

    Raises:
        NetworkError: iperf is missing, or a host cannot be reached.
    """
    if shutil.which("iperf") is None:
        raise NetworkError("there is no iperf (version 2) on the PATH: apt install iperf")
    with network(switches, world="linux", switch=switch) as net:
        net.host("h2").popen(["iperf", "-s"], stdout=subprocess.DEVNULL)
        _wait_for_answer(net)
        h1 = net.host("h1")
        trips = h1.ping("h2", count=pings, interval="20ms", size=56)

        def goodput(mbps: int) -> tuple[float, float]:
            # Each rate has its own server, because a server that was overloaded might not report
            # anything afterwards.
            server = net.host("h2").popen(["iperf", "-s", "-u"], stdout=subprocess.DEVNULL)
            time.sleep(0.2)
            output = h1.cmd(
                f"iperf -c {H2[0]} -u -b {mbps * 1_000_000} -l {DATAGRAM_BYTES} -t {seconds} -f m"
            )
            server.kill()
            server.wait()
            report = _UDP_REPORT.search(output)
            # If the server's report is lost, the goodput counts as 0.
            return (float(report[1]), int(report[2]) / max(1, int(report[3]))) if report else (0.0, 0.0)

        udp = highest_goodput(goodput)
        output = h1.cmd(f"iperf -c {H2[0]} -t {2 * seconds} -f m")
    report = _TCP_REPORT.findall(output)
    if not report or trips.rtt_min_ms is None or trips.rtt_avg_ms is None:
        raise NetworkError(f"h1 measured nothing: {output.strip() or 'no ping was answered'}")
    return Figures(trips.rtt_min_ms, trips.rtt_avg_ms, udp, float(report[-1]))


def _wait_for_answer(net: weir.Network) -> None:
    """Waits until a ping passes all switches."""
    end = time.monotonic() + 15
    while not net.host("h1").ping("h2", count=1, timeout="200ms").received:
        if time.monotonic() > end:
            raise NetworkError("no ping has passed the switches for 15 seconds")


def main(out: str, repetitions: int) -> None:
    """Measures all chains, each several times, and writes the medians.

    Each repetition measures chains of all lengths, because the speed of a computer changes over
    minutes if it is a virtual machine.
    """
    runs: dict[int, list[Figures]] = {switches: [] for switches in LENGTHS}
    for _ in range(repetitions):
        for switches, figures_of_runs in runs.items():
            figures_of_runs.append(measured(switches, "simple_switch", pings=200, seconds=1))
            print(switches, figures_of_runs[-1], f"load {os.getloadavg()[0]:.1f}", flush=True)
    rows = []
    for switches, figures_of_runs in runs.items():
        figures = {
            key: median(asdict(run)[key] for run in figures_of_runs) for key in asdict(figures_of_runs[0])
        }
        rows.append({"switches": switches, "processors": os.cpu_count(), **figures})
    with Path(out).open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), lineterminator="\n")
        writer.writeheader()
        for row in rows:
            writer.writerow(
                {key: f"{value:.4g}" if isinstance(value, float) else value for key, value in row.items()}
            )


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 3)
