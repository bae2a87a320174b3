"""Declares the lab and its experiments: that of the slides, other senders, and other probe
rates."""

from __future__ import annotations

from weir.flows import CONGESTION
from weir.lab import Lab, Part
from weir.network import WORLDS

from . import worlds
from .chain import chain
from .measure import BUSY_S, FLOWS, IDLE_LINUX_S, IDLE_S, QUEUES, read_probe_interval
from .occupancy import occupancy
from .published import NUMBERS
from .report import (
    occupancy as occupancy_report,
    sampling as sampling_report,
    senders as senders_report,
    worlds as worlds_report,
)
from .sampling import sampling
from .senders import senders
from .slides import CITATION

LAB = Lab(
    name="queue-occupancy",
    question="How many packets wait in a switch, and how long does a packet wait behind them?",
    parts=[
        Part(experiment=occupancy, report=occupancy_report.findings, quick_seeds=2),
        Part(experiment=senders, report=senders_report.findings, quick={"busy_s": [20]}),
        Part(
            experiment=sampling,
            report=sampling_report.findings,
            quick={"busy_s": [20], "probe_ms": [10.0, 100.0, 1000.0]},
        ),
    ],
    network=chain,
    source=CITATION,
    published=NUMBERS,
    linux=[
        Part(
            experiment=worlds.occupancy,
            report=worlds_report.occupancy,
            quick={"flows": [2], "idle_s": [1], "busy_s": [3]},
            workers=1,
            allowed={"idle_s": IDLE_LINUX_S},
        ),
    ],
    allowed={
        "congestion": CONGESTION,
        "flows": FLOWS,
        "probe_ms": read_probe_interval,
        "idle_s": IDLE_S,
        "busy_s": BUSY_S,
        "queue": QUEUES,
        "world": WORLDS,
        "switch": ["weir", "simple_switch"],
    },
)
