"""Energy: from the processor's counters, a sensor, an external meter's file, or a model."""

from __future__ import annotations

import csv
import json
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from weir.errors import FileError, WeirError
from weir.suggest import nearest

if TYPE_CHECKING:
    from .usage import Usage

MODELS: Final = Path(__file__).with_name("power.json")
"""Coefficients of models, with their sources."""

POWERCAP: Final = Path("/sys/class/powercap")
HWMON: Final = Path("/sys/class/hwmon")

DEFAULT_MODEL: Final = "raspberry-pi-4b"
"""What stands in where nothing is measured: the paper's board."""

_EVERY: Final = 0.05


class Meter(ABC):
    """Something that knows the energy between two readings.

    Attributes:
        source: what the figures come from; begins with ``measured`` or ``modelled``.
    """

    source: str

    @abstractmethod
    def read(self) -> Any:
        """A reading, for :meth:`joules`."""

    @abstractmethod
    def joules(self, before: Any, after: Any, usage: Usage) -> float:
        """The energy between two readings, in joules.

        Args:
            before: the first.
            after: the second.
            usage: what the switch used between them.
        """


class Rapl(Meter):
    """The processor's own energy counters (RAPL), of all packages.

    Args:
        folder: where the kernel shows them.
    """

    source = "measured: RAPL, all processors and what runs on them"

    def __init__(self, folder: Path = POWERCAP) -> None:
        self._zones = [
            zone
            for zone in sorted(folder.glob("intel-rapl:*"))
            if zone.name.count(":") == 1 and _can_read(zone / "energy_uj")
        ]
        if not self._zones:
            raise WeirError(
                f"energy=rapl: no energy counters can be read in {folder}: they need a processor with RAPL, and root"
            )
        self._ranges = [int((zone / "max_energy_range_uj").read_text()) for zone in self._zones]

    def read(self) -> tuple[float, list[int]]:
        """The time, and the counters in microjoules."""
        return time.monotonic(), [int((zone / "energy_uj").read_text()) for zone in self._zones]

    def joules(self, before: Any, after: Any, usage: Usage) -> float:
        """The difference; a counter that began again at 0 has its range added."""
        differences = zip(before[1], after[1], self._ranges, strict=True)
        return 1e-6 * float(sum((last - first) % (most + 1) for first, last, most in differences))


class Sensor(Meter):
    """A power sensor that the kernel knows (hwmon), such as an INA219 or INA226: its power, or its
    voltage times its current, looked at every 50 ms.

    Args:
        folder: where the kernel shows them.
    """

    def __init__(self, folder: Path = HWMON) -> None:
        found = next((way for chip in sorted(folder.glob("hwmon*")) if (way := _watts(chip))), None)
        if found is None:
            raise WeirError(
                f"energy=hwmon: no sensor in {folder} has power1_input, or in1_input and curr1_input"
            )
        name, self._look = found
        self.source = f"measured: sensor {name}"
        self._seen: list[tuple[float, float]] = []
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def _watch(self) -> None:
        while not self._ended.is_set():
            self._seen.append((time.monotonic(), self._look()))
            self._ended.wait(_EVERY)

    def read(self) -> float:
        """The time."""
        return time.monotonic()

    def joules(self, before: Any, after: Any, usage: Usage) -> float:
        """The integral of the power; no more is looked at after it."""
        self._ended.set()
        self._thread.join()
        return integral(self._seen, before, after)


