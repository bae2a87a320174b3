"""Network namespaces with a path between them, removed at the end whatever happens."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
# Sizes of buffers that never limit the measured flows.
SETTINGS = {
    "net.ipv6.conf.all.disable_ipv6": "1",
    "net.ipv4.tcp_no_metrics_save": "1",
    "net.ipv4.tcp_wmem": "4096 65536 33554432",
    "net.ipv4.tcp_rmem": "4096 131072 67108864",
}


class WorldError(Exception):
    """A command failed."""


def run(*command: str) -> str:
    """Runs a command and returns its output."""
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    if ended.returncode:
        raise WorldError(f"{' '.join(command)}: {ended.stderr.strip() or ended.returncode}")
    return ended.stdout


def emulator() -> Path:
    """The compiled emulator."""
    folder = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "weir-peers"
    folder.mkdir(parents=True, exist_ok=True)
    source, program = HERE / "emulator.c", folder / "emulator"
    if not program.exists() or program.stat().st_mtime < source.stat().st_mtime:
        fresh = folder / f"emulator.{os.getpid()}"
        run(os.environ.get("CC", "cc"), "-O2", "-o", str(fresh), str(source))
        fresh.replace(program)
    return program


@dataclass(frozen=True)
class Interval:
    """The figures of the bottleneck over about 100 ms."""

    end: float
    entered: int
    waited_s: float
    dropped: int
    lost: int
    paused_s: float


class World:
    """Pairs of namespaces `NAMEa0` and `NAMEb0`, ... with addresses 10.9.0.1 and 10.9.0.2, ...

    Args:
        rate: the rate of the bottleneck, in bit/s of frames; 0 for no bottleneck.
        limit: the number of frames that can wait, without the one being sent.
        rtts: the round trip of each pair without queueing, in ms.
        loss: the probability of a random loss after the bottleneck.
        seed: the seed of the losses.
        gso: the maximum number of segments that the kernel hands to an interface at once.
    """

    def __init__(
        self, rate: float, limit: int, rtts: list[float], loss: float = 0, seed: int = 1, gso: int = 0
    ) -> None:
        self.name = f"weir{os.getpid():x}x{time.monotonic_ns() // 1000 % 100_000}"
        self.pairs = len(rtts)
        self.delays = ",".join(f"{rtt * 500:g}" for rtt in rtts)
        self.arguments = [f"{rate:.0f}", str(limit), str(loss), str(seed), self.delays]
        self.gso = gso
        self.namespaces: list[str] = []
        self.processes: list[subprocess.Popen[str]] = []
        self.intervals: list[Interval] = []

    def __enter__(self) -> World:
        try:
            self._build()
        except BaseException:
            self._remove()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._remove()

    def _namespace(self, name: str) -> str:
        run("ip", "netns", "add", name)
        self.namespaces.append(name)
        run("ip", "-n", name, "link", "set", "lo", "up")
        for key, value in SETTINGS.items():
            run("ip", "netns", "exec", name, "sysctl", "-qw", f"{key}={value}")
        return name

    def _build(self) -> None:
        middle = self._namespace(f"{self.name}m")
        # The file is closed with the world.
        self._output = tempfile.TemporaryFile("w+")  # noqa: SIM115
        command = ["ip", "netns", "exec", middle, str(emulator()), *self.arguments]
        self._emulator = subprocess.Popen(command, stdout=self._output, text=True)
        self.processes.append(self._emulator)
        deadline = time.monotonic() + 10
        while os.fstat(self._output.fileno()).st_size == 0:
            if self._emulator.poll() is not None or time.monotonic() > deadline:
                raise WorldError("the emulator does not start")
            time.sleep(0.01)
        for pair in range(self.pairs):
            for side, own, other in (("a", 1, 2), ("b", 2, 1)):
                self._end(middle, side, pair, own, other)

    def _end(self, middle: str, side: str, pair: int, own: int, other: int) -> None:
        device, name = f"{side}{pair}", self._namespace(f"{self.name}{side}{pair}")
        run("ip", "-n", middle, "link", "set", device, "netns", name)
        ip = ("ip", "-n", name)
        run(*ip, "link", "set", device, "address", f"02:00:00:00:{pair:02x}:{own:02x}")
        if self.gso:
            run(*ip, "link", "set", device, "gso_max_segs", str(self.gso))
        run(*ip, "link", "set", device, "txqueuelen", "20000", "up")
        run(*ip, "address", "add", f"10.9.{pair}.{own}/24", "dev", device)
        neighbour = f"02:00:00:00:{pair:02x}:{other:02x}"
        run(*ip, "neighbour", "replace", f"10.9.{pair}.{other}", "lladdr", neighbour, "dev", device)

    def tc(self, pair: int, *command: str) -> None:
        """Runs `tc` for the interface of side a."""
        run("ip", "netns", "exec", f"{self.name}a{pair}", "tc", *command)

    def start(self, side: str, pair: int, *command: object) -> subprocess.Popen[str]:
        """Starts a command of traffic.py at one end."""
        inside = ["ip", "netns", "exec", f"{self.name}{side}{pair}", sys.executable]
        program = [*inside, str(HERE / "traffic.py"), *map(str, command)]
        process = subprocess.Popen(program, stdout=subprocess.PIPE, text=True)
        self.processes.append(process)
        return process

    def serve(self, pair: int, kind: str, port: int) -> None:
        """Starts `sink` or `echo` at side b."""
        process = self.start("b", pair, kind, port)
        assert process.stdout is not None
        if process.stdout.readline().strip() != "ready":
            raise WorldError(f"{kind} does not start")

    @staticmethod
    def result(process: subprocess.Popen[str], timeout: float) -> Any:
        """The output of a command of traffic.py."""
        output, _ = process.communicate(timeout=timeout)
        if process.returncode:
            raise WorldError(f"{process.args}: {process.returncode}")
        return json.loads(output)

    def _remove(self) -> None:
        for process in reversed(self.processes):
            if process.poll() is None:
                process.terminate()
                try:
                    process.wait(5)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()
        for name in self.namespaces:
            subprocess.run(["ip", "netns", "delete", name], capture_output=True, check=False)
        self.namespaces = []
        if hasattr(self, "_output"):
            self._output.seek(0)
            for line in self._output.readlines()[1:]:
                end, entered, waited, dropped, lost, paused = (int(x) for x in line.split(","))
                interval = Interval(end / 1e6, entered, waited / 1e6, dropped, lost, paused / 1e6)
                self.intervals.append(interval)
            self._output.close()
