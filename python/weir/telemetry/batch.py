"""Decodes many telemetry reports at once, into columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from weir.telemetry.datagrams import Datagrams
from weir.telemetry.words import Numbers


@dataclass(frozen=True)
class BadDatagram:
    """A datagram that is not a telemetry report.

    Attributes:
        time_ns: the time of arrival in nanoseconds.
        reason: what is wrong with the datagram.
        payload: the bytes of the datagram.
    """

    time_ns: int
    reason: str
    payload: bytes


@dataclass(frozen=True)
class Batch:
    """The decoded contents of several datagrams.

    Attributes:
        reports: an array for each column of the table ``reports``; ``report`` counts from 0.
        hops: an array for each column of the table ``hops``, masked where there is no value.
        bad: the datagrams that are not reports.
    """

    reports: dict[str, Numbers]
    hops: dict[str, Numbers]
    bad: list[BadDatagram]

    def __len__(self) -> int:
        """Returns the number of reports."""
        return len(self.reports["report"])


def decode(payloads: Sequence[bytes], times_ns: Sequence[int] | Numbers) -> Batch:
    """Decodes many datagrams at once.

    The result is the same as that of :func:`read_reports` for each datagram, but is computed
    faster.

    Args:
        payloads: the UDP payloads, in the order of their arrival.
        times_ns: the time at which each datagram arrived.
    """
    times = np.asarray(times_ns, np.int64)
    datagrams = Datagrams(payloads)
    reports = datagrams.reports(times)
    bad = [
        BadDatagram(int(times[index]), problem, payloads[index])
        for index, problem in sorted(datagrams.problems.items())
    ]
    return Batch(reports, datagrams.hops(reports), bad)
