"""Event detection: planted events, and the reports that switches send about them."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Final

import polars as pl

import weir
from weir.lab import one_of
from weir.telemetry import Report

from .chain import FROM_H1, PATH, bypass_hop, chain, drop_entries, event_entry, packed_address, program
from .collector import collect
from .known import PAYLOAD, Packet, packets_of
from .metadata import watch
from .oracle import Event, Thresholds, expected_drops, expected_events
from .record import Recorder

WATCHED: Final = packed_address("h1") + packed_address("h2")
"""The addresses of h1 and h2. The flows on the watchlist are between these hosts."""

DROP_RESET_US: Final = 1_000_000


@dataclass(frozen=True)
class PlantedEvent:
    """Something that the experiment makes happen in the network.

    Attributes:
        what: a description of the event.
        at_s: the time of the event, in seconds.
        kinds: the kinds of reports about it; see :class:`Event`.
        protocol: the protocol of the flow that the reports are about.
    """

    what: str
    at_s: float
    kinds: tuple[str, ...]
    protocol: str = "UDP"


PLANTED: Final = (
    PlantedEvent("a flow of datagrams starts", 0.2, ("start",)),
    PlantedEvent("a TCP connection begins", 0.5, ("start",), "TCP"),
    PlantedEvent("the TCP connection ends", 0.5, ("end",), "TCP"),
    PlantedEvent("s2 sends over the bypass", 1.0, ("path",)),
    PlantedEvent("s2 sends over s3 again", 1.5, ("path",)),
    PlantedEvent("a queue grows at s2", 2.0, ("latency", "queue")),
    PlantedEvent("a queue of s2 is full", 3.0, ("drop",)),
    PlantedEvent("s4 has no route", 4.0, ("drop",)),
    PlantedEvent("the flow of datagrams comes back", 4.9, ("start",)),
)
"""The events that the experiment makes happen in each run."""

LENGTH_S: Final = 5.2


@weir.experiment(
    mode=["MD", "MX", "XD"],
    detection=["off", "on", "reset"],
    latency_us=[5000],
    queue_packets=[6],
    idle_ms=[400],
    reset_ms=[300],
    mbps=[2.0],
)
def events(
    mode: str,
    detection: str,
    latency_us: int,
    queue_packets: int,
    idle_ms: int,
    reset_ms: int,
    mbps: float,
    seed: int,
) -> dict[str, Any]:
    """Is every event reported in time, and nothing else?

    The record says which packets should be reported; the reports are compared with these. With
    ``detection=reset``, all packets are reported again after ``reset_ms``.
    """
    one_of("mode", mode, "MD", "MX", "XD")
    one_of("detection", detection, "off", "on", "reset")
    reset_us = 1000 * reset_ms if detection == "reset" else 0
    thresholds = Thresholds(latency_us, queue_packets, 1000 * idle_ms, reset_us)
    rows = [*watch(mode, PATH), *drop_entries(FROM_H1, DROP_RESET_US)]
    if detection != "off":
        rows.append(event_entry(**asdict(thresholds)))
    topology = chain(5, "10Mbit", payload=PAYLOAD, watch=rows, cross=True, bypass=True, detect=True)
    with weir.Network(topology, program(), seed=seed, noise="realistic") as net:
        recorder = Recorder(net, 5, cross=True, bypass=True)
        collector = collect(net)
        _plant(net, mbps)
        net.run_for(f"{LENGTH_S + 1}s")
        record, drops = recorder.passages, recorder.drops
        silent = [
            drop
            for drop in net.audit().drops
            if drop.place.startswith("s") and "drop port" not in drop.reason
        ]
    sink = 5 if mode == "MD" else None
    passed = [timed_report for timed_report in collector.reports if not timed_report[1].dropped]
    drop_reports = [timed_report for timed_report in collector.reports if timed_report[1].dropped]
    news = expected_events(record, WATCHED, thresholds, sink) if detection != "off" else None
    dropped = expected_drops(drops, WATCHED, DROP_RESET_US)
    return {
        "packets": sum(number == 5 and packet[0].startswith(WATCHED) for number, packet in record),
        "reports": len(passed),
        "drop_reports": len(drop_reports),
        "dropped": sum(drop.packet[0].startswith(WATCHED) for drop in drops),
        "silent_drops": sum(drop.packets for drop in silent),
        "bad_reports": len(collector.bad),
        **_difference("drop", drop_reports, dropped),
        **_difference("news", passed, news),
        "told": _table(_rows(drop_reports, dropped) + _rows(passed, news or [])),
    }


def _plant(net: weir.Network, mbps: float) -> None:
    """Makes all events of :data:`PLANTED` happen."""
    h1, h4 = net.host("h1"), net.host("h4")
    routes = {name: net.switch(name).table("ipv4_lpm") for name in ("s2", "s4")}
    handles = {
        name: next(entry for entry in table.entries() if "10.0.2.2" in entry.match["hdr.packet.ipv4.dstAddr"])
        for name, table in routes.items()
    }
    usual = {name: dict(entry.params) for name, entry in handles.items()}
    match = {"hdr.packet.ipv4.dstAddr": ["10.0.2.2", 32]}

    def send(start_s: float, length_s: float) -> None:
        def go() -> None:
            h1.start_iperf(
                "h2", udp=True, rate=f"{mbps}Mbit", length="1000B", duration=f"{length_s}s", interval=None,
                source_port=4000, linger="50ms",
            )  # fmt: skip

        net.at(f"{start_s}s", go)

    def disturb(start_s: float, length_s: float, rate: str) -> None:
        net.at(
            f"{start_s}s",
            lambda: h4.start_iperf(
                "h5", udp=True, rate=rate, length="1000B", duration=f"{length_s}s", interval=None
            ),
        )

    def forward(name: str, parameters: dict[str, Any]) -> None:
        routes[name].modify(handles[name], "ipv4_forward", parameters)

    send(0.2, 4.1)
    net.at("0.5s", lambda: h1.start_iperf("h2", size="20kB", mss="1000B", interval=None))
    net.at("1s", lambda: forward("s2", bypass_hop(5)))
    net.at("1.5s", lambda: forward("s2", usual["s2"]))
    disturb(2.0, 0.15, "9.5Mbit")
    disturb(3.0, 0.2, "13Mbit")
    net.at("4s", lambda: routes["s4"].delete(handles["s4"]))
    net.at("4.1s", lambda: routes["s4"].insert(match, "ipv4_forward", usual["s4"]))
    send(4.9, 0.2)


Arrived = tuple[int, Report]


def _identified_reports(arrived: list[Arrived]) -> list[tuple[int, Packet]]:
    """Returns the node and the packet of each report."""
    reports = [report for _, report in arrived]
    return [(report.node, packet) for report, packet in zip(reports, packets_of(reports), strict=True)]


def _difference(name: str, arrived: list[Arrived], expected: list[Event] | None) -> dict[str, int | None]:
    """Counts missing and unexpected reports; the counts are ``None`` if switches report all
    packets."""
    if expected is None:
        return dict.fromkeys((f"{name}_expected", f"{name}_missing", f"{name}_unexpected"))
    right, reported = {(event.switch, event.packet) for event in expected}, _identified_reports(arrived)
    return {
        f"{name}_expected": len(expected),
        f"{name}_missing": len(right - set(reported)),
        f"{name}_unexpected": sum(report not in right for report in reported),
    }


def _rows(arrived: list[Arrived], expected: list[Event]) -> list[dict[str, Any]]:
    """Builds a row for each report: when the packet left or was dropped, and when the report
    arrived."""
    events = {(event.switch, event.packet): event for event in expected}
    rows = []
    for (time_ns, report), identified in zip(arrived, _identified_reports(arrived), strict=True):
        event = events.get(identified)
        rows.append(
            {
                "kind": event.kind if event else "packet",
                "node": report.node,
                "protocol": "TCP" if report.packet[9] == 6 else "UDP",
                "time_s": event.time_ns / 1e9 if event else None,
                "arrived_s": time_ns / 1e9,
                "queue": max((hop.queue_packets or 0 for hop in report.hops), default=0),
                "drop_reason": report.local.drop_reason,
            }
        )
    return rows


def _table(rows: list[dict[str, Any]]) -> pl.DataFrame:
    return pl.DataFrame(
        sorted(rows, key=lambda row: row["arrived_s"]),
        schema={
            "kind": pl.String,
            "node": pl.Int64,
            "protocol": pl.String,
            "time_s": pl.Float64,
            "arrived_s": pl.Float64,
            "queue": pl.Int64,
            "drop_reason": pl.Int64,
        },
    )
