"""Reads in-band telemetry (INT v2.1, Telemetry Report v2.0), and collects and queries reports.

>>> from weir.telemetry import read_reports
>>> report, = read_reports(payload)                                 # doctest: +SKIP
>>> [hop.node for hop in report.hops]                               # doctest: +SKIP
[1, 2, 3]

The formats are those of the P4 language consortium's documents "In-band Network Telemetry (INT)
Dataplane Specification", version 2.1, and "Telemetry Report Format Specification", version 2.0.
"""

from weir.telemetry.instruction import Instruction as Instruction, words_of as words_of
from weir.telemetry.listener import Listener as Listener
from weir.telemetry.protocol import DSCP_INT as DSCP_INT, PORT_INT as PORT_INT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from weir.telemetry.batch import BadDatagram as BadDatagram, Batch as Batch, decode as decode
    from weir.telemetry.collector import Collector as Collector
    from weir.telemetry.embedded import Embedded as Embedded, read_embedded as read_embedded
    from weir.telemetry.flow import Flow as Flow, read_flow as read_flow
    from weir.telemetry.hop import Hop as Hop
    from weir.telemetry.limit import StoreFullError as StoreFullError
    from weir.telemetry.live.watcher import watch as watch
    from weir.telemetry.metadata import read_hop as read_hop
    from weir.telemetry.questions.bursts import Microbursts as Microbursts
    from weir.telemetry.questions.drops import PacketDrops as PacketDrops
    from weir.telemetry.questions.latencies import HopLatencies as HopLatencies
    from weir.telemetry.questions.losses import ReportGaps as ReportGaps, ReportLosses as ReportLosses
    from weir.telemetry.questions.overview import (
        BadDatagrams as BadDatagrams,
        Flows as Flows,
        Overview as Overview,
    )
    from weir.telemetry.questions.paths import FlowPaths as FlowPaths
    from weir.telemetry.questions.queues import QueueOccupancy as QueueOccupancy
    from weir.telemetry.questions.shares import QueueShares as QueueShares
    from weir.telemetry.report import Report as Report, read_reports as read_reports
    from weir.telemetry.store import Store as Store, Stored as Stored

# These modules are loaded at first use, because they need the extra `lab`.
_NAMES_BY_MODULE = {
    "batch": "BadDatagram Batch decode",
    "collector": "Collector",
    "embedded": "Embedded read_embedded",
    "flow": "Flow read_flow",
    "hop": "Hop",
    "limit": "StoreFullError",
    "live.watcher": "watch",
    "metadata": "read_hop",
    "questions.bursts": "Microbursts",
    "questions.drops": "PacketDrops",
    "questions.latencies": "HopLatencies",
    "questions.losses": "ReportGaps ReportLosses",
    "questions.overview": "BadDatagrams Flows Overview",
    "questions.paths": "FlowPaths",
    "questions.queues": "QueueOccupancy",
    "questions.shares": "QueueShares",
    "report": "Report read_reports",
    "store": "Store Stored",
}
"""Maps each module to the public names that it defines."""

_MODULE_BY_NAME = {
    name: f"weir.telemetry.{module}" for module, names in _NAMES_BY_MODULE.items() for name in names.split()
}
__all__ = sorted([*_MODULE_BY_NAME, "DSCP_INT", "PORT_INT", "Instruction", "Listener", "words_of"])


def __getattr__(name: str) -> object:
    if name not in _MODULE_BY_NAME:
        raise AttributeError(f"module 'weir.telemetry' has no attribute {name!r}")
    import importlib

    from weir.errors.extras import lab_extra

    with lab_extra("telemetry reports"):
        return getattr(importlib.import_module(_MODULE_BY_NAME[name]), name)


def __dir__() -> list[str]:
    return __all__
