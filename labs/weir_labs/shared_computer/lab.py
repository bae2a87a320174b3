"""The lab: a computer that is shared by switches and hosts, fitted and tested."""

from __future__ import annotations

import weir
from weir.lab import Lab, Part
from weir.network import WORLDS

from . import worlds
from .chain import MAX_SWITCHES, chain
from .chains import chains
from .report import chains as chains_report, worlds as worlds_report

LAB = Lab(
    name="shared-computer",
    question="How fast is a chain of switches that share one computer?",
    parts=[
        Part(experiment=chains, report=chains_report.findings, quick={"switches": [1, 5]}),
    ],
    network=lambda: chain(3),
    linux=[
        Part(
            experiment=worlds.chains,
            report=worlds_report.chains,
            quick={"turn": [1], "switches": [1, 2, 3], "pings": [50], "seconds": [0.5]},
            workers=1,
        ),
    ],
    allowed={
        "computer": weir.Computer.named,
        "turn": range(1, 101),
        "switches": range(1, MAX_SWITCHES + 1),
        "world": WORLDS,
        "switch": ["weir", "simple_switch"],
    },
)
