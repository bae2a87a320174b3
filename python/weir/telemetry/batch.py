"""Many telemetry reports as columns, decoded together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from weir.telemetry.headers import Packets, ipv4_packets
from weir.telemetry.instruction import WORD
from weir.telemetry.metadata import hop_columns
from weir.telemetry.report import ETHERNET, FIXED_BYTES, INNER_TYPES, read_reports
from weir.telemetry.words import Numbers, Words, bits, word_counts


@dataclass(frozen=True)
class Bad:
    """A datagram that is not a telemetry report.

    Attributes:
        time_ns: when it arrived.
        reason: what is wrong.
        payload: its bytes.
    """

    time_ns: int
    reason: str
    payload: bytes


@dataclass(frozen=True)
class Batch:
    """The contents of some datagrams.

    Attributes:
        reports: an array for each column of the table ``reports``; ``report`` counts from 0.
        hops: an array for each column of the table ``hops``, masked where there is no value.
        bad: the datagrams that are not reports.
    """

    reports: dict[str, Numbers]
    hops: dict[str, Numbers]
    bad: list[Bad]

    def __len__(self) -> int:
        """How many reports there are."""
        return len(self.reports["report"])


def decode(payloads: Sequence[bytes], times_ns: Sequence[int] | Numbers) -> Batch:
    """Reads many datagrams at once.

    The result is that of :func:`read_reports` for each datagram, without a call for each.

    Args:
        payloads: the UDP payloads, in the order of their arrival.
        times_ns: when each arrived.
    """
    words = Words(payloads)
    times = np.asarray(times_ns, np.int64)
    good, datagram, start, end = _individual_reports(words)
    wrong = np.flatnonzero(~good).tolist()
    bad = [Bad(int(times[index]), _problem(payloads[index]), payloads[index]) for index in wrong]
    head, bitmap = words.at[start], bits(words.at[start + 1], 16, 16)
    metadata = start + FIXED_BYTES // WORD
    packet = metadata + bits(head, 8, 8)
    at, packet, length = ipv4_packets(words.at, packet, end - packet * WORD, bits(head, 24, 8) == ETHERNET)
    packets = Packets(at, packet, length)
    group = words.starts[datagram]
    first = np.ones(len(datagram), np.bool_)
    first[1:] = datagram[1:] != datagram[:-1]
    node = words.at[group + 1]
    reason = bits(words.at[metadata + word_counts()[bitmap] - 1], 16, 8)
    has_reason = bits(bitmap, 0, 1) == 1
    reports: dict[str, Numbers] = {
        "report": np.arange(len(datagram)),
        "time_ns": times[datagram],
        "node": node,
        "hw_id": bits(words.at[group], 22, 6).astype(np.uint8),
        "sequence": bits(words.at[group], 0, 22),
        "first_in_datagram": first,
        "dropped": bits(head, 7, 1).astype(np.bool_),
        "congested": bits(head, 6, 1).astype(np.bool_),
        "tracked": bits(head, 5, 1).astype(np.bool_),
        "intermediate": bits(head, 4, 1).astype(np.bool_),
        "drop_reason": np.ma.masked_array(reason.astype(np.uint8), ~has_reason),
        **packets.columns(),
    }
    return Batch(reports, hop_columns(at, reports, bitmap, metadata, packets), bad)


def _individual_reports(words: Words) -> tuple[Numbers, Numbers, Numbers, Numbers]:
    """Finds the reports: the first of each datagram, then the second if there is one, …

    Returns:
        Which datagrams are whole; and for each report in these, its datagram, the index of its
        first word, and its end in bytes from the very first word.
    """
    at = words.at
    good = (words.lengths >= FIXED_BYTES) & (bits(at[words.starts], 28, 4) == 2)
    datagram = np.flatnonzero(good)
    start = words.starts[datagram] + 2
    limit = words.starts[datagram] * WORD + words.lengths[datagram]
    found = []
    while datagram.size:
        room = limit - start * WORD
        head, bitmap = at[start], bits(at[start + 1], 16, 16)
        length = bits(head, 16, 8).astype(np.int64)
        size = np.where(length == 255, room, (length + 1) * WORD)
        metadata, asked = bits(head, 8, 8), word_counts()[bitmap]
        domain = bits(at[start + 2], 16, 16) != 0
        right = (
            (room >= FIXED_BYTES)
            & np.isin(bits(head, 24, 8), INNER_TYPES)
            & (size <= room)
            & (FIXED_BYTES + metadata.astype(np.int64) * WORD <= size)
            & ((metadata == asked) | ((metadata > asked) & domain))
        )
        good[datagram[~right]] = False
        datagram, start, limit, size = datagram[right], start[right], limit[right], size[right]
        found.append((datagram, start, start * WORD + size))
        more = start * WORD + size < limit
        datagram, start, limit = datagram[more], (start + size // WORD)[more], limit[more]
    if not found:
        return good, *(np.empty(0, np.int64) for _ in range(3))
    datagrams, starts, ends = (np.concatenate(parts) for parts in zip(*found, strict=True))
    kept = good[datagrams]
    datagrams, starts, ends = datagrams[kept], starts[kept], ends[kept]
    order = np.argsort(starts, kind="stable") if len(found) > 1 else slice(None)
    return good, datagrams[order], starts[order], ends[order]


def _problem(payload: bytes) -> str:
    """What is wrong with a datagram, in the words of :func:`read_reports`."""
    try:
        read_reports(payload)
    except ValueError as problem:
        return str(problem)
    raise AssertionError(f"decode refuses what read_reports accepts: {payload.hex()}")
