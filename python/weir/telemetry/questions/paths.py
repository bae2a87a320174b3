"""Queries the paths of flows over time."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any, ClassVar

from weir import units
from weir.telemetry.questions.answer import Answer, columns_of
from weir.telemetry.questions.selection import FLOW_COLUMNS, Selection, flow_columns, flow_text

if TYPE_CHECKING:
    from collections.abc import Iterable

    import duckdb
    from matplotlib.axes import Axes


class FlowPaths(Answer):
    """The paths of flows over time, with a new row when a flow takes another path.

    The columns: ``flow``; ``path``, the nodes from the sender on, such as ``1-2-3``, with ``?`` for
    a node that did not report its id; ``start_s`` and ``end_s``, the arrival of the path's first
    and last report; ``reports``; ``complete``, whether all metadata fit, so that no node set E or M
    in the INT header.
    """

    title: ClassVar[str] = "paths"

    def _picture(self, ax: Axes) -> None:
        """Draws a bar for each path over time, with a row for each flow and path."""
        lines = list(dict.fromkeys(zip(self["flow"], self["path"], strict=True)))
        rows = zip(self["flow"], self["path"], self["start_s"], self["end_s"], strict=True)
        for flow, path, start, end in rows:
            place = lines.index((flow, path))
            ax.barh(place, max(end - start, 1e-9), left=start, height=0.3)
        ax.set_yticks(range(len(lines)), [f"{flow}\n{path}" for flow, path in lines])
        margin = 0.5 + max(3 - len(lines), 0) / 2
        ax.set_ylim(len(lines) - 1 + margin, -margin)
        ax.grid(axis="y", visible=False)
        ax.set_xlabel("time in s")


def paths(
    connection: duckdb.DuckDBPyConnection, origin_ns: int, selection: Selection, window: str
) -> FlowPaths:
    """Queries the paths of the selected flows.

    A report of INT-MD has the whole path. In other modes each node reports separately, and the
    reports within ``window`` are joined, in the order of the packets' time to live.
    """
    condition, parameters = selection.reports(origin_ns)
    embedded = connection.execute(_EMBEDDED.format(condition=condition, flow=flow_columns("t")), parameters)
    rows = [(flow_text(row[:5]), *row[5:]) for row in embedded.fetchall()]
    length = max(units.time_ns(window, "window"), 1)
    single = connection.execute(
        _SINGLE.format(condition=condition, flow=flow_columns(), window=length), parameters
    )
    rows += _joined_paths(single.fetchall())
    rows.sort(key=lambda row: (row[0] or "", row[2]))
    return FlowPaths(
        columns_of(
            [
                (flow, path, (start - origin_ns) / 1e9, (end - origin_ns) / 1e9, reports, complete)
                for flow, path, start, end, reports, complete in rows
            ],
            {
                "flow": "text",
                "path": "text",
                "start_s": "float",
                "end_s": "float",
                "reports": "int",
                "complete": "bool",
            },
        )
    )


_EMBEDDED = f"""
    WITH taken AS (
        SELECT {flow_columns()}, r.report, any_value(r.time_ns) AS time,
            string_agg(coalesce(h.node::VARCHAR, '?'), '-' ORDER BY h.place) AS path,
            any_value(NOT (r.hops_exceeded OR r.mtu_exceeded)) AS complete
        FROM reports r JOIN hops h USING (report)
        WHERE r.mode = 1 AND NOT r.dropped AND NOT r.intermediate AND r.source IS NOT NULL AND {{condition}}
        GROUP BY {flow_columns()}, r.report
    ), changed AS (
        SELECT *, path IS DISTINCT FROM lag(path) OVER same AS new FROM taken t
        WINDOW same AS (PARTITION BY {{flow}} ORDER BY report)
    ), runs AS (
        SELECT *, sum(new::INTEGER) OVER same AS run FROM changed t
        WINDOW same AS (PARTITION BY {{flow}} ORDER BY report)
    )
    SELECT {{flow}}, any_value(path), min(time), max(time), count(*), bool_and(complete)
    FROM runs t GROUP BY {{flow}}, run ORDER BY {{flow}}, run
"""

_SINGLE = """
    SELECT {flow}, r.time_ns // {window} AS slot, r.ttl, arg_max(h.node, r.report), min(r.time_ns),
        max(r.time_ns), count(*)
    FROM reports r JOIN hops h USING (report)
    WHERE r.mode <> 1 AND NOT r.dropped AND r.source IS NOT NULL AND {condition}
    GROUP BY {flow}, slot, r.ttl ORDER BY {flow}, slot, r.ttl DESC
"""


@dataclass
class _AssembledPath:
    """A path that is being assembled, with the node for each time to live."""

    nodes: dict[int, int]
    start: int
    end: int
    reports: int


def _joined_paths(rows: Iterable[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Assembles paths from the reports of single nodes.

    Consecutive windows belong to the same path until they disagree about a node.
    """
    rows_of_paths = []
    width = len(FLOW_COLUMNS)
    for key, of_flow in groupby(rows, lambda row: row[:width]):
        runs: list[_AssembledPath] = []
        for _, window in groupby(of_flow, lambda row: row[width]):
            hops = list(window)
            nodes = {ttl: node for *_, ttl, node, _, _, _ in hops}
            start, end = min(row[-3] for row in hops), max(row[-2] for row in hops)
            reports = sum(row[-1] for row in hops)
            last = runs[-1] if runs else None
            if last is None or any(last.nodes.get(ttl, node) != node for ttl, node in nodes.items()):
                runs.append(_AssembledPath(nodes, start, end, reports))
            else:
                last.nodes |= nodes
                last.end, last.reports = max(last.end, end), last.reports + reports
        for run in runs:
            path = "-".join(str(run.nodes[ttl]) for ttl in sorted(run.nodes, reverse=True))
            rows_of_paths.append((flow_text(key), path, run.start, run.end, run.reports, True))
    return rows_of_paths
