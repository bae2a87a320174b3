"""The lab: its experiments in the order of the thesis."""

from __future__ import annotations

from weir.labs import Lab, Part

from .chain import chain
from .machines import MACHINES
from .report import rtt as rtt_report
from .rtt import rtt
from .thesis import CITATION

LAB = Lab(
    name="delay",
    question="Can a switch delay packets by recirculating them, and at what price?",
    parts=[
        Part(experiment=rtt, report=rtt_report.findings, quick={"pings": [40]}),
    ],
    network=lambda: chain(1, MACHINES["bmv2-vm"]),
    source=CITATION,
)
