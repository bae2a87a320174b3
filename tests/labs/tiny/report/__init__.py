"""The report of the small lab."""

from pathlib import Path

from weir.lab import Findings, Tables
from weir.report import Figure, Section, Table, axes, save_plot


def product(tables: Tables, plots: Path) -> Findings:
    """The mean of each x."""
    points = tables.points("x")
    rows = [[f"{row['x']}", f"{row['value']:g}", f"{row['n']}"] for row in points.iter_rows(named=True)]
    steps = tables.frame("steps").height
    with axes() as ax:
        ax.plot(points["x"].to_list(), points["value"].to_list())
        plot = save_plot(ax, plots, "product")
    section = Section("Products", tables=[Table(["x", "value", "runs"], rows)], figures=[Figure(plot, "x·n")])
    return Findings(f"The largest is {points['value'].max():g}; {steps} steps.", [section])


def words(tables: Tables, plots: Path) -> Findings:
    """The length of each word."""
    return Findings(f"{tables.runs.height} words.", [])
