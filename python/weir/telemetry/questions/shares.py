"""Queries the flows that shared each queue."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from weir.telemetry.questions.answer import Answer, columns_of
from weir.telemetry.questions.queues import queue_name
from weir.telemetry.questions.selection import FLOW_COLUMNS, Selection, flow_columns, flow_text

if TYPE_CHECKING:
    import duckdb
    from matplotlib.axes import Axes

_QUEUE: Final = ("node", "port", "queue")

_AGGRESSOR_RATIO: Final = 1.2
"""The multiple of an equal share above which a flow is an aggressor."""


class QueueShares(Answer):
    """The flows that shared each queue, with the most bytes first.

    The columns: ``node``, ``port`` (the egress port), ``queue``; ``flow``; ``packets`` and
    ``bytes``, IPv4 bytes without what INT inserted, of the packets that were reported; ``share`` of
    the bytes of that queue, from 0 to 1; ``mean_packets`` and ``max_packets``, the packets that
    were waiting when one of the flow's packets arrived; ``aggressor``, whether the flow has the
    most bytes of those that shared the queue, and more than 1.2 times an equal share, so that flows
    that share a queue equally have no aggressor.
    """

    title: ClassVar[str] = "flows in queues"

    @property
    def aggressors(self) -> list[str]:
        """The aggressor of each queue that several flows share."""
        return [flow for flow, most in zip(self["flow"], self["aggressor"], strict=True) if most]

    def table(self, most: int | None = None) -> list[str]:
        """Formats the rows as lines of text, below a line for each queue; see
        :meth:`Answer.table`."""
        queue_names = [
            queue_name(*row) for row in zip(self["node"], self["port"], self["queue"], strict=True)
        ]
        head, *lines = self._lines([column for column in self.columns() if column.name not in _QUEUE], most)
        shown_lines = [f"  {head}"]
        for place, line in enumerate(lines):
            if place == 0 or queue_names[place] != queue_names[place - 1]:
                shown_lines.append(f"{queue_names[place]}:")
            shown_lines.append(f"  {line}")
        return shown_lines

    def _picture(self, ax: Axes) -> None:
        """Draws the bytes of each flow in each queue."""
        rows = zip(self["node"], self["port"], self["queue"], self["flow"], strict=True)
        names = [f"{queue_name(node, port, queue)}\n{flow}" for node, port, queue, flow in rows]
        ax.barh(range(len(names)), [size / 1e3 for size in self["bytes"]], height=0.6)
        ax.set_yticks(range(len(names)), names)
        ax.set_ylim(max(len(names), 3) - 0.5, -0.5)
        ax.grid(axis="y", visible=False)
        ax.set_xlabel("kB of reported packets")


def shares(
    connection: duckdb.DuckDBPyConnection, origin_ns: int, selection: Selection, at_least: int
) -> QueueShares:
    """Queries the flows that shared the selected queues.

    Only packets that found at least ``at_least`` packets in the queue count.

    Dropped packets do not count, because they were not in a queue.
    """
    condition, parameters = selection.hops(origin_ns)
    result = connection.execute(
        f"""
        WITH flows AS (
            SELECT h.node, h.egress_port, h.queue, {flow_columns()}, count(*) AS packets,
                sum(r.bytes)::BIGINT AS size, avg(h.queue_packets) AS mean, max(h.queue_packets) AS most
            FROM hops h JOIN reports r USING (report)
            WHERE h.queue_packets >= {at_least:d} AND NOT r.dropped AND r.source IS NOT NULL AND {condition}
            GROUP BY h.node, h.egress_port, h.queue, {flow_columns()}
        )
        SELECT node, egress_port, queue, {flow_columns("flows")}, packets, size,
            size / greatest(sum(size) OVER same, 1), mean, most,
            row_number() OVER (same ORDER BY size DESC, {flow_columns("flows")}) = 1
            AND size * count(*) OVER same > {_AGGRESSOR_RATIO} * sum(size) OVER same
        FROM flows WINDOW same AS (PARTITION BY node, egress_port, queue)
        ORDER BY node, egress_port, queue, size DESC, {flow_columns("flows")}
        """,
        parameters,
    ).fetchall()
    width = len(FLOW_COLUMNS)
    rows = [(*row[:3], flow_text(row[3 : 3 + width]), *row[3 + width :]) for row in result]
    return QueueShares(
        columns_of(
            rows,
            {
                "node": "int",
                "port": "int",
                "queue": "int",
                "flow": "text",
                "packets": "int",
                "bytes": "int",
                "share": "float",
                "mean_packets": "float",
                "max_packets": "int",
                "aggressor": "bool",
            },
        )
    )
