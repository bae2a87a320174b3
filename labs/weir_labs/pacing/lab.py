"""Declares the lab and its experiments: the paper's two scenarios, alternatives, and hosts that
leave."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import weir
from weir.lab import Lab, Part
from weir.network import WORLDS

from . import worlds
from .agent import PACERS
from .faults import FAULTS, faults
from .joining import WITH_CODEL, buffers, lan, read_period, rivals, wan
from .leaving import WAYS, leaving
from .line import SCENARIOS
from .losses import losses
from .many import FLOWS, many
from .middle import SEVERAL_HOSTS
from .paper import CITATION
from .paths import paths, read_weights
from .published import NUMBERS
from .report import (
    buffers as buffers_report,
    faults as faults_report,
    joining as joining_report,
    leaving as leaving_report,
    losses as losses_report,
    many as many_report,
    paths as paths_report,
    rivals as rivals_report,
    shared as shared_report,
    worlds as worlds_report,
)
from .sending import HOSTS, SECONDS, TCPS, read_reserve
from .shared import shared_computer
from .star import star

_ONE_CHANGE: Final[Mapping[str, Sequence[str] | range]] = {
    "mode": PACERS,
    "hosts": SEVERAL_HOSTS,
    "seconds": SECONDS,
}
"""The values of parameters in experiments in which a host leaves or joins in the middle."""

_WITHOUT_CODEL: Final = (*PACERS, *TCPS)

_IN_HALVES: Final[Mapping[str, Sequence[str] | range]] = {"mode": _WITHOUT_CODEL, "seconds": SECONDS}
"""The values of parameters in experiments that compare the halves of a run."""

LAB = Lab(
    name="pacing",
    question="How well do TCP flows share a link if switches tell senders their share?",
    parts=[
        Part(
            experiment=wan,
            report=joining_report.wan,
            quick={"period": ["750ms"], "mode": ["cubic", "htb", "fq"]},
        ),
        Part(
            experiment=lan,
            report=joining_report.lan,
            quick={"period": ["90ms"], "mode": ["cubic", "htb", "fq"]},
        ),
        Part(
            experiment=buffers,
            report=buffers_report.findings,
            quick={"period": ["450ms"], "hosts": [2], "queue": ["8p", "64p"]},
        ),
        Part(
            experiment=losses,
            report=losses_report.findings,
            quick={"period": ["450ms"], "hosts": [2], "mode": ["cubic", "htb"]},
        ),
        Part(
            experiment=shared_computer,
            report=shared_report.findings,
            quick={"period": ["450ms"], "hosts": [2], "mode": ["cubic", "htb"], "slower": [1.0]},
        ),
        Part(
            experiment=rivals,
            report=rivals_report.findings,
            quick={"period": ["450ms"], "mode": ["cubic", "cubic-codel", "bbr", "htb"]},
        ),
        Part(
            experiment=leaving,
            report=leaving_report.findings,
            quick={"seconds": [2], "mode": ["htb"], "rate": ["20Mbit"]},
            allowed=_ONE_CHANGE,
        ),
        Part(
            experiment=paths,
            report=paths_report.findings,
            quick={"seconds": [2], "mode": ["htb"], "weights": ["1:2:4"], "rate": ["10Mbit"]},
            allowed=_IN_HALVES,
        ),
        Part(
            experiment=faults,
            report=faults_report.findings,
            quick={"seconds": [2], "rate": ["10Mbit"]},
            allowed=_ONE_CHANGE,
        ),
        Part(
            experiment=many,
            report=many_report.findings,
            quick={"seconds": [1], "flows": [40], "rate": ["20Mbit"]},
        ),
    ],
    network=star,
    source=CITATION,
    published=NUMBERS,
    linux=[
        Part(
            experiment=worlds.joining,
            report=worlds_report.joining,
            quick={"hosts": [2], "period": ["1500ms"]},
            workers=1,
            allowed={"mode": _WITHOUT_CODEL},
        ),
    ],
    allowed={
        "mode": [*_WITHOUT_CODEL, *WITH_CODEL],
        "way": WAYS,
        "scenario": SCENARIOS,
        "weights": read_weights,
        "hosts": HOSTS,
        "flows": FLOWS,
        "period": read_period,
        "fault": FAULTS,
        "world": WORLDS,
        "switch": ["weir", "simple_switch"],
        "computer": weir.Computer.named,
        "reserve_percent": read_reserve,
    },
)
