"""Packets that should not exist: for programs, in captures, as telemetry reports and as answers."""

from torture.case import Class
from torture.packets.answers import metrics, netlink
from torture.packets.captures import captures
from torture.packets.differ import any_bytes
from torture.packets.reports import reports

CLASS = Class(
    "packets",
    {
        "any-bytes": (80, any_bytes),
        "captures": (10, captures),
        "metrics": (5, metrics),
        "netlink": (5, netlink),
        "reports": (10, reports),
    },
)
