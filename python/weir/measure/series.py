"""Time series, with their statistics and plots."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from weir.errors import MeasureError
from weir.files.columns import Column
from weir.measure import statistics
from weir.measure.table import Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True, eq=False, repr=False)
class Series(Table):
    """A time series: values and their times.

    Attributes:
        name: the quantity, such as ``delay``; the name of a column.
        unit: the values' unit, such as ``ms``.
        times_ns: virtual nanoseconds, in ascending order.
        values: a value for each time.
    """

    name: str
    unit: str
    times_ns: Sequence[int]
    values: Sequence[float]

    def __len__(self) -> int:
        return len(self.values)

    @property
    def _sparkline(self) -> Series:
        return self

    def __str__(self) -> str:
        if not len(self):
            return f"{self.name}: no values"
        unit = f" {self.unit}" if self.unit else ""
        return f"{self.name}: {len(self)} values\nmin/mean/max {self.min:.6g}/{self.mean:.6g}/{self.max:.6g}{unit}"

    def __repr__(self) -> str:
        unit = f" {self.unit}" if self.unit else ""
        span = f", {min(self.values):g} to {max(self.values):g}{unit}" if len(self) else ""
        return f"<weir.{type(self).__name__} {self.name}: {len(self)} values{span}>"

    def __iter__(self) -> Iterator[tuple[float, float]]:
        """Iterates over pairs of a time in seconds and its value."""
        return iter([(time / 1e9, value) for time, value in zip(self.times_ns, self.values, strict=True)])

    @property
    def times_s(self) -> list[float]:
        """The times of the values in seconds."""
        return [time / 1e9 for time in self.times_ns]

    @property
    def mean(self) -> float:
        """The mean of the values. Raises :class:`MeasureError` if there are no values, as the
        properties below do."""
        return statistics.mean(self._known_values)

    @property
    def deviation(self) -> float:
        """The standard deviation of the values."""
        return statistics.standard_deviation(self._known_values)

    @property
    def variation(self) -> float:
        """The coefficient of variation: the standard deviation divided by the mean. Raises
        :class:`MeasureError` if the mean is 0."""
        return statistics.coefficient_of_variation(self._known_values)

    @property
    def min(self) -> float:
        """The smallest value."""
        return min(self._known_values)

    @property
    def max(self) -> float:
        """The largest value."""
        return max(self._known_values)

    def percentile(self, percent: float) -> float:
        """Computes the percentile: this percentage of the values is at or below it."""
        return statistics.percentile(self._known_values, percent)

    @property
    def _known_values(self) -> Sequence[float]:
        if not len(self):
            raise MeasureError(f"{self.name.replace('_', ' ')}: there is no value")
        return self.values

    def between(self, start_s: float, end_s: float) -> Series:
        """Returns the values from ``start_s`` to just before ``end_s``, in seconds of virtual
        time."""
        points = [
            (time, value)
            for time, value in zip(self.times_ns, self.values, strict=True)
            if start_s <= time / 1e9 < end_s
        ]
        return Series(self.name, self.unit, [time for time, _ in points], [value for _, value in points])

    def columns(self) -> list[Column]:
        """Returns the values as columns, with a row for each value.

        The columns are ``time_s`` and a column named after the series and its unit, such as
        ``delay_ms``.
        """
        name = f"{self.name}_{self.unit}" if self.unit else self.name
        return [
            Column("time_s", "float", self.times_s),
            Column(name, "float", [float(value) for value in self.values]),
        ]

    @property
    def jitter(self) -> Series:
        """The interarrival jitter of RFC 3550 after each delay or round-trip time of the series."""
        return Series("jitter", self.unit, self.times_ns, statistics.rfc3550_jitter(self.values))

    def draw(self, ax: Axes) -> None:
        """Draws the values over time."""
        # A thick line through a thousand values would look like a band instead of a line.
        ax.plot(self.times_s, self.values, linewidth=1.6 if len(self) < 500 else 0.8)
        ax.set_xlabel("time in s")
        name, unit = self.name.replace("_", " "), {"mbps": "Mbit/s"}.get(self.unit, self.unit)
        ax.set_ylabel(f"{name} in {unit}" if unit else name)
        if min(self.values, default=-1) >= 0:
            ax.set_ylim(bottom=0)


def numbers(column: bytes, code: str = "Q") -> array[int]:
    """Converts a column of little-endian numbers from the core.

    The numbers have 64 bits unless ``code``, a type code of :mod:`array`, says otherwise.
    """
    import sys

    values = array(code)
    values.frombytes(column)
    if sys.byteorder == "big":
        values.byteswap()
    return values
