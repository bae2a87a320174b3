"""Compares every value that switches report with the simulator's record of the same packet."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

import weir
from weir.flows import TcpFlow, UdpFlow
from weir.lab import one_of

from .chain import FROM_H1, chain, packed_address, program, watch_entry
from .collector import collect
from .compare import ALL, FIELDS, ComparedValues, compare
from .known import PAYLOAD
from .record import Recorder

BURST_MS, PERIOD_MS = 100, 250
"""Cross traffic comes in bursts. The numbers are the length of a burst, and the time from one burst
to the next, in milliseconds."""


def watch(mode: str, instructions: int, match: Mapping[str, Any] | None = None) -> list[dict[str, Any]]:
    """Builds the entries of watchlists for a mode: MD, MX, XD, or off.

    Args:
        mode: the mode.
        instructions: the instruction bitmap.
        match: the flow; ``None`` for all packets from h1.
    """
    flow = FROM_H1 if match is None else match
    if mode == "MD":
        return [
            watch_entry("embed_data", instructions, flow, max_hops=255, discard=0, by_port=0),
        ]
    if mode == "MX":
        return [watch_entry("embed_instructions", instructions, flow, discard=0, by_port=0)]
    return [watch_entry("export_data", instructions, flow)] if mode == "XD" else []


@weir.experiment(
    mode=["MD", "MX", "XD"],
    transport=["udp", "tcp"],
    switches=[5],
    rate=["10Mbit"],
    mbps=[2.0],
    cross_mbps=[9.0],
    data_bytes=[1000],
    seconds=[2],
    seeds=2,
)
def metadata(
    mode: str,
    transport: str,
    switches: int,
    rate: str,
    mbps: float,
    cross_mbps: float,
    data_bytes: int,
    seconds: int,
    seed: int,
) -> dict[str, Any]:
    """Do all values of all nodes agree with those that the simulator recorded for the same packet?

    h1 sends to h2, and telemetry of all instructions is on. h4 sends bursts to h5 over the links
    from s2 to the last switch but one.
    """
    one_of("mode", mode, "MD", "MX", "XD")
    one_of("transport", transport, "udp", "tcp")
    topology = chain(switches, rate, payload=PAYLOAD, watch=watch(mode, ALL), cross=True, logical=True)
    with weir.Network(topology, program(), seed=seed, noise="realistic") as net:
        recorder = Recorder(net, switches, cross=True)
        collector = collect(net)
        start_cross_traffic(net, cross_mbps, seconds, data_bytes)
        sender = net.host("h1")
        flow: TcpFlow | UdpFlow
        if transport == "udp":
            flow = sender.start_iperf(
                "h2",
                udp=True,
                rate=f"{mbps}Mbit",
                length=f"{data_bytes}B",
                duration=f"{seconds}s",
                interval=None,
            )
        else:
            flow = sender.start_iperf(
                "h2", rate=f"{mbps}Mbit", mss=f"{data_bytes}B", duration=f"{seconds}s", interval=None
            )
        net.run_for(f"{seconds + 1}s")
        flow.result()
        record = recorder.passages
    reports = [report for _, report in collector.reports]
    compared = compare(reports, record, rate)
    expected = _expected_reports(mode, switches, record)
    return {
        "packets": sum(1 for number, packet in record if number == switches and is_watched(packet[0])),
        "reports": len(reports),
        "lost_reports": expected - len(reports),
        "bad_reports": len(collector.bad),
        "hops": compared.hops,
        "values": sum(compared.values.values()),
        "wrong": sum(compared.wrong.values()) + compared.unknown,
        "uncertain": sum(passage.waiting[0] != passage.waiting[1] for _, passage in compared.pairs),
        "wrong_checksums": recorder.wrong_checksums,
        "longest_queue": max(hop.queue_packets or 0 for hop, _ in compared.pairs),
        "largest_latency_ms": max(hop.latency_us or 0 for hop, _ in compared.pairs) / 1e3,
        "fields": fields_table(compared),
        "hops_over_time": _metadata_over_time(compared),
    }


def start_cross_traffic(net: weir.Network, mbps: float, seconds: float, data_bytes: int = 1000) -> None:
    """Makes h4 send bursts of datagrams to h5 for this time."""

    def burst() -> None:
        net.host("h4").start_iperf(
            "h5",
            udp=True,
            rate=f"{mbps}Mbit",
            length=f"{data_bytes}B",
            duration=f"{BURST_MS}ms",
            interval=None,
        )

    for start_ms in range(PERIOD_MS // 2, round(1000 * seconds), PERIOD_MS):
        net.at(f"{start_ms}ms", burst)


def is_watched(identifying: bytes) -> bool:
    """Returns whether h1 sent the packet with these identifying bytes to h2."""
    return identifying.startswith(packed_address("h1") + packed_address("h2"))


def _expected_reports(mode: str, switches: int, record: Mapping[Any, Any]) -> int:
    """Counts the reports about h1's packets that should be sent, by the last switch or by all
    switches."""
    return sum(
        1
        for number, packet in record
        if is_watched(packet[0]) and (mode in ("MX", "XD") or number == switches)
    )


def fields_table(compared: ComparedValues) -> pl.DataFrame:
    """Builds a table with a row for each field: the number of compared values, of wrong values, and
    of unavailable values."""
    return pl.DataFrame(
        {
            "field": list(FIELDS),
            "instruction": [15 - (int(bit).bit_length() - 1) for bit in FIELDS.values()],
            "values": [compared.values[name] for name in FIELDS],
            "wrong": [compared.wrong[name] for name in FIELDS],
            "unavailable": [compared.unavailable[name] for name in FIELDS],
        },
        schema_overrides={"instruction": pl.Int64},
    )


def _metadata_over_time(compared: ComparedValues) -> pl.DataFrame:
    """Builds a table with a row for each node's metadata, next to the record."""
    pairs = sorted(compared.pairs, key=lambda pair: (pair[1].switch, pair[1].left_ns))
    return pl.DataFrame(
        {
            "node": [passage.switch for _, passage in pairs],
            "time_s": [passage.left_ns / 1e9 for _, passage in pairs],
            "latency_us": [hop.latency_us for hop, _ in pairs],
            "recorded_us": [passage.left_ns // 1000 - passage.arrived_ns // 1000 for _, passage in pairs],
            "queue": [hop.queue_packets for hop, _ in pairs],
            "recorded_queue": [passage.waiting[1] for _, passage in pairs],
            "utilization_ppm": [hop.utilization_ppm for hop, _ in pairs],
        },
    )
