"""The lab: the thesis's benchmark of Shorternet, and its proposals for further work."""

from __future__ import annotations

from weir.lab import Lab, Part
from weir.network import WORLDS, Computer

from . import worlds
from .benchmark import benchmark
from .capacity import capacity
from .crossing import WAYS
from .gateways import gateways
from .hybrid import hybrid
from .parsing import EXTRA, parsing
from .path import PAIRS, known_profile, path
from .published import PUBLISHED
from .report import (
    benchmark as benchmark_report,
    capacity as capacity_report,
    hybrid as hybrid_report,
    parsing as parsing_report,
    shared as shared_report,
    worlds as worlds_report,
)
from .shared import shared_computer
from .traffic import PACKETS

LAB = Lab(
    name="shorternet",
    question="What does a network gain from a header of 4 bytes?",
    parts=[
        Part(
            experiment=benchmark,
            report=benchmark_report.findings,
            quick={"length": [74, 850, 9000], "packets": [1000]},
        ),
        Part(
            experiment=shared_computer,
            report=shared_report.findings,
            quick={"slower": [1.0, 14.0], "extra": [1.25], "packets": [1000]},
        ),
        Part(
            experiment=capacity,
            report=capacity_report.findings,
            quick={"equal": ["payload"], "flows": [8], "percent": [99, 115, 120], "seconds": [1]},
            own_times="it compares links with switches of a fixed capacity",
        ),
        Part(
            experiment=parsing,
            report=parsing_report.findings,
            quick={"extra": [0, 16], "header_ns": [0, 1000], "packets": [20]},
            own_times="it sets the time that a switch takes for a header",
            allowed={"extra": EXTRA},
        ),
        Part(
            experiment=hybrid,
            report=hybrid_report.hosts_talk,
            quick={"pings": [5], "datagrams": [50], "seconds": [1]},
        ),
        Part(
            experiment=gateways,
            report=hybrid_report.gateway_packets,
            quick={"packets": [2500]},
            own_times="it accounts for each packet, and a busy computer loses some before the switch sees them",
        ),
    ],
    network=lambda: path("shorternet", pairs=2),
    source=(
        "The thesis: Oskar Claeson and William Kruse, High-Speed, Low-Latency, and Secure Networking with P4, Master's thesis, "
        "Chalmers University of Technology, 2021; Shorternet in sections 3.2 and 4.1."
    ),
    published=PUBLISHED,
    linux=[
        Part(
            experiment=worlds.benchmark,
            report=worlds_report.benchmark,
            quick={"length": [74, 1000], "packets": [50]},
            workers=1,
        ),
    ],
    allowed={
        "stack": ["shorternet", "standard"],
        "packets": PACKETS,
        "flows": PAIRS,
        "profile": known_profile,
        "computer": Computer.named,
        "limit": ["link", "switch"],
        "equal": ["length", "payload"],
        "way": [*WAYS],
        "world": WORLDS,
        "switch": ["weir", "simple_switch"],
    },
)
