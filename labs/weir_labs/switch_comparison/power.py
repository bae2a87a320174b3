"""Meters of energy: the processor's counters, a sensor, an external meter's file, or a model."""

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
from weir.lab import nearest

if TYPE_CHECKING:
    from .usage import Usage

MODELS: Final = Path(__file__).with_name("power.json")
"""The file with the coefficients of models and their sources."""

POWERCAP: Final = Path("/sys/class/powercap")
HWMON: Final = Path("/sys/class/hwmon")

DEFAULT_MODEL: Final = "raspberry-pi-4b"
"""The power model of the thesis's board, which is used if no meter is available."""

BOARD_SENSORS: Final = ("ina2",)
"""The prefixes of the names of chips that measure the power of a whole board, such as INA219."""

_SAMPLE_INTERVAL_S: Final = 0.05

_MAX_GAP_S: Final = 2.0
"""The maximum time in seconds to the nearest known value of the power."""


class Meter(ABC):
    """A source that provides the energy between two readings.

    Attributes:
        source: the origin of the figures, which begins with ``measured`` or ``modelled``.
    """

    source: str

    @abstractmethod
    def read(self) -> Any:
        """Takes a reading for :meth:`joules`.

        Raises:
            WeirError: the meter cannot be read.
        """

    def stop(self) -> None:
        """Stops sampling, after the last reading."""
        return

    @abstractmethod
    def joules(self, before: Any, after: Any, usage: Usage) -> float:
        """Computes the energy between two readings, in joules.

        Args:
            before: the first reading.
            after: the second reading.
            usage: the switch's usage between them.

        Raises:
            WeirError: the energy is unknown.
        """


class Rapl(Meter):
    """A meter that reads the processor's energy counters (RAPL) of all packages.

    Args:
        folder: the kernel's folder of energy counters.
    """

    source = "measured: RAPL, all processors"

    def __init__(self, folder: Path = POWERCAP) -> None:
        self._zones = [
            zone
            for zone in sorted(folder.glob("intel-rapl:*"))
            # Parts of a package and the whole platform (psys) are left out, because they would
            # count packages twice.
            if zone.name.count(":") == 1
            and _read_text(zone / "name").startswith("package")
            and _read_text(zone / "energy_uj")
        ]
        if not self._zones:
            raise WeirError(
                f"energy=rapl: no energy counters can be read in {folder}: this needs a processor "
                "with RAPL, and root"
            )
        self._ranges = [int((zone / "max_energy_range_uj").read_text()) for zone in self._zones]

    def read(self) -> tuple[float, list[int]]:
        """Reads the counters in microjoules, and the time of the reading."""
        try:
            return time.monotonic(), [int((zone / "energy_uj").read_text()) for zone in self._zones]
        except (OSError, ValueError) as error:
            raise WeirError(f"energy=rapl: a counter cannot be read any more: {error}") from None

    def joules(self, before: Any, after: Any, usage: Usage) -> float:
        """Computes the difference of the counters in joules; if a counter restarted at 0, its range
        is added."""
        differences = zip(before[1], after[1], self._ranges, strict=True)
        return 1e-6 * float(sum((last - first) % (most + 1) for first, last, most in differences))


