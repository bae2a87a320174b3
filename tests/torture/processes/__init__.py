"""Processes in surroundings that should not exist."""

from torture.case import Class
from torture.processes.disks import disks
from torture.processes.embedded import embedded
from torture.processes.reports import reports
from torture.processes.signals import labs, signals, together
from torture.processes.surroundings import environments, names, streams, words

CLASS = Class(
    "processes",
    {
        "signals": (25, signals),
        "disks": (15, disks),
        "streams": (15, streams),
        "environments": (15, environments),
        "names": (10, names),
        "reports": (5, reports),
        "words": (10, words),
        "embedded": (15, embedded),
        "labs": (1, labs),
        "together": (5, together),
    },
    cpu_seconds=60.0,
    wall_seconds=480.0,
    cost=100,
)
