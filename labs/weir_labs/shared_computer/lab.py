"""The lab: a computer that is shared by switches and hosts, fitted and tested."""

from __future__ import annotations

import weir
from weir.lab import Lab, Part

from .chain import chain
from .chains import chains
from .report import chains as chains_report

LAB = Lab(
    name="shared-computer",
    question="How fast is a chain of switches that share one computer?",
    parts=[
        Part(experiment=chains, report=chains_report.findings, quick={"switches": [1, 5]}),
    ],
    network=lambda: chain(3),
    allowed={"computer": weir.Computer.named},
)
