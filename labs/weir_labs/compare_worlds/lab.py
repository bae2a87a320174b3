"""The lab: one network in both worlds, and where the computer's limits begin."""

from __future__ import annotations

from weir.flows import CONGESTION
from weir.lab import Lab, Part
from weir.network import WORLDS

from .datagrams import datagrams
from .fairness import fairness
from .limits import limits
from .network import dumbbell
from .report import (
    datagrams as datagrams_report,
    fairness as fairness_report,
    limits as limits_report,
    round_trips as round_trips_report,
    throughput as throughput_report,
)
from .round_trips import round_trips
from .throughput import throughput

LAB = Lab(
    name="compare-worlds",
    question="Do real Linux hosts measure what the virtual world predicts?",
    parts=[
        Part(
            experiment=round_trips,
            report=round_trips_report.findings,
            quick={"delay": ["1ms"], "count": [50]},
            workers=1,
        ),
        Part(
            experiment=throughput,
            report=throughput_report.findings,
            quick={"congestion": ["cubic"], "seconds": [1]},
            workers=1,
        ),
        Part(
            experiment=datagrams,
            report=datagrams_report.findings,
            quick={"load_percent": [120], "seconds": [1]},
            workers=1,
        ),
        Part(
            experiment=fairness,
            report=fairness_report.findings,
            quick={"congestion": ["cubic"], "seconds": [1]},
            workers=1,
        ),
        Part(
            experiment=limits,
            report=limits_report.findings,
            quick={"rate": ["10Mbit", "1Gbit"], "seconds": [1]},
            workers=1,
        ),
    ],
    network=dumbbell,
    real=True,
    allowed={
        "world": WORLDS,
        "switch": ["weir", "simple_switch"],
        "congestion": CONGESTION,
    },
)
