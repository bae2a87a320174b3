"""The lab: the thesis's two tests, and its proposals for further work."""

from __future__ import annotations

import weir
from weir.flows import CONGESTION
from weir.lab import Lab, Part
from weir.network import WORLDS

from . import worlds
from .chain import SWITCHES, chain
from .control import SHARED, TCP, congestion_control
from .load import load, onset
from .nth import every_nth
from .published import PUBLISHED
from .report import (
    control as control_report,
    load as load_report,
    nth as nth_report,
    onset as onset_report,
    second as second_report,
    shared as shared_report,
    tcp as tcp_report,
    worlds as worlds_report,
)
from .second import second_flow
from .shared import shared_computer
from .tcp import tcp

LAB = Lab(
    name="int-report",
    question="What do switches tell a sender about its packets, and what does it cost?",
    parts=[
        Part(experiment=load, report=load_report.findings, quick={"mbps": [3.0, 5.5, 6.0]}),
        Part(
            experiment=onset, report=onset_report.findings, quick={"seconds": [10], "percent": [99.0, 102.0]}
        ),
        Part(
            experiment=second_flow,
            report=second_report.findings,
            quick={"seconds": [5], "mbps": [2.0, 3.5, 4.0]},
        ),
        Part(
            experiment=shared_computer,
            report=shared_report.findings,
            quick={"seconds": [1], "mbps": [4.0, 5.0], "slower": [16.0]},
        ),
        Part(experiment=every_nth, report=nth_report.findings, quick={"every": [1, 4, 64]}),
        Part(experiment=tcp, report=tcp_report.findings, quick={"seconds": [5]}),
        Part(
            experiment=congestion_control,
            report=control_report.findings,
            quick={"seconds": [8]},
            allowed={"switches": SHARED},
        ),
    ],
    network=lambda: chain(4, pairs=2),
    source=(
        "The thesis: Oskar Claeson and William Kruse, High-Speed, Low-Latency, and Secure Networking with P4, Master's thesis, "
        "Chalmers University of Technology, 2021; telemetry in sections 3.3 and 4.2."
    ),
    published=PUBLISHED,
    linux=[
        Part(
            experiment=worlds.load,
            report=worlds_report.load,
            quick={"mbps": [3.0, 6.0], "telemetry": ["on"], "seconds": [2]},
            workers=1,
        ),
    ],
    allowed={
        "telemetry": ["off", "on"],
        "switches": SWITCHES,
        "computer": weir.Computer.named,
        "congestion": CONGESTION,
        "scenario": ["together", "joining", "cross"],
        "control": ["none", "int", *TCP],
        "world": WORLDS,
        "switch": ["weir", "simple_switch"],
    },
)
