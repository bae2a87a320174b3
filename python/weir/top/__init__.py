"""A live view of switches between real interfaces, from the metrics that they serve."""

from weir.top.metrics import Metrics, read
from weir.top.summary import summary
from weir.top.view import WIDE, tables

__all__ = ["WIDE", "Metrics", "read", "summary", "tables"]
