"""Derives a computer from chains of different lengths that a user measured on it."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean
from typing import Any, Final

import weir
from weir.errors import FileError
from weir.lab import listing, nearest, read_text

from .chain import LONGEST, network
from .figures import Figures, measure

FIGURES: Final = ("rtt_min_ms", "rtt_avg_ms", "udp_mbps", "tcp_mbps")
COLUMNS: Final = ("switches", "processors", *FIGURES)
"""The columns of the file. ``udp_mbps`` may be missing."""

SHARES: Final[Mapping[str, float]] = {
    "receive": 0.25,
    "ingress": 0.3,
    "egress": 0.2,
    "send": 0.25,
}
"""How a switch's processor time for a packet is divided among its threads, as shares. The threads
work one after the other, so these shares matter only where one thread is the limit."""

SEGMENT_BYTES: Final = 1448
"""The payload of a TCP segment in bytes."""

_CONTEXT_SWITCH_NS: Final = 1500
_STACK_NS: Final = 2000
"""Rough values of times in Linux that the measurements do not determine."""

_MAX_FILE: Final = 1 << 20
_ROUNDS: Final = 6
_PINGS: Final = 200
_SECONDS: Final = 0.2
_WAKE_UPS: Final = 8
"""The number of threads that a ping wakes at each switch, in both directions together."""


@dataclass(frozen=True)
class Fit:
    """A computer, and how well it fits.

    Attributes:
        computer: the computer.
        measured: the measured figures, by the number of switches.
        simulated: the same figures on the virtual computer.
        predicted: the numbers of switches that were not used for the fit.
    """

    computer: weir.Computer
    measured: Mapping[int, Mapping[str, float]]
    simulated: Mapping[int, Figures]
    predicted: Sequence[int]


def fit(path: Path, predict: Sequence[int] = ()) -> Fit:
    """Fits a computer to the measurements of a file; see :func:`fit_chains`.

    Args:
        path: the file.
        predict: numbers of switches whose rows are compared but not used.

    Raises:
        FileError: the file cannot be read, lacks a row to predict, or does not determine the
            computer.
    """
    rows, processors = read_measurements(path)
    for one in predict:
        if one not in rows:
            raise FileError(
                f"has no row with {one} switches to predict: there are rows with {listing([str(n) for n in rows])}",
                file=path,
            )
    try:
        return fit_chains(path.stem, rows, processors, predict)
    except ValueError as error:
        raise FileError(str(error), file=path) from None


def fit_chains(
    name: str,
    rows: Mapping[int, Mapping[str, float]],
    processors: int,
    predict: Sequence[int] = (),
    *,
    pipelined: bool = True,
) -> Fit:
    """Fits a computer to measured chains.

    The fit uses three lines over the number of switches: the shortest round trip, the difference
    between the mean and the shortest round trip, and the processor time for a TCP segment, which is
    the number of processors divided by the segments per second. The fit starts from a guess. In
    rounds, it simulates the chains, compares the lines, and corrects one number of the computer for
    each comparison. The slope of TCP's line corrects a switch's time for a packet, and the height
    of this line an application's time. The slope of the shortest round trip corrects the wake-up
    time, and the difference to the mean corrects the random part of this time. UDP is not used.

    Args:
        name: the name of the computer.
        rows: the measured figures, by the number of switches.
        processors: the number of processors of the measured computer.
        predict: numbers of switches whose figures are compared but not used.
        pipelined: whether a switch has four threads, as BMv2 has, or one.

    Raises:
        ValueError: the figures do not determine the computer.
    """
    used = {switches: row for switches, row in rows.items() if switches not in predict}
    if len(used) < 2:
        raise ValueError("expected measurements of at least two numbers of switches to fit")
    aim = _fit_lines(used, processors)
    if aim.trip[1] <= 0 or aim.tcp[1] <= 0:
        raise ValueError("round trips or TCP do not get slower with the number of switches")
    switch_ns = aim.tcp[1] / 1.5
    times = {
        "switch": switch_ns,
        "wake": max(1000.0, (aim.trip[1] - 2 * switch_ns) / _WAKE_UPS),
        "jitter": aim.distance / (2 * _WAKE_UPS),
        "stream": max(0.0, aim.tcp[0] / 3),
    }
    for _ in range(_ROUNDS):
        found = _build_computer(name, processors, times, pipelined)
        seen = _fit_lines({n: asdict(simulate(found, n)) for n in used}, processors)
        times["switch"] *= min(2.0, max(0.5, aim.tcp[1] / max(1.0, seen.tcp[1])))
        times["wake"] += 0.8 * (aim.trip[1] - seen.trip[1]) / _WAKE_UPS
        times["jitter"] *= min(2.0, aim.distance / max(1.0, seen.distance))
        times["stream"] += (aim.tcp[0] - seen.tcp[0]) / 3
        times = {key: max(0.0, value) for key, value in times.items()}
    found = _build_computer(name, processors, times, pipelined)
    figures = {n: simulate(found, n) for n in rows}
    return Fit(found, rows, figures, [n for n in rows if n not in used])


@dataclass(frozen=True)
class _Lines:
    """The lines of a chain's figures over the number of switches: intercepts and slopes in
    nanoseconds."""

    trip: tuple[float, float]
    tcp: tuple[float, float]
    distance: float


def _fit_lines(rows: Mapping[int, Mapping[str, float]], processors: int) -> _Lines:
    return _Lines(
        _line({n: 1e6 * row["rtt_min_ms"] for n, row in rows.items()}),
        _line({n: processors * SEGMENT_BYTES * 8e3 / row["tcp_mbps"] for n, row in rows.items()}),
        1e6 * fmean(row["rtt_avg_ms"] - row["rtt_min_ms"] for row in rows.values()),
    )


def simulate(computer: weir.Computer, switches: int, seed: int = 1) -> Figures:
    """Measures a chain on a virtual computer."""
    with network(switches, computer=computer, seed=seed) as net:
        return measure(net, pings=_PINGS, seconds=_SECONDS)


def _build_computer(name: str, processors: int, times: Mapping[str, float], pipelined: bool) -> weir.Computer:
    parts: dict[str, Any] = {
        part: weir.Cost(round(share * times["switch"])) for part, share in SHARES.items()
    }
    return weir.Computer(
        name=name,
        processors=processors,
        pipelined=pipelined,
        wake_up_ns=round(times["wake"]),
        wake_up_jitter_ns=round(times["jitter"]),
        context_switch_ns=_CONTEXT_SWITCH_NS,
        stack=weir.Cost(_STACK_NS),
        app=weir.Cost(round(times["stream"])),
        stream=weir.Cost(round(times["stream"])),
        egress_queue=64,
        **parts,
    )


def _line(points: Mapping[int, float]) -> tuple[float, float]:
    """Computes the intercept and the slope of the least-squares line."""
    from scipy.stats import linregress

    line = linregress(list(points), list(points.values()))
    return float(line.intercept), float(line.slope)


def read_measurements(path: Path) -> tuple[dict[int, dict[str, float]], int]:
    """Reads the rows of a file by the number of switches, and the number of processors.

    Raises:
        FileError: the file cannot be read, or a column is missing or unknown.
    """
    text = read_text(path, _MAX_FILE)
    reader = csv.DictReader(io.StringIO(text, newline=""))
    names = [name.strip() for name in reader.fieldnames or ()]
    for name in names:
        if name not in COLUMNS:
            raise FileError(
                f'the column "{name}" is not known: there are {listing(COLUMNS, 6)}',
                file=path,
                suggestion=nearest(name, COLUMNS),
            )
    missing = [name for name in COLUMNS if name not in names and name != "udp_mbps"]
    if missing:
        raise FileError(f"has no column {missing[0]}", file=path)
    reader.fieldnames = names
    rows: dict[int, dict[str, float]] = {}
    processors = set()
    for line, row in enumerate(reader, 2):
        numbers = {}
        for name in names:
            try:
                numbers[name] = float(row[name])
            except (TypeError, ValueError):
                raise FileError(
                    f'{name} is "{row[name]}": expected a number', file=path, where=str(line)
                ) from None
            if not 0 < numbers[name] < 1e9:
                raise FileError(f"{name} is {row[name]}: expected more than 0", file=path, where=str(line))
        switches = int(numbers.pop("switches"))
        if not 1 <= switches <= LONGEST:
            raise FileError(f"switches is {switches}: expected 1 to {LONGEST}", file=path, where=str(line))
        processors.add(int(numbers.pop("processors")))
        rows[switches] = numbers
    if len(processors) != 1:
        raise FileError("expected the same number of processors in each row", file=path)
    return rows, processors.pop()
