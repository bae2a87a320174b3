"""The lab: what switches report, what hosts notice, what telemetry costs, and event reports."""

from __future__ import annotations

from weir.lab import Lab, Part
from weir.network import WORLDS

from . import worlds
from .chain import SWITCHES, SWITCHES_WITH_CROSS, chain
from .cost import cost
from .events import events
from .limits import limits
from .metadata import metadata
from .report import (
    cost as cost_report,
    events as events_report,
    limits as limits_report,
    metadata as metadata_report,
    runtime as runtime_report,
    transparency as transparency_report,
    worlds as worlds_report,
)
from .runtime import runtime
from .transparency import transparency

LAB = Lab(
    name="int",
    question="Do packets report the true state of the network that they cross?",
    parts=[
        Part(
            experiment=metadata,
            report=metadata_report.findings,
            quick={"seconds": [1], "transport": ["udp"]},
            own_times="it checks reported times against those of the switches' profile",
            allowed={"switches": SWITCHES_WITH_CROSS},
        ),
        Part(
            experiment=transparency,
            report=transparency_report.findings,
            quick={"mark": ["port"], "links": ["instant"]},
            own_times="it compares the times of frames with those of a run without telemetry",
            allowed={"switches": SWITCHES_WITH_CROSS},
        ),
        Part(
            experiment=cost,
            report=cost_report.findings,
            quick={"switches": [2, 5], "packets": [10]},
        ),
        Part(
            experiment=limits,
            report=limits_report.findings,
            quick={"max_hops": [0, 2, 255], "room": [0, 2, 4]},
        ),
        Part(experiment=runtime, report=runtime_report.findings, quick={"step_s": [0.1]}),
        Part(
            experiment=events,
            report=events_report.findings,
            quick={"mode": ["MD"]},
            own_times="it computes the expected events from the times of the switches' profile",
        ),
    ],
    network=lambda: chain(5, "10Mbit", cross=True),
    source="The P4.org Applications Working Group: In-band Network Telemetry (INT) Dataplane Specification, version 2.1, 2020; "
    "Telemetry Report Format Specification, version 2.0, 2020.",
    linux=[
        Part(
            experiment=worlds.cost,
            report=worlds_report.cost,
            quick={"switches": [2], "packets": [10]},
            workers=1,
        ),
    ],
    allowed={
        "mode": ["MD", "MX", "XD"],
        "transport": ["udp", "tcp"],
        # Each experiment needs a source and a sink.
        "switches": range(2, SWITCHES.stop),
        "max_hops": range(256),
        "mark": ["dscp", "port"],
        "detection": ["off", "on", "reset"],
        "world": WORLDS,
        "switch": ["weir", "simple_switch"],
    },
)
