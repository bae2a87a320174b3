"""Queries the latencies of packets in each node."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Final

from weir.telemetry.questions.answer import Answer, columns_of
from weir.telemetry.questions.selection import FLOW_COLUMNS, Selection, flow_columns, flow_text

if TYPE_CHECKING:
    import duckdb
    from matplotlib.axes import Axes

_PERCENTILES: Final = (50, 90, 99)


class HopLatencies(Answer):
    """The latencies of packets in nodes, from arrival to the end of the wait in the queue.

    The columns: ``node``; ``flow``, if asked for; ``reports``; ``mean_us``, ``p50_us``, ``p90_us``,
    ``p99_us``, ``max_us``, in µs, interpolated linearly as by :func:`weir.measure.percentile`.
    """

    title: ClassVar[str] = "hop latencies"

    def _picture(self, ax: Axes) -> None:
        """Draws, for each row, the percentiles and the largest value."""
        flows = self["flow"] if any(column.name == "flow" for column in self.columns()) else None
        names = [str(node) for node in self["node"]]
        if flows is not None:
            names = [f"{node}: {flow}" for node, flow in zip(names, flows, strict=True)]
        places = list(range(len(names)))
        ax.hlines(places, self["p50_us"], self["max_us"], colors="0.6", linewidth=0.8)
        for marker, name in (("o", "p50_us"), ("d", "p90_us"), ("s", "p99_us"), ("|", "max_us")):
            ax.plot(self[name], places, marker, label=name.removesuffix("_us"), markersize=7)
        ax.set_yticks(places, names)
        ax.set_ylim(max(len(names), 3) - 0.5, -0.5)
        ax.set_xlim(left=0)
        ax.set_xlabel("hop latency in µs")
        ax.set_ylabel("node")
        ax.legend()


def latencies(
    connection: duckdb.DuckDBPyConnection, origin_ns: int, selection: Selection, by_flow: bool
) -> HopLatencies:
    """Queries the latencies of the selected hops."""
    condition, parameters = selection.hops(origin_ns)
    keys = f"h.node, {flow_columns()}" if by_flow else "h.node"
    percents = ", ".join(f"quantile_cont(h.latency_us::DOUBLE, {percent / 100})" for percent in _PERCENTILES)
    rows = connection.execute(
        f"""
        SELECT {keys}, count(*), avg(h.latency_us), {percents}, max(h.latency_us)
        FROM hops h JOIN reports r USING (report)
        WHERE h.latency_us IS NOT NULL AND {condition}
        GROUP BY {keys} ORDER BY {keys}
        """,
        parameters,
    ).fetchall()
    kinds: dict[str, Any] = {"node": "int"}
    if by_flow:
        kinds["flow"] = "text"
        width = len(FLOW_COLUMNS)
        rows = [(row[0], flow_text(row[1 : 1 + width]), *row[1 + width :]) for row in rows]
    kinds |= {"reports": "int", "mean_us": "float"}
    kinds |= {f"p{percent}_us": "float" for percent in _PERCENTILES}
    return HopLatencies(columns_of(rows, {**kinds, "max_us": "int"}))
