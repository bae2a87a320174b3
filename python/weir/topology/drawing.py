"""What a drawing of a topology shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weir import units
from weir.display.topology import Drawing, DrawnLink
from weir.impairments import Loss

if TYPE_CHECKING:
    from weir.topology.endpoint import Endpoint
    from weir.topology.topology import Topology


def drawing(topology: Topology) -> Drawing:
    """The hosts with their addresses, the switches with their programs, and the links."""
    hosts = {
        name: str(spec.interfaces[0].addresses[0]) if spec.interfaces and spec.interfaces[0].addresses else ""
        for name, spec in topology.hosts.items()
    }
    switches = {name: "" if spec.p4 is None else spec.p4.name for name, spec in topology.switches.items()}
    links = [
        drawn_link(
            link.a,
            link.b,
            link.rate_bps,
            link.delay_ns,
            link.loss_model or units.format_share(link.loss),
            link.up,
        )
        for link in topology.links
    ]
    return Drawing(hosts, switches, links)


def drawn_link(
    a: Endpoint, b: Endpoint, rate_bps: int | None, delay_ns: int, loss: str | Loss, up: bool
) -> DrawnLink:
    """A link with its ports, and a label of what limits it."""
    parts = [] if rate_bps is None else [units.format_rate(rate_bps)]
    parts += [units.format_time(delay_ns)] if delay_ns else []
    parts += ["loss"] if isinstance(loss, Loss) else [f"{loss} loss"] if loss != "0%" else []
    ports = ("" if a.port is None else str(a.port), "" if b.port is None else str(b.port))
    return DrawnLink(a.node, b.node, ports, ", ".join(parts), up)