class Sensor(Meter):
    """A meter that reads a power sensor of the kernel (hwmon), such as an INA219 or INA226.

    The meter reads the power, or the voltage and the current, every 50 ms.

    Args:
        folder: the kernel's folder of sensors.
        names: the prefixes of accepted chip names; other chips may measure only a part of the
            computer, such as a graphics card.
    """

    def __init__(self, folder: Path = HWMON, names: tuple[str, ...] = ("",)) -> None:
        chips = [
            chip for chip in sorted(folder.glob("hwmon*")) if _read_text(chip / "name").startswith(names)
        ]
        sensor = next((way for chip in chips if (way := _power_sensor(chip))), None)
        if sensor is None:
            raise WeirError(
                f"energy=hwmon: no sensor in {folder} has power1_input, or in1_input and curr1_input"
            )
        name, self._sample_until_stopped = sensor
        self.source = f"measured: sensor {name}"
        self._seen: list[tuple[float, float]] = []
        self._failure: Exception | None = None
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def _watch(self) -> None:
        while not self._ended.is_set():
            try:
                self._seen.append((time.monotonic(), self._sample_until_stopped()))
            except (OSError, ValueError) as error:
                self._failure = error
                return
            self._ended.wait(_SAMPLE_INTERVAL_S)

    def read(self) -> float:
        """Returns the time of the reading; a thread samples the power all the time."""
        return time.monotonic()

    def joules(self, before: Any, after: Any, usage: Usage) -> float:
        """Computes the integral of the power between the readings, in joules."""
        if self._failure is not None:
            raise WeirError(f"{self.source}: the sensor cannot be read any more: {self._failure}")
        try:
            return integral(self._seen, before, after)
        except ValueError:
            raise WeirError(f"{self.source}: the sensor was not read during the flow") from None

    def stop(self) -> None:
        """Stops sampling."""
        self._ended.set()
        self._thread.join()


class Log(Meter):
    """A meter that reads the file of an external meter, with rows of Unix time in seconds and
    watts.

    Args:
        path: a CSV file; a heading and an incomplete last line are skipped.
        patience: the seconds within which the external meter must write its next row.
    """

    def __init__(self, path: Path, patience: float = _MAX_GAP_S) -> None:
        self._path, self._patience = path, patience
        self.source = f"measured: {path.name}"
        self._rows()

    def _rows(self) -> list[tuple[float, float]]:
        try:
            text = self._path.read_text(encoding="utf-8")
        except OSError as error:
            raise FileError(f"cannot be read: {error.strerror}", file=self._path) from None
        except ValueError:
            raise FileError("is not text in UTF-8", file=self._path) from None
        # The external meter may still be writing the last line.
        rows = list(csv.reader(text[: text.rfind("\n") + 1].splitlines()))
        samples = []
        for number, row in enumerate(rows, 1):
            try:
                samples.append((float(row[0]), float(row[1])))
            except (ValueError, IndexError):
                if number > 1 and row:
                    raise FileError(
                        f"line {number}: expected the Unix time in seconds and watts, such as "
                        "1700000000.5,3.21",
                        file=self._path,
                    ) from None
        return samples

    def read(self) -> float:
        """Returns the time of the reading, in the time of the external meter's file."""
        return time.time()

    def joules(self, before: Any, after: Any, usage: Usage) -> float:
        """Computes the integral of the power between the readings, in joules.

        Raises:
            FileError: the file has no rows for the time of the flow.
        """
        end = time.monotonic() + self._patience
        while not (rows := self._rows()) or rows[-1][0] < after:
            if time.monotonic() > end:
                break
            time.sleep(_SAMPLE_INTERVAL_S)
        try:
            return integral(rows, before, after)
        except ValueError:
            raise FileError(
                f"has no rows within {_MAX_GAP_S:.0f} s of the start and the end of the flow: is the "
                "external meter still running, with this computer's clock?",
                file=self._path,
            ) from None


class Model(Meter):
    """A meter that computes a board's power as a linear function of the load of its processors.

    The load is the processor time of the switch and of softirqs on this computer, limited to the
    processors' busy time. A kernel without separate accounting of interrupts (IRQ_TIME_ACCOUNTING)
    counts softirqs within a process twice, so the load is an upper bound. The power is valid for a
    board whose processors are as fast as this computer's.

    Args:
        name: the model's name in ``power.json``.
    """

    def __init__(self, name: str) -> None:
        model = models()[name]
        self._idle, self._load = float(model["idle_watts"]), float(model["load_watts"])
        self._processors = int(model["processors"])
        self.source = f"modelled: {model['title']}"

    def read(self) -> float:
        """Returns the time of the reading."""
        return time.monotonic()

    def joules(self, before: Any, after: Any, usage: Usage) -> float:
        """Computes the energy in joules: the model's power times the time between the readings."""
        percent = min(usage.cpu_percent + usage.softirq_percent, usage.busy_percent)
        load = min(percent / 100 / self._processors, 1.0)
        return float(after - before) * (self._idle + self._load * load)


