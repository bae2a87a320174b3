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
from weir.telemetry.hop import Hop, read_hop
from weir.telemetry.instruction import Instruction, words_of
from weir.telemetry.report import Report, read_reports

__all__ = [
    "DSCP_INT",
    "PORT_INT",
    "Collector",
    "Embedded",
    "Hop",
    "Instruction",
    "Report",
    "read_embedded",
    "read_hop",
    "read_reports",
    "words_of",
]
