"""A live view of switches between real interfaces, from the metrics that they serve."""

from weir.top.metrics import Metrics, read
from weir.top.summary import summary
from weir.top.view import tables

__all__ = ["Metrics", "read", "summary", "tables"]
