"""Queries lost and late reports, by the sequence numbers of their datagrams."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from weir.telemetry.protocol import RESTART, SEQUENCE_RANGE as RANGE
from weir.telemetry.questions.answer import Answer, columns_of
from weir.telemetry.questions.selection import Selection

if TYPE_CHECKING:
    import duckdb
    from matplotlib.axes import Axes


class ReportLosses(Answer):
    """How many report datagrams of each node arrived and how many were lost, by sequence
    numbers.

    The columns: ``node``; ``hw_id``, the node's hardware subsystem, each of which numbers its own
    datagrams; ``datagrams`` that arrived; ``lost``, numbers that are missing between the smallest
    and the largest; ``late``, those that arrived after one with a larger number; ``duplicates``;
    ``restarts``, how often the numbers went back by more than 1000. Losses before the first
    datagram, after the last, and around a restart cannot be detected.
    """

    title: ClassVar[str] = "report losses"

    def _picture(self, ax: Axes) -> None:
        """Draws the lost and late datagrams of each node."""
        names = [
            f"{node}.{part}" if part else str(node)
            for node, part in zip(self["node"], self["hw_id"], strict=True)
        ]
        places = range(len(names))
        ax.barh([place - 0.2 for place in places], self["lost"], height=0.35, label="lost")
        ax.barh([place + 0.2 for place in places], self["late"], height=0.35, label="late")
        ax.set_yticks(places, names)
        ax.set_ylim(max(len(names), 3) - 0.5, -0.5)
        ax.grid(axis="y", visible=False)
        ax.set_xlim(0, max([1, *self["lost"], *self["late"]]))
        ax.set_xlabel("report datagrams")
        ax.set_ylabel("node")
        ax.legend()


class ReportGaps(Answer):
    """The gaps of missing report datagrams.

    The columns: ``node``, ``hw_id``; ``time_s``, when the datagram after the gap arrived;
    ``first_missing``, a sequence number; ``missing``, how many.
    """

    title: ClassVar[str] = "gaps"

    def _picture(self, ax: Axes) -> None:
        """Draws each gap where it ended, as high as it is long."""
        ax.vlines(self["time_s"], 0, self["missing"], colors="0.6")
        ax.plot(self["time_s"], self["missing"], "o")
        ax.set_xlabel("time in s")
        ax.set_ylabel("missing report datagrams")
        ax.set_ylim(bottom=0)


_NUMBERED = f"""
    WITH datagrams AS (
        SELECT r.*, lag(sequence) OVER same AS before FROM reports r
        WHERE first_in_datagram AND {{condition}}
        WINDOW same AS (PARTITION BY node, hw_id ORDER BY report)
    ), steps AS (
        SELECT *, coalesce((sequence::BIGINT - before + {RANGE + RANGE // 2}) % {RANGE} - {RANGE // 2}, 0) AS step
        FROM datagrams
    ), epochs AS (
        SELECT *, sum((step < -{RESTART})::INTEGER) OVER same AS epoch FROM steps
        WINDOW same AS (PARTITION BY node, hw_id ORDER BY report)
    ), placed AS (
        SELECT *, sum(step) OVER (PARTITION BY node, hw_id, epoch ORDER BY report) AS place FROM epochs
    ), numbered AS (
        SELECT *, max(place) OVER (PARTITION BY node, hw_id, epoch ORDER BY report
            ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS largest
        FROM placed
    )
"""
"""The start of a query: datagrams with ``place``, the sequence number without a wrap, and
``largest``, the largest place before."""


def losses(connection: duckdb.DuckDBPyConnection, origin_ns: int, selection: Selection) -> ReportLosses:
    """Queries the arrived and lost datagrams of the selected nodes."""
    condition, parameters = selection.reporter_condition(origin_ns)
    rows = connection.execute(
        f"""
        {_NUMBERED.format(condition=condition)}, parts AS (
            SELECT node, hw_id, epoch, count(*) AS arrived, count(DISTINCT place) AS different,
                max(place) - min(place) + 1 AS expected, count(*) FILTER (place < largest) AS late
            FROM numbered GROUP BY node, hw_id, epoch
        )
        SELECT node, hw_id, sum(arrived)::BIGINT, sum(expected - different)::BIGINT, sum(late)::BIGINT,
            sum(arrived - different)::BIGINT, count(*) - 1
        FROM parts GROUP BY node, hw_id ORDER BY node, hw_id
        """,
        parameters,
    ).fetchall()
    names = ("node", "hw_id", "datagrams", "lost", "late", "duplicates", "restarts")
    return ReportLosses(columns_of(rows, dict.fromkeys(names, "int")))


def gaps(connection: duckdb.DuckDBPyConnection, origin_ns: int, selection: Selection) -> ReportGaps:
    """Queries the gaps of missing datagrams."""
    condition, parameters = selection.reporter_condition(origin_ns)
    rows = connection.execute(
        f"""
        {_NUMBERED.format(condition=condition)}, arrived AS (
            SELECT node, hw_id, epoch, place, min(time_ns) AS time_ns, min(sequence) AS sequence
            FROM numbered GROUP BY node, hw_id, epoch, place
        ), apart AS (
            SELECT *, place - lag(place) OVER (PARTITION BY node, hw_id, epoch ORDER BY place) - 1 AS missing
            FROM arrived
        )
        SELECT node, hw_id, (time_ns - {origin_ns:d}) / 1e9, (sequence + {RANGE} - missing) % {RANGE}, missing::BIGINT
        FROM apart WHERE missing > 0 ORDER BY time_ns, node, hw_id
        """,
        parameters,
    ).fetchall()
    kinds = {"node": "int", "hw_id": "int", "time_s": "float", "first_missing": "int", "missing": "int"}
    return ReportGaps(columns_of(rows, kinds))
