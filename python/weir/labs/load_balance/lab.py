"""The lab: the experiment of the slides."""

from __future__ import annotations

from weir.labs import Lab, Part

from .balancing import balancing
from .fabric import fabric
from .report import balancing as balancing_report
from .slides import CITATION

LAB = Lab(
    name="load-balance",
    question="Can switches move flows away from each other, by telemetry alone?",
    parts=[
        Part(
            experiment=balancing,
            report=balancing_report.findings,
            quick_seeds=4,
        ),
    ],
    network=fabric,
    source=CITATION,
)
