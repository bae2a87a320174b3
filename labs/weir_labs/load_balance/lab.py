"""Declares the lab and its experiments: that of the slides, its settings, other schemes, and a fat
tree."""

from __future__ import annotations

from weir.flows import CONGESTION
from weir.lab import Lab, Part
from weir.network import WORLDS

from . import worlds
from .balancers import PERCENTS, THRESHOLDS, Flowlets, LeastLoaded
from .balancing import balancing
from .fabric import fabric
from .hosts import hosts
from .measure import SECONDS
from .pods import SENDERS
from .published import NUMBERS
from .report import (
    balancing as balancing_report,
    hosts as hosts_report,
    schemes as schemes_report,
    sweep as sweep_report,
    worlds as worlds_report,
)
from .schemes import SCHEMES, fat_tree, flowlets, schemes
from .slides import CITATION
from .sweep import sweep

LAB = Lab(
    name="load-balance",
    question="Can switches move colliding flows to different paths with telemetry alone?",
    parts=[
        Part(
            experiment=balancing,
            report=balancing_report.findings,
            quick={"seconds": [20]},
            quick_seeds=3,
        ),
        Part(
            experiment=hosts,
            report=hosts_report.findings,
            quick={"queues": ["all"], "host_rate": ["9250kbit", "10Mbit"]},
        ),
        Part(
            experiment=sweep,
            report=sweep_report.findings,
            quick={"threshold": [20], "timeout": ["1s"], "percent": [20]},
        ),
        Part(
            experiment=schemes,
            report=schemes_report.schemes,
            quick={"scheme": ["ecmp", "flowlets", "least-loaded"], "seconds": [10]},
        ),
        Part(
            experiment=flowlets,
            report=schemes_report.flowlets,
            quick={"gap": ["10ms", "50ms", "200ms"], "seconds": [10]},
        ),
        Part(
            experiment=fat_tree,
            report=schemes_report.fat_tree,
            quick={"senders": [4], "scheme": ["ecmp", "least-loaded"], "seconds": [14]},
        ),
    ],
    network=fabric,
    source=CITATION,
    published=NUMBERS,
    linux=[
        Part(
            experiment=worlds.balancing,
            report=worlds_report.balancing,
            quick={"queues": ["off", "shared"], "seconds": [6]},
            workers=1,
        ),
    ],
    allowed={
        "queues": ["off", "all", "shared"],
        "scheme": [*SCHEMES],
        "congestion": CONGESTION,
        "seconds": SECONDS,
        "threshold": THRESHOLDS,
        "percent": PERCENTS,
        "gap": Flowlets,
        "interval": lambda interval: LeastLoaded(THRESHOLDS[0], interval, settling="1s"),
        "senders": SENDERS,
        "world": WORLDS,
        "switch": ["weir", "simple_switch"],
    },
)
