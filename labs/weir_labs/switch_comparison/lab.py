"""Declares the lab and its experiments, which measure one switch after the other in the same
network."""

from __future__ import annotations

from weir.lab import Lab, Part

from .causes import causes
from .flows import LARGEST, SECONDS, SMALLEST
from .mechanisms.benchmark import MILLISECONDS, UPDATES_PER_S as WRITER_UPDATES_PER_S, WAYS, mechanisms
from .network import wired_topology
from .offloads import offloads
from .power import meter
from .published import PUBLISHED
from .rates import rates, read_rates
from .report import (
    causes as causes_report,
    mechanisms as mechanisms_report,
    offloads as offloads_report,
    rates as rates_report,
    table_updates as updates_report,
    throughput as throughput_report,
)
from .switches.known import SWITCHES
from .table_updates import RATES_MBPS, UPDATES_PER_S, updates
from .throughput import throughput

LAB = Lab(
    name="switch-comparison",
    question="Which software switch forwards the most, and how much processor time, memory and energy does it need?",
    parts=[
        Part(
            experiment=throughput,
            report=throughput_report.findings,
            quick={"protocol": ["udp"], "size": [100, 1500]},
            workers=1,
        ),
        Part(
            experiment=rates,
            report=rates_report.findings,
            quick={"protocol": ["tcp"], "size": [1500], "rates": ["10/100"]},
            workers=1,
        ),
        Part(
            experiment=offloads,
            report=offloads_report.findings,
            quick={"switch": ["weir", "bridge"]},
            workers=1,
        ),
        Part(
            experiment=updates,
            report=updates_report.findings,
            quick={"updates_per_s": [0, 10000], "seconds": [1]},
            allowed={"updates_per_s": UPDATES_PER_S, "rate": RATES_MBPS},
            workers=1,
        ),
        Part(
            experiment=causes,
            report=causes_report.findings,
            quick={"size": [1500]},
            workers=1,
        ),
        Part(
            experiment=mechanisms,
            report=mechanisms_report.findings,
            quick={"milliseconds": [200]},
            allowed={"updates_per_s": WRITER_UPDATES_PER_S, "milliseconds": MILLISECONDS},
            workers=1,
        ),
    ],
    network=wired_topology,
    source=(
        "Kaustubh Pimparkar, Comparison of P4 Programmable Software Switches as WiFi Access Points, "
        "Master's thesis, Santa Clara University, 2023. The thesis's figures have no numbers in the text, so "
        "relations are compared."
    ),
    published=PUBLISHED,
    real=True,
    allowed={
        "switch": [*SWITCHES],
        "protocol": ["tcp", "udp"],
        "size": range(min(SMALLEST.values()), LARGEST + 1),
        "seconds": SECONDS,
        "rates": read_rates,
        "energy": meter,
        "way": WAYS,
    },
)
