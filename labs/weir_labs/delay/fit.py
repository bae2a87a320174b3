"""Derives a machine's timing from pings and iperf runs that a user measured on a real switch."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median
from typing import Final

from weir.errors import FileError
from weir.lab import listing, nearest, read_text

from .machines import Machine

COLUMNS: Final = (
    "recirculations",
    "rtt_min_ms",
    "rtt_avg_ms",
    "tcp_mbps",
    "udp_sent_mbps",
    "udp_received_mbps",
)
"""The columns of the file. Only the first one is required, and cells may be empty."""

SEGMENT_BYTES: Final = 1448
DATAGRAM_BYTES: Final = 1470

_MAX_FILE: Final = 16 << 20

Row = dict[str, float]


@dataclass(frozen=True)
class Fit:
    """A machine whose timing was fitted to measurements, with measures of how well it fits.

    Attributes:
        machine: the fitted timing.
        r2: the share of the round trips' variance that a + b·X explains; ``None`` for fewer than
            three numbers of recirculations, because a line goes through any two points.
        residuals: for each number of recirculations, the measured and the fitted minimum round trip
            in milliseconds.
        capacities: for each throughput, the name of its row and the implied capacity in passes per
            second.
    """

    machine: Machine
    r2: float | None
    residuals: list[tuple[int, float, float]]
    capacities: list[tuple[str, float]]


def fit(path: Path) -> Fit:
    """Fits a machine to the measurements of a file.

    The minimum round trips are fitted to ``a + b·X``. The pass time is ``b / 2``; the hosts' time
    is ``a`` minus two pass times. The jitter of a host is the mean difference between average and
    minimum: a round trip has two hosts, each with half of its jitter on average. The capacity is
    the median of the capacities that TCP throughputs (a segment and half an acknowledgement, each X
    + 1 passes) and UDP throughputs with loss imply.

    Raises:
        FileError: the file cannot be read, or does not determine the timing.
    """
    rows = _read_measurements(path)
    rtts = [(int(row["recirculations"]), row["rtt_min_ms"]) for row in rows if "rtt_min_ms" in row]
    if len({x for x, _ in rtts}) < 2:
        raise FileError("expected rtt_min_ms for at least two numbers of recirculations", file=path)
    from scipy.stats import linregress

    line = linregress([x for x, _ in rtts], [rtt for _, rtt in rtts])
    intercept, slope = float(line.intercept), float(line.slope)
    if slope <= 0:
        raise FileError(
            f"round trips do not increase with recirculations: the slope is {slope:.3g} ms", file=path
        )
    capacities = [capacity for row in rows for capacity in _capacities(row)]
    if not capacities:
        raise FileError("expected tcp_mbps, or udp_sent_mbps and udp_received_mbps with loss", file=path)
    spread = [
        row["rtt_avg_ms"] - row["rtt_min_ms"] for row in rows if {"rtt_avg_ms", "rtt_min_ms"} <= set(row)
    ]
    machine = Machine(
        path.stem,
        pass_ns=round(slope / 2 * 1e6),
        capacity=max(1, round(median(value for _, value in capacities))),
        host_ns=max(0, round((intercept - slope) / 2 * 1e6)),
        host_jitter_ns=max(0, round(fmean(spread) * 1e6)) if spread else 0,
    )
    residuals = [(x, rtt, intercept + slope * x) for x, rtt in rtts]
    r2 = float(line.rvalue) ** 2 if len({x for x, _ in rtts}) > 2 else None
    return Fit(machine, r2, residuals, capacities)


def _capacities(row: Row) -> list[tuple[str, float]]:
    passes = row["recirculations"] + 1
    capacities = []
    if "tcp_mbps" in row:
        segments = row["tcp_mbps"] * 1e6 / 8 / SEGMENT_BYTES
        capacities.append((f"TCP, X = {row['recirculations']:g}", 1.5 * segments * passes))
    sent, received = row.get("udp_sent_mbps"), row.get("udp_received_mbps")
    if sent is not None and received is not None and received < 0.98 * sent:
        capacities.append(
            (f"UDP, X = {row['recirculations']:g}", received * 1e6 / 8 / DATAGRAM_BYTES * passes)
        )
    return capacities


def _read_measurements(path: Path) -> list[Row]:
    text = read_text(path, _MAX_FILE)
    try:
        reader = csv.DictReader(io.StringIO(text, newline=""))
        names = [name.strip() for name in reader.fieldnames or ()]
        for name in names:
            if name not in COLUMNS:
                raise FileError(
                    f'the column "{name}" is unknown; known columns: {listing(COLUMNS, 6)}',
                    file=path,
                    suggestion=nearest(name, COLUMNS),
                )
        if "recirculations" not in names:
            raise FileError("the column recirculations is missing", file=path)
        reader.fieldnames = names
        return [_parse_row(row, path, line) for line, row in enumerate(reader, 2)]
    except csv.Error as error:
        raise FileError(f"cannot be read: {error}", file=path) from None


def _parse_row(row: dict[str, str], path: Path, line: int) -> Row:
    values: Row = {}
    for name, text in row.items():
        if not isinstance(text, str):
            if name is None:
                raise FileError("more cells than columns", file=path, where=str(line))
            continue
        if text.strip():
            try:
                values[name] = float(text)
            except ValueError:
                raise FileError(
                    f'{name} is "{text}": expected a number', file=path, where=str(line)
                ) from None
            if not 0 <= values[name] < 1e9:
                raise FileError(f"{name} is {text}: expected a number from 0", file=path, where=str(line))
    if "recirculations" not in values:
        raise FileError("recirculations is empty", file=path, where=str(line))
    return values
