"""Queries the places and reasons of dropped packets."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from weir.telemetry.questions.answer import Answer, columns_of
from weir.telemetry.questions.selection import FLOW_COLUMNS, Selection, flow_columns, flow_text

if TYPE_CHECKING:
    import duckdb
    from matplotlib.axes import Axes


class PacketDrops(Answer):
    """The drops that nodes reported (D in the report's header).

    The columns: ``node``; ``reason``, a number defined by the device, if the node reported it;
    ``flow``; ``reports``; ``first_s`` and ``last_s``, when the first and the last report arrived.
    Nodes need not report each drop, so ``reports`` is not the number of packets.
    """

    title: ClassVar[str] = "drops"

    def _picture(self, ax: Axes) -> None:
        """Draws the reports of each node, reason and flow."""
        rows = zip(self["node"], self["reason"], self["flow"], strict=True)
        names = [
            f"node {node}" + ("" if reason is None else f", reason {reason}") + f"\n{flow}"
            for node, reason, flow in rows
        ]
        ax.barh(range(len(names)), self["reports"], height=0.6)
        ax.set_yticks(range(len(names)), names)
        ax.set_ylim(max(len(names), 3) - 0.5, -0.5)
        ax.grid(axis="y", visible=False)
        ax.set_xlabel("reports of drops")


def drops(connection: duckdb.DuckDBPyConnection, origin_ns: int, selection: Selection) -> PacketDrops:
    """Queries the drops that the selected nodes reported, those with the most reports first."""
    condition, parameters = selection.reporter_condition(origin_ns)
    result = connection.execute(
        f"""
        SELECT r.node, r.drop_reason, {flow_columns()}, count(*) AS reports,
            (min(r.time_ns) - {origin_ns:d}) / 1e9, (max(r.time_ns) - {origin_ns:d}) / 1e9
        FROM reports r WHERE r.dropped AND {condition}
        GROUP BY r.node, r.drop_reason, {flow_columns()}
        ORDER BY r.node, reports DESC, r.drop_reason, {flow_columns()}
        """,
        parameters,
    ).fetchall()
    width = len(FLOW_COLUMNS)
    rows = [(*row[:2], flow_text(row[2 : 2 + width]), *row[2 + width :]) for row in result]
    kinds = {
        "node": "int",
        "reason": "int",
        "flow": "text",
        "reports": "int",
        "first_s": "float",
        "last_s": "float",
    }
    return PacketDrops(columns_of(rows, kinds))
