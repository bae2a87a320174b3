"""Reports: plots in one style, tables, and self-contained pages.

This package is independent of labs. The output depends only on the input: no dates, no random ids,
no fonts of the computer.
"""

from __future__ import annotations

from weir.report.curves import Curve, draw_bars, draw_curves, log_axis, logarithmic
from weir.report.page import Figure, Page, Section, Table, decimal
from weir.report.plot import COLOURS, HUES, Plot, axes, save_as, save_plot

__all__ = [
    "COLOURS",
    "HUES",
    "Curve",
    "Figure",
    "Page",
    "Plot",
    "Section",
    "Table",
    "axes",
    "decimal",
    "draw_bars",
    "draw_curves",
    "log_axis",
    "logarithmic",
    "save_as",
    "save_plot",
]