def models() -> dict[str, dict[str, Any]]:
    """Reads the models in ``power.json``; returns them by name."""
    models_by_name: dict[str, dict[str, Any]] = json.loads(MODELS.read_text(encoding="utf-8"))
    return models_by_name


def meter(energy: str) -> Meter:
    """Creates the meter that a parameter names.

    Args:
        energy: ``rapl``, ``hwmon``, the name of a model in ``power.json``, or the name of a CSV
            file; ``auto``: the first available of RAPL, a sensor of :data:`BOARD_SENSORS` and the
            model of the thesis's board.

    Raises:
        WeirError: the meter is unknown, or is not available on this computer.
    """
    readers: dict[str, Callable[[], Meter]] = {"rapl": Rapl, "hwmon": Sensor}
    if energy in readers:
        return readers[energy]()
    if energy == "auto":
        for reader in (Rapl, lambda: Sensor(names=BOARD_SENSORS)):
            try:
                return reader()
            except WeirError:
                continue
        return Model(DEFAULT_MODEL)
    if energy in models():
        return Model(energy)
    if energy.endswith(".csv"):
        return Log(Path(energy))
    names = ["auto", *readers, *models()]
    raise WeirError(
        f"energy={energy}: expected {', '.join(names)} or the name of a file that ends in .csv",
        suggestion=nearest(energy, names),
    )


def integral(rows: Sequence[tuple[float, float]], begin: float, end: float) -> float:
    """Computes the integral of a line through points between two times. The line is constant beyond
    its ends.

    Args:
        rows: times and values, in order.
        begin: the first time.
        end: the second time.

    Raises:
        ValueError: there is no point within two seconds of the first or the second time.
    """
    relevant = [row for row in rows if begin - _MAX_GAP_S <= row[0] <= end + _MAX_GAP_S]
    if not relevant or relevant[0][0] > begin + _MAX_GAP_S or relevant[-1][0] < end - _MAX_GAP_S:
        raise ValueError("no points near the times")
    inside = [row for row in relevant if begin < row[0] < end]
    line = [(begin, _interpolate(relevant, begin)), *inside, (end, _interpolate(relevant, end))]
    return sum((after - before) * (low + high) / 2 for (before, low), (after, high) in pairwise(line))


def _interpolate(rows: Sequence[tuple[float, float]], time_s: float) -> float:
    """Computes the value of a line through points at a time."""
    before = next((row for row in reversed(rows) if row[0] <= time_s), rows[0])
    after = next((row for row in rows if row[0] >= time_s), rows[-1])
    if after[0] <= before[0]:
        return before[1]
    share = (time_s - before[0]) / (after[0] - before[0])
    return before[1] + share * (after[1] - before[1])


def _read_text(path: Path) -> str:
    """Reads the text of a file; returns an empty string if the file cannot be read."""
    try:
        return path.read_text().strip()
    except OSError:
        return ""


def _power_sensor(chip: Path) -> tuple[str, Callable[[], float]] | None:
    """Finds a chip's power sensor; returns its name, and a function that reads its power in watts.

    Returns ``None`` if the chip has no power sensor.
    """
    name = _read_text(chip / "name") or chip.name

    def number(file: str) -> int:
        return int((chip / file).read_text())

    if _read_text(chip / "power1_input"):
        return name, lambda: number("power1_input") / 1e6
    # In a chip of the series INA2xx, in0 is the voltage at the shunt, and in1 is the voltage of the
    # bus.
    if _read_text(chip / "in1_input") and _read_text(chip / "curr1_input"):
        return name, lambda: number("in1_input") * number("curr1_input") / 1e6
    return None
