"""Queries a summary of a store, its flows, and the datagrams that are not reports."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from weir.telemetry.questions.answer import Answer, columns_of
from weir.telemetry.questions.selection import FLOW_COLUMNS, Selection, flow_columns, flow_text

if TYPE_CHECKING:
    import duckdb
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class Overview:
    """A summary of a store's contents.

    Attributes:
        batches: the number of added batches.
        datagrams: the number of datagrams with reports.
        reports: the number of individual reports.
        bad: the number of datagrams that are not reports.
        flows: the number of flows in the reports.
        nodes: the ids of the nodes in the reports.
        dropped: the number of reports about dropped packets.
        congested: the number of reports about packets in a congested queue.
        first_s: the arrival time of the first report; ``None`` if there are no reports.
        last_s: the arrival time of the last report.
    """

    batches: int
    datagrams: int
    reports: int
    bad: int
    flows: int
    nodes: tuple[int, ...]
    dropped: int
    congested: int
    first_s: float | None
    last_s: float | None


class Flows(Answer):
    """The flows in the reports.

    The columns: ``flow``; ``reports``; ``bytes`` of the reported packets; ``first_s`` and
    ``last_s``, when the first and the last report arrived; ``dropped``, reports of drops.
    """

    title: ClassVar[str] = "flows"

    def _picture(self, ax: Axes) -> None:
        """Draws the reports of each flow."""
        _bars(ax, self["flow"], self["reports"], "reports")


class BadDatagrams(Answer):
    """The datagrams that are not telemetry reports, with samples of each batch and a row for all
    others.

    The columns: ``time_s``, the arrival; ``datagrams``, how many the row stands for, 1 for a
    sample; ``bytes``, their size; ``reason``; ``payload``, the first 256 bytes of a sample.
    """

    title: ClassVar[str] = "bad datagrams"

    def _picture(self, ax: Axes) -> None:
        """Draws the number of datagrams with each reason."""
        counts: Counter[str] = Counter()
        for reason, datagrams in zip(self["reason"], self["datagrams"], strict=True):
            counts[reason] += datagrams
        _bars(ax, list(counts), list(counts.values()), "datagrams")


def overview(connection: duckdb.DuckDBPyConnection, origin_ns: int, batches: int) -> Overview:
    """Queries a summary of the store."""
    row = connection.execute(
        f"""
        SELECT count(*) FILTER (first_in_datagram), count(*),
            count(DISTINCT ({flow_columns()})) FILTER (source IS NOT NULL), count(*) FILTER (dropped),
            count(*) FILTER (congested), (min(time_ns) - {origin_ns:d}) / 1e9, (max(time_ns) - {origin_ns:d}) / 1e9
        FROM reports r
        """
    ).fetchone()
    bad = connection.execute("SELECT coalesce(sum(datagrams), 0)::BIGINT FROM bad").fetchone()
    nodes = connection.execute(
        "SELECT DISTINCT node FROM hops WHERE node IS NOT NULL ORDER BY node"
    ).fetchall()
    assert row is not None and bad is not None
    datagrams, reports, flows, dropped, congested, first, last = row
    return Overview(
        batches,
        datagrams,
        reports,
        bad[0],
        flows,
        tuple(node for (node,) in nodes),
        dropped,
        congested,
        first,
        last,
    )


def flows(connection: duckdb.DuckDBPyConnection, origin_ns: int, selection: Selection) -> Flows:
    """Queries the flows, with the most bytes first."""
    condition, parameters = selection.reports(origin_ns)
    rows = connection.execute(
        f"""
        SELECT {flow_columns()}, count(*), sum(r.bytes)::BIGINT AS size, (min(r.time_ns) - {origin_ns:d}) / 1e9,
            (max(r.time_ns) - {origin_ns:d}) / 1e9, count(*) FILTER (r.dropped)
        FROM reports r WHERE r.source IS NOT NULL AND {condition}
        GROUP BY {flow_columns()} ORDER BY size DESC, {flow_columns()}
        """,
        parameters,
    ).fetchall()
    width = len(FLOW_COLUMNS)
    kinds = {
        "flow": "text",
        "reports": "int",
        "bytes": "int",
        "first_s": "float",
        "last_s": "float",
        "dropped": "int",
    }
    return Flows(columns_of([(flow_text(row[:width]), *row[width:]) for row in rows], kinds))


def bad_datagrams(connection: duckdb.DuckDBPyConnection, origin_ns: int) -> BadDatagrams:
    """Queries the datagrams that are not reports, in the order of their arrival."""
    rows = connection.execute(
        f"SELECT (time_ns - {origin_ns:d}) / 1e9, datagrams, bytes, reason, payload FROM bad"
        " ORDER BY batch, time_ns, datagrams, reason"
    ).fetchall()
    kinds = {"time_s": "float", "datagrams": "int", "bytes": "int", "reason": "text", "payload": "bytes"}
    return BadDatagrams(columns_of(rows, kinds))


def _bars(ax: Axes, names: list[str], values: list[int], what: str) -> None:
    ax.barh(range(len(names)), values, height=0.6)
    ax.set_yticks(range(len(names)), names)
    ax.set_ylim(max(len(names), 3) - 0.5, -0.5)
    ax.grid(axis="y", visible=False)
    ax.set_xlabel(what)
