"""Declares the lab and its experiments, in the order of the thesis."""

from __future__ import annotations

import weir
from weir.lab import Lab, Part
from weir.network import WORLDS

from . import worlds
from .chain import chain
from .custom import custom
from .directions import directions
from .hold import hold
from .hold_price import hold_price
from .machines import MACHINES, machine
from .published import NUMBERS
from .report import (
    custom as custom_report,
    directions as directions_report,
    hold as hold_report,
    rtt as rtt_report,
    shared as shared_report,
    switches as switches_report,
    target as target_report,
    tcp as tcp_report,
    thresholds as thresholds_report,
    udp as udp_report,
    worlds as worlds_report,
)
from .rtt import rtt
from .shared import shared_computer
from .switches import switches_rtt, switches_tcp
from .target import target_delay, target_price
from .tcp import tcp_throughput
from .thesis import CITATION
from .thresholds import POLICIES, thresholds
from .udp import udp_throughput

LAB = Lab(
    name="delay",
    question="Can a switch delay packets by recirculating them, and what does it cost?",
    parts=[
        Part(experiment=rtt, report=rtt_report.findings, quick={"pings": [40]}),
        Part(experiment=custom, report=custom_report.findings, quick={"packets": [10]}),
        Part(experiment=udp_throughput, report=udp_report.findings),
        Part(experiment=tcp_throughput, report=tcp_report.findings, quick={"seconds": [4]}),
        Part(experiment=directions, report=directions_report.findings, quick={"seconds": [4]}),
        Part(experiment=switches_rtt, report=switches_report.rtt, quick={"pings": [20]}),
        Part(experiment=switches_tcp, report=switches_report.tcp, quick={"seconds": [4]}),
        Part(
            experiment=shared_computer,
            report=shared_report.findings,
            quick={"pings": [20], "x": [0, 1], "slower": [1.0]},
        ),
        Part(experiment=hold, report=hold_report.findings, quick={"pairs": [500]}),
        Part(experiment=hold_price, report=hold_report.waiting_cost),
        Part(experiment=target_delay, report=target_report.delay, quick={"packets": [4]}),
        Part(experiment=target_price, report=target_report.delay_cost, quick={"seconds": [2]}),
        Part(experiment=thresholds, report=thresholds_report.findings, quick={"seconds": [2]}),
    ],
    network=lambda: chain(1, MACHINES["bmv2-vm"]),
    source=CITATION,
    published=NUMBERS,
    linux=[
        Part(
            experiment=worlds.rtt,
            report=worlds_report.rtt,
            quick={"x": [0, 15], "pings": [20]},
            workers=1,
        ),
        Part(
            experiment=worlds.custom,
            report=worlds_report.custom,
            quick={"x": [0, 15], "switches": [1], "packets": [10]},
            workers=1,
        ),
        Part(
            experiment=worlds.udp_throughput,
            report=worlds_report.udp,
            quick={"x": [15], "seconds": [1]},
            workers=1,
        ),
        Part(
            experiment=worlds.tcp_throughput,
            report=worlds_report.tcp,
            quick={"x": [15], "seconds": [1]},
            workers=1,
        ),
    ],
    allowed={
        "profile": machine,
        "order": ["in turn", "at once"],
        "bound": ["passes", "time"],
        "cross": ["none", "constant", "poisson"],
        "way": ["calibrated", "timestamp"],
        "policy": [*POLICIES],
        "world": WORLDS,
        "switch": ["weir", "simple_switch"],
        "computer": weir.Computer.named,
    },
)
