"""Measures the telemetry reports per second that the collector stores on this machine."""

from __future__ import annotations

import random
import struct
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from weir.errors.extras import lab_extra
from weir.telemetry import PORT_INT, Instruction

_INSTRUCTIONS: Final = Instruction.NODE | Instruction.INTERFACES | Instruction.LATENCY | Instruction.QUEUE
_FLOWS: Final = 1000
_DIFFERENT_DATAGRAMS: Final = 20_000
"""The number of different datagrams. The measurement repeats them."""


@dataclass(frozen=True)
class CollectorSpeed:
    """The speed of the collector. Times are processor times, summed over all threads.

    Attributes:
        reports: the number of collected reports, each in a datagram.
        hops: the number of nodes on the path of each report.
        datagram_bytes: the bytes of UDP payload of each report.
        batch: the number of datagrams in a batch.
        store_seconds: the time to decode the datagrams and store them on disk.
        decode_seconds: the time to decode all datagrams in batches.
        loop_seconds: the time to read all datagrams one by one with :func:`read_reports`,
            extrapolated from the first datagrams.
        store_bytes: the size of the store on disk.
    """

    reports: int
    hops: int
    datagram_bytes: int
    batch: int
    store_seconds: float
    decode_seconds: float
    loop_seconds: float
    store_bytes: int

    @property
    def reports_per_second(self) -> float:
        """The reports per second that one core collects."""
        return self.reports / self.store_seconds

    @property
    def decode_ratio(self) -> float:
        """The ratio of the time to decode reports one by one to the time in batches."""
        return self.loop_seconds / self.decode_seconds


def time_collector(
    reports: int = 200_000, hops: int = 5, batch: int = 50_000, seed: int = 1
) -> CollectorSpeed:
    """Measures the speed of decoding and storing INT-MD reports over UDP.

    Args:
        reports: the number of reports.
        hops: the number of nodes on the path of each report, 1 to 40.
        batch: the number of datagrams in a batch.
        seed: the seed of the random flows, latencies and queues in the reports.

    Raises:
        MissingExtraError: the extra ``lab`` is not installed.
    """
    with lab_extra("telemetry stores"):
        from weir.telemetry import Store, decode, read_reports

    different = datagrams(min(reports, _DIFFERENT_DATAGRAMS), hops, seed)
    payloads = [different[number % len(different)] for number in range(reports)]
    times = [1000 * number for number in range(reports)]
    decode(payloads[:100], times[:100])  # creates the tables that all calls share

    start = time.process_time()
    for first in range(0, reports, batch):
        decode(payloads[first : first + batch], times[first : first + batch])
    decode_seconds = time.process_time() - start

    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder) / "store")
        start = time.process_time()
        for first in range(0, reports, batch):
            store.add(payloads[first : first + batch], times[first : first + batch])
        store_seconds = time.process_time() - start
        size = sum(path.stat().st_size for path in store.folder.rglob("*.parquet"))

    some = payloads[: max(reports // 200, 1)]
    start = time.process_time()
    for payload in some:
        read_reports(payload)
    loop_seconds = (time.process_time() - start) * reports / len(some)
    return CollectorSpeed(
        reports, hops, len(different[0]), batch, store_seconds, decode_seconds, loop_seconds, size
    )


def datagrams(count: int, hops: int, seed: int) -> list[bytes]:
    """Generates INT-MD reports over UDP as a sink sends them, with the sink's own metadata."""
    chance = random.Random(seed)
    words = 4
    shim_words = 3 + (hops - 1) * words
    ip_bytes = 20 + 8 + 4 + 4 * shim_words
    payloads = []
    for number in range(count):
        flow = chance.randrange(_FLOWS)
        first, *others = (
            struct.pack("!HHII", 1, 2, chance.randrange(20_000), chance.randrange(64)) for _ in range(hops)
        )
        stack = b"".join(struct.pack("!I", hops - 1 - place) + one for place, one in enumerate(others))
        packet = (
            struct.pack("!BBHHHBBH", 0x45, 0, ip_bytes + 1000, number & 0xFFFF, 0, 60, 17, 0)
            + struct.pack(
                "!IIHHHH", 0x0A000101, 0x0A000200 + flow % 256, 1024 + flow, PORT_INT, ip_bytes + 980, 0
            )
            + struct.pack("!BBH", 0x14, shim_words, 5000)
            + struct.pack("!IHHHH", 0x20000000 | words << 8 | 8, _INSTRUCTIONS, 0, 0, 0)
            + stack
        )
        bits = _INSTRUCTIONS & ~Instruction.NODE
        report = (
            struct.pack("!BBBBHHHH", 0x14, 2 + 3 + len(packet) // 4, 3, 0x20, bits, 0, 0, 0) + first + packet
        )
        payloads.append(struct.pack("!II", 2 << 28 | number, hops) + report)
    return payloads
