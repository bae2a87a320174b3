"""Draws a running network."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from weir import units
from weir.display import titled_output, topology_svg
from weir.topology import Topology
from weir.topology.drawing import drawing, drawn_link

if TYPE_CHECKING:
    from weir.network.nodes import Nodes


def network_svg(topology: Topology, nodes: Nodes) -> str:
    """Draws the current state of a network, which may differ from its topology."""
    switches = {name: Path(switch.program.path).name for name, switch in nodes.switches.items()}
    links = [
        drawn_link(spec.a, spec.b, link.rate_bps, link.delay_ns, link.loss, link.up)
        for spec, link in zip(topology.links, nodes.links, strict=False)
    ]
    return topology_svg(
        replace(drawing(topology.hosts, topology.switches, topology.links), switches=switches, links=links)
    )


def network_html(topology: Topology, nodes: Nodes, now_ns: int) -> str:
    """Renders the drawing of a network and its time as HTML, for notebooks."""
    time = f"<div>at {units.format_time(now_ns)} of virtual time</div>"
    return titled_output("", network_svg(topology, nodes), time)
