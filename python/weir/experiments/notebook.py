"""Shows results of experiments in notebooks, with failures, a table of all points and a plot."""

from __future__ import annotations

import tempfile
from pathlib import Path

from weir.display import code, escape, grid, titled_output
from weir.display.markup import MAX_ROWS
from weir.experiments.failures import failures_in_short
from weir.experiments.report import table_of_points
from weir.experiments.report_plots import plots_of_means
from weir.experiments.runs import Runs


def result_html(result: Runs) -> str:
    """Renders a result as HTML, with a table of all points and the plot of the first
    measurement."""
    from weir.report import Figure

    failed = f", {len(result.failures)} failed" if result.failures else ""
    count = len(result.records)
    parts = [code(text) for text in failures_in_short(result)]
    head, rows, total = table_of_points(result, MAX_ROWS)
    parts.append(grid(head, rows, range(len(result.parameters)), total))
    with tempfile.TemporaryDirectory(prefix="weir-notebook-") as folder:
        plots, _ = plots_of_means(result, Path(folder), 1)
        for plot, caption in plots:
            source = Figure(plot, caption).source
            parts.append(f'<img alt="{escape(caption)}" src="{source}" style="width:100%;max-width:36em">')
    return titled_output(f"{result.name}: {count} run{'' if count == 1 else 's'}{failed}", *parts)
