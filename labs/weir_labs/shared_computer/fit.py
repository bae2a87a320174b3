"""Derives a computer from chains of different lengths that a user measured on it."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, geometric_mean
from typing import Final

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
"""The shares of a switch's threads in its processor time for a packet. The threads work one after
the other, so these matter only where one thread is the limit."""

_MAX_FILE: Final = 1 << 20
_ROUNDS: Final = 8
_PINGS: Final = 300
_SECONDS: Final = 0.5
_WAKE_UPS: Final = 8
"""Threads that a ping wakes at each switch, there and back."""


@dataclass(frozen=True)
class Fit:
    """A computer, and how well it fits.

    Attributes:
        computer: the computer.
        measured: the figures in the file, by the number of switches.
        simulated: the same figures on the virtual computer.
        predicted: the numbers of switches that were not used for the fit.
    """

    computer: weir.Computer
    measured: Mapping[int, Mapping[str, float]]
    simulated: Mapping[int, Figures]
    predicted: Sequence[int]


def fit(path: Path, predict: Sequence[int] = ()) -> Fit:
    """Fits a computer to the measurements of a file.

    Starting from a guess, it simulates the chains and corrects four numbers, in eight rounds: the
    time of a switch for a packet by the ratio of TCP throughputs; the time of a wake-up by the
    slope of the shortest round trips over the number of switches; the random part of a wake-up by
    the ratio of the mean distances of average and minimum; the time of the hosts by what remains
    of the shortest round trips.

    Args:
        path: the file.
        predict: numbers of switches whose rows are compared but not used.

    Raises:
        FileError: the file cannot be read, or does not determine the computer.
    """
    rows, processors = read_measurements(path)
    used = [switches for switches in rows if switches not in predict]
    if len(used) < 2:
        raise FileError("expected measurements of at least two numbers of switches to fit", file=path)
    line = _line({n: rows[n]["rtt_min_ms"] for n in used})
    if line[1] <= 0:
        raise FileError("round trips do not grow with the number of switches", file=path)
    per_packet = fmean(processors / _packets(rows[n]["tcp_mbps"]) / n for n in used) * 1e9
    wake_ns = max(1000.0, (line[1] * 1e6 - 2 * per_packet) / _WAKE_UPS)
    jitter_ns = 1e6 * fmean((rows[n]["rtt_avg_ms"] - rows[n]["rtt_min_ms"]) / n for n in used) / _WAKE_UPS
    host_ns = max(0.0, line[0] * 1e6 / 8)
    found = _computer(path.stem, processors, per_packet, wake_ns, jitter_ns, host_ns)
    for _ in range(_ROUNDS):
        seen = {n: simulated(found, n) for n in used}
        per_packet *= geometric_mean([seen[n].tcp_mbps / rows[n]["tcp_mbps"] for n in used])
        least = _line({n: seen[n].rtt_min_ms for n in used})
        wake_ns = max(0.0, wake_ns + (line[1] - least[1]) * 1e6 / _WAKE_UPS)
        host_ns = max(0.0, host_ns + (line[0] - least[0]) * 1e6 / 8)
        spread = fmean(seen[n].rtt_avg_ms - seen[n].rtt_min_ms for n in used)
        wanted = fmean(rows[n]["rtt_avg_ms"] - rows[n]["rtt_min_ms"] for n in used)
        jitter_ns *= min(3.0, wanted / spread) if spread > 0 else 1.0
        found = _computer(path.stem, processors, per_packet, wake_ns, jitter_ns, host_ns)
    figures = {n: simulated(found, n) for n in rows}
    return Fit(found, rows, figures, [n for n in rows if n not in used])


def simulated(computer: weir.Computer, switches: int, seed: int = 1) -> Figures:
    """The figures of a chain on a virtual computer."""
    with network(switches, computer, seed) as net:
        return measure(net, pings=_PINGS, seconds=_SECONDS)


def _computer(
    name: str, processors: int, per_packet: float, wake_ns: float, jitter_ns: float, host_ns: float
) -> weir.Computer:
    parts = {part: weir.Cost(round(share * per_packet)) for part, share in SHARES.items()}
    return weir.Computer(
        name=name,
        processors=processors,
        wake_up_ns=round(wake_ns),
        wake_up_jitter_ns=round(jitter_ns),
        context_switch_ns=1500,
        stack=weir.Cost(round(host_ns)),
        app=weir.Cost(round(host_ns)),
        egress_queue=64,
        **parts,
    )


def _packets(tcp_mbps: float) -> float:
    """Packets per second of a TCP flow: a segment of 1448 bytes, and half an acknowledgement."""
    return 1.5 * tcp_mbps * 1e6 / 8 / 1448


def _line(points: Mapping[int, float]) -> tuple[float, float]:
    """Intercept and slope of the line of least squares."""
    from scipy.stats import linregress

    line = linregress(list(points), list(points.values()))
    return float(line.intercept), float(line.slope)


def read_measurements(path: Path) -> tuple[dict[int, dict[str, float]], int]:
    """The rows of a file by the number of switches, and the number of processors.

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
