"""Derives a computer from chains of different lengths that a user measured on it."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any, Final

import weir
from weir.errors import FileError
from weir.lab import listing, nearest, read_text

from .chain import MAX_SWITCHES, network
from .figures import Figures, measure, measure_round_trips, measure_tcp

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
_ROUNDS: Final = 5
_STEP: Final = 0.1
"""The relative increase of a time, to see how the figures depend on it."""
_LEAST_STEP_NS: Final = 1000
_LEAST_CHANGE_NS: Final = 10_000
_SWITCH_SHARE: Final = 1.5
_APP_SHARE: Final = 3.0
"""The number of times that a TCP segment, with its acknowledgements, needs each switch's time and
an application's time. These rough values only guide the search."""
_PINGS: Final = 200
_SECONDS: Final = 0.2
_SEEDS: Final = (1, 2, 3)
"""The seeds of the simulations during the fit."""
_START_NS: Final[Mapping[str, float]] = {"wake": 4000, "jitter": 4000, "deep": 100_000, "stream": 2000}
"""The times at the beginning of the fit, except that of a switch."""


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
    for predicted in predict:
        if predicted not in rows:
            raise FileError(
                f"has no row with {predicted} switches to predict: there are rows with {listing([str(n) for n in rows])}",
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

    The fit searches the times, none below 0, for which the squares of the relative differences
    between simulated and measured figures have the smallest sum. TCP's goodput determines a
    switch's time for a packet and an application's time. With these times, the shortest and the
    mean round trips determine the time of a wake-up, the random part of this time, and the random
    time of a wake-up on a processor that sleeps deeply. UDP is not used.

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
    shortest, longest = used[min(used)], used[max(used)]
    if longest["rtt_min_ms"] <= shortest["rtt_min_ms"] or longest["tcp_mbps"] >= shortest["tcp_mbps"]:
        raise ValueError("round trips or TCP do not get slower with the number of switches")

    def build(times: Mapping[str, float]) -> weir.Computer:
        return _build_computer(name, processors, times, pipelined)

    def compare_tcp(times: Mapping[str, float]) -> list[float]:
        return [
            math.log(_simulated_tcp(build(times), switches) / row["tcp_mbps"])
            for switches, row in used.items()
        ]

    def compare_round_trips(times: Mapping[str, float]) -> list[float]:
        trips_by_switches = {switches: _simulated_round_trips(build(times), switches) for switches in used}
        return [
            math.log(simulated / used[switches][figure])
            for switches, trips in trips_by_switches.items()
            for figure, simulated in zip(("rtt_min_ms", "rtt_avg_ms"), trips, strict=True)
        ]

    segments = {n: processors * SEGMENT_BYTES * 8e3 / row["tcp_mbps"] for n, row in used.items()}
    times = {"switch": segments[max(used)] / (_SWITCH_SHARE * max(used)), **_START_NS}
    # TCP's goodput scatters by seed, so small changes of times would not show its slopes.
    slopes = [[-_SWITCH_SHARE * n / ns, -_APP_SHARE / ns] for n, ns in segments.items()]
    times = _least_squares(times, ("switch", "stream"), compare_tcp, slopes)
    times = _least_squares(times, ("wake", "jitter", "deep"), compare_round_trips)
    computer = build(times)
    figures = {n: simulate(computer, n) for n in rows}
    return Fit(computer, rows, figures, [n for n in rows if n not in used])


def _least_squares(
    times: Mapping[str, float],
    names: Sequence[str],
    compare: Callable[[Mapping[str, float]], Sequence[float]],
    slopes: Sequence[Sequence[float]] | None = None,
) -> dict[str, float]:
    """Changes some of the times so that the squares of the differences have a small sum.

    Each round approximates the differences by linear functions of the times (Gauss and Newton).

    Args:
        times: the times at the beginning.
        names: the times to change. No time gets below 0.
        compare: a function that computes the differences for given times.
        slopes: for each difference, its change for a nanosecond of each time; simulated if missing.
    """
    import numpy as np
    from scipy.optimize import lsq_linear

    current, best, least = dict(times), dict(times), math.inf
    for _ in range(_ROUNDS):
        differences = np.array(compare(current))
        if (squares := float(differences @ differences)) < least:
            best, least = dict(current), squares
        matrix = np.array(slopes) if slopes is not None else _slopes(current, names, differences, compare)
        bounds = [-current[name] for name in names], [current[name] + _LEAST_CHANGE_NS for name in names]
        change = lsq_linear(matrix, -differences, bounds).x
        for name, ns in zip(names, change, strict=True):
            current[name] = max(0.0, current[name] + ns)
    return best


def _slopes(
    at: Mapping[str, float],
    names: Sequence[str],
    differences: Any,
    compare: Callable[[Mapping[str, float]], Sequence[float]],
) -> Any:
    """Computes how much each difference changes for a nanosecond of each time."""
    import numpy as np

    columns = []
    for name in names:
        step = max(_LEAST_STEP_NS, _STEP * at[name])
        columns.append((np.array(compare({**at, name: at[name] + step})) - differences) / step)
    return np.stack(columns, axis=1)


def _simulated_tcp(computer: weir.Computer, switches: int) -> float:
    """Returns the mean of TCP's goodput for all seeds."""
    goodputs = []
    for seed in _SEEDS:
        with network(switches, computer=computer, seed=seed) as net:
            goodputs.append(measure_tcp(net, 4 * _SECONDS))
    return fmean(goodputs)


def _simulated_round_trips(computer: weir.Computer, switches: int) -> tuple[float, float]:
    """Returns the means of the shortest and of the mean round trips for all seeds."""
    trips = []
    for seed in _SEEDS:
        with network(switches, computer=computer, seed=seed) as net:
            trips.append(measure_round_trips(net, _PINGS))
    return fmean(shortest for shortest, _ in trips), fmean(mean for _, mean in trips)


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
        deep_wake_up_jitter_ns=round(times["deep"]),
        context_switch_ns=_CONTEXT_SWITCH_NS,
        stack=weir.Cost(_STACK_NS),
        app=weir.Cost(round(times["stream"])),
        stream=weir.Cost(round(times["stream"])),
        egress_queue=64,
        **parts,
    )


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
        if not 1 <= switches <= MAX_SWITCHES:
            raise FileError(
                f"switches is {switches}: expected 1 to {MAX_SWITCHES}", file=path, where=str(line)
            )
        processors.add(int(numbers.pop("processors")))
        rows[switches] = numbers
    if len(processors) != 1:
        raise FileError("expected the same number of processors in each row", file=path)
    return rows, processors.pop()
