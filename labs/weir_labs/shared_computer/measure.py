"""Measures chains of ``simple_switch`` on this computer, for ``weir lab fit``.

``python -m weir_labs.shared_computer.measure measured.csv`` needs Linux with network namespaces,
iperf (version 2), ``simple_switch`` and ``p4c-bm2-ss`` on the ``PATH``, and a computer that does
nothing else. If it must do something else, start it with a real-time priority (``chrt -r 1``).
"""

from __future__ import annotations

import csv
import os
import re
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict
from pathlib import Path
from statistics import median
from typing import Final

import weir
from weir.errors import NetworkError

from .chain import H2, PROGRAM, chain
from .figures import DATAGRAM_BYTES, Figures, highest_goodput

LENGTHS: Final = (1, 2, 3, 5)
_UDP_REPORT: Final = re.compile(r"([\d.]+) Mbits/sec +[\d.]+ ms +(-?\d+)/ *(\d+)")
_TCP_REPORT: Final = re.compile(r"([\d.]+) Mbits/sec")


def real_chain(switches: int, folder: Path) -> weir.Network:
    """Creates a chain of ``simple_switch`` between namespaces, which already forwards.

    Args:
        switches: the number of switches.
        folder: the folder for the compiled program and the switches' logs.
    """
    compiled = folder / "forward.json"
    if not compiled.exists():
        subprocess.run(["p4c-bm2-ss", "-o", str(compiled), str(PROGRAM)], check=True, timeout=60)
    usage = subprocess.run(["simple_switch", "--help"], capture_output=True, text=True, timeout=20)
    has_notifications = "--notifications-addr" in usage.stdout + usage.stderr
    net = weir.Network(chain(switches, real=True), world="linux", offloads=False)
    for name in ("h1", "h2"):
        net.host(name).cmd("tc qdisc del dev eth0 root")
    for number in range(1, switches + 1):
        switch = net.host(f"s{number}")
        for port in ("eth0", "eth1"):
            switch.cmd(f"ip address flush dev {port}; tc qdisc del dev {port} root")
        words = ["simple_switch", "--log-level", "off", "--device-id", str(number)]
        if has_notifications:
            # Two switches on one computer must not use the same address.
            words += ["--notifications-addr", f"ipc://{folder}/s{number}.ipc"]
        words += ["-i", "1@eth0", "-i", "2@eth1", str(compiled)]
        switch.popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    end = time.monotonic() + 15
    while not net.host("h1").ping("h2", count=1, timeout="200ms").received:
        if time.monotonic() > end:
            net.close()
            raise NetworkError("no ping has passed the switches for 15 seconds")
    return net


def measured(net: weir.Network, *, pings: int, seconds: float) -> Figures:
    """Measures an idle chain with ping and iperf.

    Args:
        net: the network.
        pings: the number of pings, 20 ms apart.
        seconds: the duration of each UDP flow; TCP has twice as long.
    """
    h1 = net.host("h1")
    trips = h1.ping("h2", count=pings, interval="20ms", size=56)

    def goodput(mbps: int) -> tuple[float, float]:
        # Each rate has its own server, because a server that was overloaded may not report anything
        # afterwards.
        server = net.host("h2").popen(["iperf", "-s", "-u"], stdout=subprocess.DEVNULL)
        time.sleep(0.2)
        said = h1.cmd(f"iperf -c {H2[0]} -u -b {mbps * 1_000_000} -l {DATAGRAM_BYTES} -t {seconds} -f m")
        server.kill()
        server.wait()
        found = _UDP_REPORT.search(said)
        # If the server's report is lost, the goodput counts as 0.
        return (float(found[1]), int(found[2]) / max(1, int(found[3]))) if found else (0.0, 0.0)

    udp = highest_goodput(goodput)
    said = h1.cmd(f"iperf -c {H2[0]} -t {2 * seconds} -f m")
    tcp = float(_TCP_REPORT.findall(said)[-1])
    return Figures(trips.rtt_min_ms or 0.0, trips.rtt_avg_ms or 0.0, udp, tcp)


def main(out: str, repetitions: int) -> None:
    """Measures all chains, each several times, and writes the medians.

    Each repetition measures chains of all lengths, because the speed of a computer changes over
    minutes if it is a virtual machine.
    """
    runs: dict[int, list[Figures]] = {switches: [] for switches in LENGTHS}
    with tempfile.TemporaryDirectory() as name:
        for _ in range(repetitions):
            for switches, found in runs.items():
                with real_chain(switches, Path(name)) as net:
                    net.host("h2").popen(["iperf", "-s"], stdout=subprocess.DEVNULL)
                    time.sleep(0.3)
                    found.append(measured(net, pings=200, seconds=1))
                    print(switches, found[-1], f"load {os.getloadavg()[0]:.1f}", flush=True)
    rows = []
    for switches, found in runs.items():
        figures = {key: median(asdict(run)[key] for run in found) for key in asdict(found[0])}
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
