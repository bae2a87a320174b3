"""The experiment "updates": thousands of table updates per second while packets pass."""

from __future__ import annotations

import json
import signal
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Final

import weir
from weir.errors import NetworkError
from weir.lab import within

from . import flows
from .measure import WARM_UP, missing_row, switch_under_test
from .switches import ours
from .switches.kind import MissingSwitch, RunningSwitch
from .switches.known import find_switch

_CHANGE_INTERVAL_S: Final = 0.5
"""The time in seconds between two changes of the file of entries."""

_FREE_ENTRIES: Final = 16384 - 2
"""The number of entries for which the table has room in addition to those of the two hosts; see
``forward.p4``."""

UPDATES_PER_S: Final = range(int(_FREE_ENTRIES / _CHANGE_INTERVAL_S) + 1)
"""The numbers of updates per second whose entries fit the table."""

RATES_MBPS: Final = range(1, 1_000_001)
"""The rates of the datagrams in Mbit/s."""

_TIMEOUT_S: Final = 10.0
_RELOADED: Final = "the files are reloaded"


class Updates:
    """Changes table entries of a running switch by writing its file of entries and sending SIGHUP.

    The entries are for addresses that no packet has. Each change sets another port in all of them.

    Args:
        folder: the folder for the file.
        per_second: the number of entries to change per second; 0 for no changes.
    """

    def __init__(self, folder: Path, per_second: int) -> None:
        self._entries = round(per_second * _CHANGE_INTERVAL_S)
        self._file = folder / "entries.json"
        self._running: RunningSwitch | None = None
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._change, daemon=True)
        self._changes = 0
        self._seconds = 0.0
        self._failure: Exception | None = None

    @property
    def per_second(self) -> float:
        """The number of entries changed per second, from the start to the last change."""
        return self._changes * self._entries / self._seconds if self._seconds else 0.0

    def start(self, net: weir.Network, folder: Path, name: str) -> RunningSwitch:
        """Starts the switch with the first entries."""
        self._write(1)
        options = ["--entries", str(self._file), "--log-format", "json"]
        self._running = ours.start(net, folder, name, options)
        return self._running

    def _write(self, port: int) -> None:
        entries = [
            {
                "table": "stations",
                "match": {"hdr.ethernet.dst": f"0a:00:00:00:{number >> 8:02x}:{number & 255:02x}"},
                "action_name": "forward",
                "action_params": {"port": port},
            }
            for number in range(self._entries)
        ]
        new = self._file.with_suffix(".new")
        new.write_text(json.dumps({"table_entries": entries}), encoding="utf-8")
        new.replace(self._file)

    def _change(self) -> None:
        try:
            assert self._running is not None and self._running.log is not None
            begin = time.monotonic()
            due = begin + _CHANGE_INTERVAL_S
            while not self._ended.wait(max(0.0, due - time.monotonic())):
                self._write(2 - self._changes % 2)
                self._running.processes[0].send_signal(signal.SIGHUP)
                self._wait_for(self._running.log, self._changes + 1)
                self._changes += 1
                self._seconds = time.monotonic() - begin
                due += _CHANGE_INTERVAL_S
        except Exception as error:
            self._failure = error

    @staticmethod
    def _wait_for(log: Path, count: int) -> None:
        end = time.monotonic() + _TIMEOUT_S
        while (text := log.read_text(encoding="utf-8")).count(_RELOADED) < count:
            if time.monotonic() > end or "are not reloaded" in text:
                raise NetworkError(f"the switch did not read its new entries: {text[-500:]}")
            time.sleep(0.002)

    def __enter__(self) -> Updates:
        if self._entries:
            self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        if self._entries:
            self._thread.join(_TIMEOUT_S)
        if self._failure is not None and error is None:
            raise self._failure


@weir.experiment(
    switch=["weir"],
    updates_per_s=[0, 1000, 10000],
    rate=[100],
    size=[1500],
    seconds=[3],
    energy=["auto"],
    seeds=2,
)
def updates(
    switch: str, updates_per_s: int, rate: int, size: int, seconds: int, energy: str, seed: int
) -> Mapping[str, Any]:
    """How do table updates affect packets that use the table?

    Datagrams are sent at a fixed rate in Mbit/s.
    """
    if find_switch(switch).name not in ours.WAYS:
        return missing_row(MissingSwitch("only Weir can read changed entries from a file"))
    within("updates_per_s", updates_per_s, UPDATES_PER_S)
    within("rate", rate, RATES_MBPS)
    plan = flows.Plan(protocol="udp", size=size, rate_mbps=float(rate), seconds=seconds, warm_up=WARM_UP)
    changing: list[Updates] = []

    def start(net: weir.Network, folder: Path) -> RunningSwitch:
        changing.append(Updates(folder, updates_per_s))
        return changing[0].start(net, folder, switch)

    with switch_under_test(switch, size=size, energy=energy, seed=seed, start=start) as test:
        with changing[0] as updater:
            flow = test.flow(plan)
        test.finish()
        figures = test.figures(flow)
        series = test.series()
    return {
        "available": True,
        "missing": None,
        "release": test.version,
        "updates_made_per_s": updater.per_second,
        "rss_growth_mb": series["rss_mb"][-1] - series["rss_mb"][0],
        **figures,
        "usage": series,
    }
