"""The result of an experiment, with its tables, means, plots and report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Self

from weir.errors import ExperimentError, FileError
from weir.experiments.runs import Runs
from weir.experiments.store import Store
from weir.text.suggest import listing

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


class Result(Runs):
    """The result of an experiment.

    Attributes:
        name: the experiment's name.
        parameters: the names of the experiment's parameters.
        declaration: the data that all runs share, as in ``experiment.json``.
        folder: the folder of the stored result; ``None`` if it is not stored.
        records: the record of each run, as plain data.
    """

    @classmethod
    def load(cls, folder: str | Path) -> Self:
        """Loads the result in a folder, after checking its files for damage.

        Raises:
            ExperimentError: the folder has no complete result, a file is missing or damaged, or the
                result has the format of another version of Weir.
        """
        store = Store(Path(folder))
        return cls(store.declaration(), store.records(), store.folder)

    def plot(
        self,
        x: str | None = None,
        y: str | None = None,
        hue: str | None = None,
        *,
        kind: str = "line",
        path: str | Path | None = None,
        ax: Axes | None = None,
        title: str | None = None,
    ) -> Figure:
        """Plots the result.

        Args:
            x: the parameter on the x axis, by default the first with several values; for
                ``heatmap``, the parameter of the columns.
            y: the scalar on the y axis, by default the first; for ``time`` and ``cdf`` also a
                series; for ``heatmap``, the parameter of the rows.
            hue: the parameter that determines the colours of lines; for ``heatmap``, the scalar.
            kind: ``line`` (means with a band of 95 %), ``box``, ``cdf``, ``heatmap``, ``time``
                (series over time) or ``gantt`` (series' first to last times as bars).
            path: a file to write: ``.png``, ``.svg`` or ``.pdf``.
            ax: matplotlib axes to draw into, instead of a new figure.
            title: a title.

        Returns:
            The figure.

        Raises:
            ExperimentError: there is no such parameter, measurement or kind.
            FileError: the file cannot be written, or its suffix is not a picture format.
        """
        from weir.experiments.plots import plot

        return plot(self, x, y, hue, kind=kind, path=path, ax=ax, title=title)

    def report(self, path: str | Path | None = None) -> Path:
        """Writes a report as an HTML file with parameters, plots, tables, and the command that
        repeats the experiment.

        Args:
            path: the file to write; by default ``report.html`` in the result's folder.

        Raises:
            ExperimentError: there is no folder and no path.
            FileError: the file cannot be written, or its name does not end in ``.html``.
        """
        from weir.experiments.report import write_report

        if path is None and self.folder is None:
            raise ExperimentError('the result has no folder: name a file, such as report("report.html")')
        target = Path(path) if path is not None else Path(str(self.folder)) / "report.html"
        if target.suffix.lower() not in (".html", ".htm"):
            raise FileError("a report is HTML: expected a name that ends in .html", file=target)
        return write_report(self, target, follow=path is not None)

    def __repr__(self) -> str:
        failed = f", {len(self.failures)} failed" if self.failures else ""
        return f"<weir.experiments.Result {self.name}: {len(self.records)} runs{failed}; {listing(self.measures)}>"

    def _repr_html_(self) -> str:
        """Renders the failures, a table of all points, and the plot of the first measurement as
        HTML."""
        from weir.experiments.notebook import result_html

        return result_html(self)
