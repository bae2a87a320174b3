"""The content of a topology's drawing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from weir import units
from weir.display.topology import Drawing, DrawnLink
from weir.impairments import Loss

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from weir._core import Endpoint
    from weir.topology.host_spec import HostSpec
    from weir.topology.link_spec import LinkSpec
    from weir.topology.switch_spec import SwitchSpec


def drawing(
    hosts: Mapping[str, HostSpec], switches: Mapping[str, SwitchSpec], links: Iterable[LinkSpec]
) -> Drawing:
    """Collects what a drawing shows: hosts with addresses, switches with programs, and links."""
    addresses = {
        name: str(spec.interfaces[0].addresses[0]) if spec.interfaces and spec.interfaces[0].addresses else ""
        for name, spec in hosts.items()
    }
    programs = {name: "" if spec.p4 is None else spec.p4.name for name, spec in switches.items()}
    drawn = [
        drawn_link(
            link.a,
            link.b,
            link.rate_bps,
            link.delay_ns,
            link.loss_model or units.format_share(link.loss),
            link.up,
        )
        for link in links
    ]
    return Drawing(addresses, programs, drawn)


def drawn_link(
    a: Endpoint, b: Endpoint, rate_bps: int | None, delay_ns: int, loss: str | Loss, up: bool
) -> DrawnLink:
    """Describes a link for a drawing: the ports, and a label with rate, delay and loss."""
    parts = [] if rate_bps is None else [units.format_rate(rate_bps)]
    parts += [units.format_time(delay_ns)] if delay_ns else []
    parts += ["loss"] if isinstance(loss, Loss) else [f"{loss} loss"] if loss != "0%" else []
    ports = ("" if a.port is None else str(a.port), "" if b.port is None else str(b.port))
    return DrawnLink(a.node, b.node, ports, ", ".join(parts), up)
