"""Queries the length of each queue over time."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, ClassVar

from weir import units
from weir.telemetry.questions.answer import Answer, columns_of
from weir.telemetry.questions.selection import Clock, Selection

if TYPE_CHECKING:
    import duckdb
    from matplotlib.axes import Axes


class QueueOccupancy(Answer):
    """The lengths of queues on arrival of packets, by time interval.

    The columns: ``node``, ``port`` (the egress port), ``queue``; ``time_s``, when the interval
    begins; ``reports``; ``mean_packets`` and ``max_packets``, the packets that were waiting when a
    reported packet arrived. Intervals without a report have no row.
    """

    title: ClassVar[str] = "intervals of queues"

    def _picture(self, ax: Axes) -> None:
        """Draws the largest occupancy of each queue over time."""
        rows = zip(
            self["node"], self["port"], self["queue"], self["time_s"], self["max_packets"], strict=True
        )
        for queue, points in groupby(rows, lambda row: row[:3]):
            times, packets = zip(*(point[3:] for point in points), strict=True)
            ax.plot(times, packets, label=queue_name(*queue))
        ax.set_xlabel("time in s")
        ax.set_ylabel("packets in the queue")
        ax.set_ylim(bottom=0)
        if len(self):
            ax.legend()


def queue_name(node: int | None, port: int | None, queue: int | None) -> str:
    """Returns the name of a queue for plots and reports."""
    return (
        f"node {node}" + (f" port {port}" if port is not None else "") + (f" queue {queue}" if queue else "")
    )


def time_of_hop(clock: Clock, origin_ns: int) -> str:
    """Returns the SQL expression for the time in nanoseconds at which a packet was at a node; it is
    null if the report does not have the time."""
    if clock == "arrival":
        return f"(h.time_ns - {origin_ns:d})"
    # The time has 64 bits, which may be any number in a damaged report.
    return "TRY_CAST(h.ingress_time_us::HUGEINT * 1000 AS BIGINT)"


def queues(
    connection: duckdb.DuckDBPyConnection, origin_ns: int, selection: Selection, interval: str, clock: Clock
) -> QueueOccupancy:
    """Queries the occupancy of the selected queues."""
    condition, parameters = selection.hops(origin_ns)
    length = max(units.time_ns(interval, "interval"), 1)
    time = time_of_hop(clock, origin_ns)
    rows = connection.execute(
        f"""
        SELECT h.node, h.egress_port, h.queue, {time} // {length:d} * {length:d} / 1e9 AS start,
            count(*), avg(h.queue_packets), max(h.queue_packets)
        FROM hops h JOIN reports r USING (report)
        WHERE h.queue_packets IS NOT NULL AND {time} IS NOT NULL AND {condition}
        GROUP BY h.node, h.egress_port, h.queue, start
        ORDER BY h.node, h.egress_port, h.queue, start
        """,
        parameters,
    ).fetchall()
    return QueueOccupancy(
        columns_of(
            rows,
            {
                "node": "int",
                "port": "int",
                "queue": "int",
                "time_s": "float",
                "reports": "int",
                "mean_packets": "float",
                "max_packets": "int",
            },
        )
    )
