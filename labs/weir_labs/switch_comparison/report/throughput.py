"""The report on throughput by packet size."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from weir.lab import Findings, Tables
from weir.report import Figure, Panel, Section, Table, draw_panels, logarithmic, with_interval

from ..switches.known import SWITCHES
from .claims import Claim, claims_table, comparison_sentence, comparison_table, most_sentence, sentence
from .points import (
    Row,
    busy_note,
    curves,
    means,
    missing_switches,
    names,
    not_measured,
    title,
)

_CLAIMS = [
    Claim(
        "run to completion forwards more than a pipeline of threads, at every packet size",
        "goodput_mbps",
        True,
        ("protocol", "size"),
    )
]


def findings(tables: Tables, plots: Path) -> Findings:
    """Reports the throughput of each switch (the thesis's figure 4.2)."""
    runs = tables.runs.filter(pl.col("available"))
    rows = means(runs, "switch", "protocol", "size")
    claims, answer = claims_table(_CLAIMS, runs.to_dicts())
    protocols = list(dict.fromkeys(row["protocol"] for row in rows))
    figures = [
        Figure(
            draw_panels(
                plots,
                "throughput",
                [
                    Panel(
                        protocol.upper(),
                        curves([row for row in rows if row["protocol"] == protocol], "size", "goodput_mbps"),
                    )
                    for protocol in protocols
                ],
                x="size of IP packets in bytes",
                y="goodput in Mbit/s",
                decorate=logarithmic("x", "y"),
            ),
            "The switch with the highest curve forwards most; if a curve rises in proportion to the packet "
            "size, the switch's cost per packet hardly depends on the size.",
            wide=True,
        )
    ]
    missing = missing_switches(tables)
    senders = {row["sender"] for row in rows if row["sender"]}
    return Findings(
        sentence(
            most_sentence(runs.to_dicts(), "goodput_mbps", ("protocol", "size")),
            comparison_sentence(runs.to_dicts(), "goodput_mbps", "throughput", ("protocol", "size")),
            answer,
            not_measured(tables),
        ),
        [
            Section("The switches", tables=[_switches(rows)]),
            *([missing] if missing else []),
            Section(
                "Throughput by packet size (the thesis's Figure 4.2)",
                [
                    "One flow is sent from client to server at the maximum rate. The hosts have no "
                    "offloads, so each frame is valid on a wire. TCP sends one segment per packet, "
                    "and the MTU is the packet size; UDP datagrams fill a packet. All switches and "
                    "both hosts share this computer's processors. Sender: "
                    f"{', '.join(sorted(senders)) or '–'}.",
                ],
                [claims, *(_table(rows, protocol) for protocol in protocols)],
                figures,
                notes=busy_note(runs),
            ),
            Section(
                "Weir compared with other switches: throughput",
                tables=[comparison_table(runs.to_dicts(), "goodput_mbps", True, ("protocol", "size"))],
            ),
        ],
    )


def _switches(rows: list[Row]) -> Table:
    lines = []
    for switch in names(rows):
        kind = SWITCHES[switch]
        versions = [row["release"] for row in rows if row["switch"] == switch and row["release"]]
        idle = [row["idle_rtt_us"] for row in rows if row["switch"] == switch and row["idle_rtt_us"]]
        lines.append(
            [
                kind.title,
                f"--switch {switch}",
                kind.place,
                kind.model,
                versions[0] if versions else "–",
                f"{sum(idle) / len(idle):.0f}" if idle else "–",
            ]
        )
    return Table(
        ["switch", "option", "forwards in", "model", "version", "round trip, idle (µs)"],
        lines,
        "P4 switches, the bridge and Open vSwitch look up destination addresses, among the same two "
        "entries; a bare loop and a filter forward each frame to the other interface without reading "
        "it.",
        words=(0, 1, 2, 3, 4),
    )


def _table(rows: list[Row], protocol: str) -> Table:
    protocol_rows = [row for row in rows if row["protocol"] == protocol]
    sizes = list(dict.fromkeys(row["size"] for row in protocol_rows))
    by_size = {(row["switch"], row["size"]): row for row in protocol_rows}
    lines = [
        [
            title(switch),
            *(
                with_interval(row["goodput_mbps"], row["goodput_mbps_half"], 1)
                if (row := by_size.get((switch, size)))
                else "–"
                for size in sizes
            ),
        ]
        for switch in names(protocol_rows)
    ]
    return Table(
        ["switch", *(f"{size} B (Mbit/s)" for size in sizes)],
        lines,
        f"{protocol.upper()} goodput: mean of the runs ± half of its 95 % interval.",
        words=(0,),
    )
