"""The memory of a flood returns to the system when the flood ends."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from handmade_reports import path_report

MB = 1 << 20
JUNK = bytes(60_000)
NOISE_MB = 45
"""More than what the first junk needs for good, less than a batch and what waits behind it."""


def resident_mb(process: int) -> int:
    """The memory of a process that is not a file's."""
    for line in Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith("RssAnon"):
            return int(line.split()[1]) // 1024
    raise AssertionError("the process is gone")


@pytest.fixture(params=["listen", "live"])
def listener(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[subprocess.Popen[str], int]]:
    command = [sys.executable, "-m", "weir", "telemetry", request.param, "--udp", "127.0.0.1:0"]
    if request.param == "listen":
        command += ["--store", str(tmp_path / "store"), "--every", "100ms"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    address = process.stderr.readline().split("127.0.0.1:")[1]
    yield process, int(address.split()[0].rstrip(";"))
    process.terminate()
    process.communicate(timeout=60)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_the_memory_of_a_flood_returns(listener: tuple[subprocess.Popen[str], int]) -> None:
    process, port = listener
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.connect(("127.0.0.1", port))
        for sequence in range(20):
            sender.send(path_report([1, 2], sequence=sequence))
            time.sleep(0.1)
        before = resident_mb(process.pid)
        peak, end = 0, time.monotonic() + 60
        while peak < before + 2 * NOISE_MB and time.monotonic() < end:
            for _ in range(100):
                sender.send(JUNK)
            peak = max(peak, resident_mb(process.pid))
        assert peak >= before + 2 * NOISE_MB, "the flood fills memory"
        end = time.monotonic() + 60
        while (after := resident_mb(process.pid)) > before + NOISE_MB and time.monotonic() < end:
            time.sleep(0.1)
    assert after <= before + NOISE_MB, f"{before}, {peak}, {after} MB"


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("listener", ["listen"], indirect=True)
def test_the_memory_of_a_merge_returns(listener: tuple[subprocess.Popen[str], int], tmp_path: Path) -> None:
    """Files are merged after a hundred batches; forged reports make these large."""
    process, port = listener
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        sender.connect(("127.0.0.1", port))
        sender.send(path_report([1, 2], sequence=0))
        time.sleep(1)
        before, sequence, end = resident_mb(process.pid), 1, time.monotonic() + 120
        while not list((tmp_path / "store").glob("0*-0*")) and time.monotonic() < end:
            for _ in range(200):
                sender.send(path_report([1, 2, 3, 4], sequence=sequence % (1 << 22)))
                sequence += 1
            time.sleep(0.01)
        sender.send(path_report([1, 2], sequence=0))
        end = time.monotonic() + 60
        while (after := resident_mb(process.pid)) > before + 20 and time.monotonic() < end:
            time.sleep(0.1)
    assert list((tmp_path / "store").glob("0*-0*")), "batches were merged"
    assert after <= before + 20, f"{before}, {after} MB"
