"""Queries microbursts, which are short times in which a queue was long."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from weir import units
from weir.telemetry.questions.answer import Answer, columns_of
from weir.telemetry.questions.queues import queue_name, time_of_hop
from weir.telemetry.questions.selection import FLOW_COLUMNS, Clock, Selection, flow_columns, flow_text

if TYPE_CHECKING:
    import duckdb
    from matplotlib.axes import Axes


class Microbursts(Answer):
    """The short times in which a queue was at or above a threshold.

    The columns: ``node``, ``port`` (the egress port), ``queue``; ``start_s``, the first packet that
    found the queue at or above the threshold; ``duration_us``, until the first packet that found it
    below the threshold, or else the last that found it at or above; ``max_packets``, the longest
    queue; ``packets``, how many reported packets found the queue at or above the threshold;
    ``flow``, the flow with the most bytes among these.
    """

    title: ClassVar[str] = "microbursts"

    def _picture(self, ax: Axes) -> None:
        """Draws each burst where it began, as high as the queue was long."""
        rows = list(zip(self["node"], self["port"], self["queue"], strict=True))
        for queue in dict.fromkeys(rows):
            chosen = [place for place, row in enumerate(rows) if row == queue]
            starts = [self["start_s"][place] for place in chosen]
            ends = [
                start + self["duration_us"][place] / 1e6 for start, place in zip(starts, chosen, strict=True)
            ]
            heights = [self["max_packets"][place] for place in chosen]
            (line,) = ax.plot(starts, heights, "o", markersize=4, label=queue_name(*queue))
            ax.hlines(heights, starts, ends, colors=line.get_color())
        ax.set_xlabel("time in s")
        ax.set_ylabel("packets in the queue, at most")
        ax.set_ylim(bottom=0)
        if len(self):
            ax.legend()


def bursts(
    connection: duckdb.DuckDBPyConnection,
    origin_ns: int,
    selection: Selection,
    threshold: int,
    shorter_than: str,
    clock: Clock,
) -> Microbursts:
    """Queries the bursts of the selected queues."""
    condition, parameters = selection.hops(origin_ns)
    limit = units.time_ns(shorter_than, "shorter_than")
    time = time_of_hop(clock, origin_ns)
    result = connection.execute(
        f"""
        WITH seen AS (
            SELECT h.node, h.egress_port, h.queue, {time} AS time, h.report, h.queue_packets AS packets,
                h.queue_packets >= {threshold:d} AS above
            FROM hops h JOIN reports r USING (report)
            WHERE h.queue_packets IS NOT NULL AND {time} IS NOT NULL AND NOT r.dropped AND {condition}
        ), followed AS (
            SELECT *, coalesce(lag(above) OVER same, false) AS was_above FROM seen
            WINDOW same AS (PARTITION BY node, egress_port, queue ORDER BY time, report)
        ), numbered AS (
            SELECT *, sum((above AND NOT was_above)::INTEGER) OVER same AS burst FROM followed
            WHERE above OR was_above
            WINDOW same AS (PARTITION BY node, egress_port, queue ORDER BY time, report)
        ), whole AS (
            SELECT node, egress_port, queue, burst, min(time) FILTER (above) AS start,
                coalesce(min(time) FILTER (NOT above), max(time) FILTER (above)) AS ended,
                max(packets) AS most, count(*) FILTER (above) AS met
            FROM numbered GROUP BY node, egress_port, queue, burst
        ), flows AS (
            SELECT n.node, n.egress_port, n.queue, n.burst, {flow_columns()}, sum(r.bytes) AS size
            FROM numbered n JOIN reports r USING (report) WHERE n.above AND r.source IS NOT NULL
            GROUP BY n.node, n.egress_port, n.queue, n.burst, {flow_columns()}
        ), largest AS (
            SELECT * FROM flows QUALIFY row_number() OVER (
                PARTITION BY node, egress_port, queue, burst ORDER BY size DESC, {flow_columns("flows")}) = 1
        )
        SELECT w.node, w.egress_port, w.queue, w.start / 1e9, (w.ended - w.start) / 1e3, w.most, w.met,
            {flow_columns("l")}
        FROM whole w LEFT JOIN largest l ON w.node IS NOT DISTINCT FROM l.node
            AND w.egress_port IS NOT DISTINCT FROM l.egress_port AND w.queue = l.queue AND w.burst = l.burst
        WHERE w.ended - w.start < {limit:d}
        ORDER BY w.start, w.node, w.egress_port, w.queue
        """,
        parameters,
    ).fetchall()
    rows = [(*row[: -len(FLOW_COLUMNS)], flow_text(row[-len(FLOW_COLUMNS) :])) for row in result]
    return Microbursts(
        columns_of(
            rows,
            {
                "node": "int",
                "port": "int",
                "queue": "int",
                "start_s": "float",
                "duration_us": "float",
                "max_packets": "int",
                "packets": "int",
                "flow": "text",
            },
        )
    )
