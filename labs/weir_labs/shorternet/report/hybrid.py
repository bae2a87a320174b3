"""Computes the findings about the hybrid network: which hosts can talk to each other, and what
happens to a million packets."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import polars as pl

from weir.lab import Findings, Tables
from weir.report import Figure, Section, Table, draw_bars

_DIRECTIONS: Final = {
    "to-shorternet": "h1 to n4: Ethernet to Shorternet",
    "to-ethernet": "n4 to h1: Shorternet to Ethernet",
    "across": "h1 to h5: across Shorternet",
    "back": "h5 to h1: across Shorternet",
}


def hosts_talk(tables: Tables, plots: Path) -> Findings:
    """Shows which pings, datagrams and TCP flows between hosts of both kinds arrive."""
    run, pings = tables.runs.row(0, named=True), tables.frame("round_trips")
    answered, asked = pings["received"].sum(), pings["sent"].sum()
    traffic = [
        ["n3 to h2, and n4 back to h2", f"{2 * run['datagrams']}", f"{run['to_ordinary']}"],
        ["h2 to n4", f"{run['datagrams']}", f"{run['to_node']}"],
        ["h1 to h5", f"{run['across_sent']}", f"{run['across_sent'] - run['across_lost']}"],
    ]  # fmt: skip
    sent = 3 * run["datagrams"] + run["across_sent"]
    arrived = run["to_ordinary"] + run["to_node"] + run["across_sent"] - run["across_lost"]
    return Findings(
        f"{answered} of {asked} pings between hosts of both kinds are answered, {arrived} of {sent} datagrams arrive unchanged "
        f"({run['damaged']} damaged, {run['refused']} refused), and TCP between ordinary hosts at both ends gets "
        f"{run['tcp_mbps']:.2f} Mbit/s through two gateways.",
        [
            Section(
                "A hybrid network",
                [
                    "h1, h2 and h5 are ordinary hosts: their pings, UDP and TCP are those of any IP host. n3 and n4 are Shorternet "
                    "hosts, with a program in place of an IP stack. g1 and g2 are gateways, s1 is a Shorternet switch: "
                    "h1, h2 – g1 – s1 – g2 – n4, h5, and n3 at s1.",
                ],
                [
                    Table.from_rows(
                        pings.iter_rows(named=True),
                        [
                            ("from", "source"),
                            ("to", "target"),
                            ("pings", "sent"),
                            ("answered", "received"),
                            ("mean round trip (ms)", "rtt_ms", 5),
                            ("in theory (ms)", "predicted_ms", 5),
                        ],
                        "Pings with 56 bytes of data. Theory: transmissions on all links, each with the frame of its stack, and passes.",
                        words=(0, 1),
                        marked=(4, 5),
                    ),
                    Table(["what", "sent", "arrived unchanged"], traffic, "Datagrams.", words=(0,)),
                ],
            )
        ],
    )


def gateway_packets(tables: Tables, plots: Path) -> Findings:
    """Shows whether each packet across the gateways arrives unchanged, or is refused for the
    expected reason."""
    ways = tables.runs.group_by("way", maintain_order=True).agg(
        pl.sum("packets", "right", "wrong", "refused", "unexplained", "miscounted", "translations")
    )
    reasons = (
        tables.frame("reasons")
        .group_by("way", "reason", maintain_order=True)
        .agg(pl.sum("expected", "counted"))
    )
    total = ways.select(pl.sum("packets", "right", "wrong", "refused", "unexplained", "miscounted")).row(
        0, named=True
    )
    rows = [
        [
            _DIRECTIONS[row["way"]],
            *(
                f"{row[name]:,}"
                for name in (
                    "packets",
                    "right",
                    "refused",
                    "wrong",
                    "unexplained",
                    "miscounted",
                    "translations",
                )
            ),
        ]
        for row in ways.iter_rows(named=True)
    ]
    head = ["way", "packets", "right", "refused", "wrong", "unexplained", "miscounted", "translations"]
    by_reason = (
        reasons.with_columns(pl.col("reason").str.split(".").list.get(1).str.replace_all("_", " "))
        .group_by("reason", maintain_order=True)
        .agg(pl.sum("expected", "counted"))
        .sort("reason")
    )
    return Findings(
        f"Of {total['packets']:,} packets across the gateways, {total['right']:,} arrive as they should, byte for byte, and "
        f"{total['refused']:,} are refused; {total['wrong']} are wrong, {total['unexplained']} unexplained, and counters of "
        f"refusals differ by {total['miscounted']}.",
        [
            Section(
                "Packets across the gateways",
                [
                    "UDP with and without checksum, TCP, and ICMP echoes of random length, content and TTL, "
                    "some padded like short Ethernet frames. One in ten must be refused. Each frame that "
                    "arrives is compared with the expected frame, which Python makes from the packet's "
                    "fields, with checksums over all bytes."
                ],
                [
                    Table(head, rows, words=(0,), marked=(2, 3)),
                    Table.from_rows(
                        by_reason.iter_rows(named=True),
                        [
                            ("reason", "reason"),
                            ("had to be refused", "expected", ","),
                            ("counted", "counted", ","),
                        ],
                        "Why packets were refused, by the counters of gateways and switch.",
                        words=(0,),
                        marked=(1, 2),
                    ),
                ],
                [
                    Figure(
                        draw_bars(
                            plots,
                            "refusals",
                            by_reason["reason"].to_list(),
                            by_reason["counted"].to_list(),
                            "packets refused",
                        ),
                        "Gateways and switch refuse packets for each of these reasons.",
                    )
                ],
            )
        ],
    )
