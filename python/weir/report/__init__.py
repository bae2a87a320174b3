"""Creates reports with plots in one style, tables, and self-contained pages.

This package is independent of labs. The output depends only on the input; it has no dates, no
random ids and no fonts of the computer.
"""

from __future__ import annotations

from weir.display.palette import COLOURS
from weir.report import matplotlib_folder as _matplotlib_folder  # noqa: F401
from weir.report.curves import Curve, draw_bars, draw_curves, log_axis, logarithmic
from weir.report.index import Entry, Group, Index
from weir.report.page import Figure, Page, Section, Table
from weir.report.panels import Panel, draw_panels
from weir.report.plot import (
    HUES,
    MARKERS,
    ON_DARK,
    ON_LIGHT,
    WIDE,
    Plot,
    axes,
    axes_grid,
    line_style,
    save_as,
    save_plot,
)
from weir.text.measured import decimal, interval, measured, signed, with_interval

__all__ = [
    "COLOURS",
    "HUES",
    "MARKERS",
    "ON_DARK",
    "ON_LIGHT",
    "WIDE",
    "Curve",
    "Entry",
    "Figure",
    "Group",
    "Index",
    "Page",
    "Panel",
    "Plot",
    "Section",
    "Table",
    "axes",
    "axes_grid",
    "decimal",
    "draw_bars",
    "draw_curves",
    "draw_panels",
    "interval",
    "line_style",
    "log_axis",
    "logarithmic",
    "measured",
    "save_as",
    "save_plot",
    "signed",
    "with_interval",
]
