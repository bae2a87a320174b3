"""Telemetry of data planes: reads INT v2.1 and Telemetry Report v2.0, and collects reports.

>>> from weir.telemetry import read_reports
>>> report, = read_reports(payload)                                 # doctest: +SKIP
>>> [hop.node for hop in report.hops]                               # doctest: +SKIP
[1, 2, 3]

The formats are those of the P4 language consortium's documents "In-band Network Telemetry (INT)
Dataplane Specification", version 2.1, and "Telemetry Report Format Specification", version 2.0.
"""

from weir.telemetry.collector import Collector
from weir.telemetry.embedded import DSCP_INT, PORT_INT, Embedded, read_embedded
from weir.telemetry.flow import Flow, read_flow
from weir.telemetry.hop import Hop, read_hop
from weir.telemetry.instruction import Instruction, words_of
from weir.telemetry.listener import Listener
from weir.telemetry.report import Report, read_reports

TYPE_CHECKING = False
if TYPE_CHECKING:
    from weir.telemetry.batch import Bad, Batch, decode
    from weir.telemetry.live.watcher import watch
    from weir.telemetry.questions.bursts import Microbursts
    from weir.telemetry.questions.drops import PacketDrops
    from weir.telemetry.questions.latencies import HopLatencies
    from weir.telemetry.questions.losses import ReportGaps, ReportLosses
    from weir.telemetry.questions.overview import BadDatagrams, Flows, Overview
    from weir.telemetry.questions.paths import FlowPaths
    from weir.telemetry.questions.queues import QueueOccupancy
    from weir.telemetry.questions.shares import QueueShares
    from weir.telemetry.store import Store, Stored

# Loaded at first use: they need the extra `lab`.
_LAZY = {
    "Bad": "weir.telemetry.batch",
    "BadDatagrams": "weir.telemetry.questions.overview",
    "Batch": "weir.telemetry.batch",
    "FlowPaths": "weir.telemetry.questions.paths",
    "Flows": "weir.telemetry.questions.overview",
    "HopLatencies": "weir.telemetry.questions.latencies",
    "Microbursts": "weir.telemetry.questions.bursts",
    "PacketDrops": "weir.telemetry.questions.drops",
    "Overview": "weir.telemetry.questions.overview",
    "QueueOccupancy": "weir.telemetry.questions.queues",
    "QueueShares": "weir.telemetry.questions.shares",
    "ReportGaps": "weir.telemetry.questions.losses",
    "ReportLosses": "weir.telemetry.questions.losses",
    "Store": "weir.telemetry.store",
    "Stored": "weir.telemetry.store",
    "decode": "weir.telemetry.batch",
    "watch": "weir.telemetry.live.watcher",
}

__all__ = [
    "DSCP_INT",
    "PORT_INT",
    "Bad",
    "BadDatagrams",
    "Batch",
    "Collector",
    "Embedded",
    "Flow",
    "FlowPaths",
    "Flows",
    "Hop",
    "HopLatencies",
    "Instruction",
    "Listener",
    "Microbursts",
    "Overview",
    "PacketDrops",
    "QueueOccupancy",
    "QueueShares",
    "Report",
    "ReportGaps",
    "ReportLosses",
    "Store",
    "Stored",
    "decode",
    "read_embedded",
    "read_flow",
    "read_hop",
    "read_reports",
    "watch",
    "words_of",
]


def __getattr__(name: str) -> object:
    if name not in _LAZY:
        raise AttributeError(f"module 'weir.telemetry' has no attribute {name!r}")
    import importlib

    from weir.errors.extras import lab_extra

    with lab_extra("telemetry stores"):
        return getattr(importlib.import_module(_LAZY[name]), name)


def __dir__() -> list[str]:
    return sorted(__all__)
