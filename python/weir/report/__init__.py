"""Reports: plots in one style, tables, and pages that hold all they show.

Nothing here knows a lab. What comes out depends on what goes in alone: no dates, no random ids, no fonts of the machine's.
"""

from __future__ import annotations

from weir.report.page import Figure, Page, Section, Table
from weir.report.plot import COLOURS, Plot, save_plot

__all__ = ["COLOURS", "Figure", "Page", "Plot", "Section", "Table", "save_plot"]