class Log(Meter):
    """The file of an external meter: rows of Unix time in seconds and watts, as they are measured.

    Args:
        path: a CSV file; a first row of words is skipped.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self.source = f"measured: {path.name}"
        self._rows()

    def _rows(self) -> list[tuple[float, float]]:
        try:
            with self._path.open(encoding="utf-8", newline="") as file:
                rows = list(csv.reader(file))
        except OSError as error:
            raise FileError(f"cannot be read: {error.strerror}", file=self._path) from None
        found = []
        for number, row in enumerate(rows, 1):
            try:
                found.append((float(row[0]), float(row[1])))
            except (ValueError, IndexError):
                if number > 1 and row:
                    raise FileError(
                        f"line {number}: expected the Unix time in seconds and watts, such as 1700000000.5,3.21",
                        file=self._path,
                    ) from None
        return found

    def read(self) -> float:
        """The time."""
        return time.time()

    def joules(self, before: Any, after: Any, usage: Usage) -> float:
        """The integral of the power.

        Raises:
            FileError: the file has no rows of this time.
        """
        try:
            return integral(self._rows(), before, after)
        except ValueError:
            raise FileError(
                "has no two rows of the time of the run: does the meter still write, with this computer's clock?",
                file=self._path,
            ) from None


class Model(Meter):
    """A board's power, as a straight line over the load of its processors.

    The load is the processor time of the switch and of softirqs on this computer, at most that of
    all that its processors did. A kernel that does not account for interrupts apart
    (IRQ_TIME_ACCOUNTING) counts softirqs within a process in both, so the load is an upper bound.
    The figure is of a board whose processors take as long as those of this computer.

    Args:
        name: of the model in ``power.json``.
    """

    def __init__(self, name: str) -> None:
        model = models()[name]
        self._idle, self._load = float(model["idle_watts"]), float(model["load_watts"])
        self._processors = int(model["processors"])
        self.source = f"modelled: {model['title']}"

    def read(self) -> float:
        """The time."""
        return time.monotonic()

    def joules(self, before: Any, after: Any, usage: Usage) -> float:
        """The model's power, for the time between the readings."""
        percent = min(usage.cpu_percent + usage.softirq_percent, usage.busy_percent)
        load = min(percent / 100 / self._processors, 1.0)
        return float(after - before) * (self._idle + self._load * load)


def models() -> dict[str, dict[str, Any]]:
    """The models of ``power.json`` by name."""
    found: dict[str, dict[str, Any]] = json.loads(MODELS.read_text(encoding="utf-8"))
    return found


def meter(energy: str) -> Meter:
    """Where energy is read.

    Args:
        energy: ``rapl``, ``hwmon``, the name of a model in ``power.json``, or the name of a CSV
            file; ``auto``: the first of RAPL, a sensor and the model of the paper's board that is
            here.

    Raises:
        WeirError: it is not here, or not known.
    """
    readers: dict[str, Callable[[], Meter]] = {"rapl": Rapl, "hwmon": Sensor}
    if energy in readers:
        return readers[energy]()
    if energy == "auto":
        for reader in readers.values():
            try:
                return reader()
            except WeirError:
                continue
        return Model(DEFAULT_MODEL)
    if energy in models():
        return Model(energy)
    if energy.endswith(".csv"):
        return Log(Path(energy))
    known = ["auto", *readers, *models()]
    raise WeirError(
        f"energy={energy}: expected {', '.join(known)} or the name of a file that ends in .csv",
        suggestion=nearest(energy, known),
    )


def integral(rows: Sequence[tuple[float, float]], begin: float, end: float) -> float:
    """The integral of a line through points, between two times; it goes on level at its ends.

    Args:
        rows: times and values, in order.
        begin: the first time.
        end: the second time.

    Raises:
        ValueError: fewer than two points lie between the times.
    """
    inside = [row for row in rows if begin <= row[0] <= end]
    if len(inside) < 2:
        raise ValueError("fewer than two points")
    line = [(begin, inside[0][1]), *inside, (end, inside[-1][1])]
    return sum((after - before) * (low + high) / 2 for (before, low), (after, high) in pairwise(line))


def _can_read(path: Path) -> bool:
    try:
        path.read_text()
    except OSError:
        return False
    return True


def _watts(chip: Path) -> tuple[str, Callable[[], float]] | None:
    """A sensor's name, and how to read its power in watts; None if it has none."""
    name = (chip / "name").read_text().strip() if (chip / "name").is_file() else chip.name

    def number(file: str) -> int:
        return int((chip / file).read_text())

    if _can_read(chip / "power1_input"):
        return name, lambda: number("power1_input") / 1e6
    # INA2xx: in0 is the shunt, in1 the bus.
    if _can_read(chip / "in1_input") and _can_read(chip / "curr1_input"):
        return name, lambda: number("in1_input") * number("curr1_input") / 1e6
    return None
