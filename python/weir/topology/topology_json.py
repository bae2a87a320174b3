"""Reads the public tutorials' ``topology.json``."""

from __future__ import annotations

from pathlib import Path

from weir import _core
from weir.errors import TopologyError
from weir.textfile import read_text
from weir.topology.endpoint import Endpoint
from weir.topology.host_spec import HostSpec
from weir.topology.link_spec import LinkSpec
from weir.topology.switch_spec import SwitchSpec
from weir.topology.topology import Topology


def load(path: str | Path) -> Topology:
    """Reads a topology; see :meth:`Topology.load`."""
    if not isinstance(path, (str, Path)):
        raise TopologyError(f"expected the name of a topology.json, found {path!r}")
    hosts, switches, links = _core.read_topology(str(path), read_text(path))
    topology = Topology()
    topology.file = str(path)
    topology.hosts = {row[0]: HostSpec._of(row) for row in hosts}
    for name, entries, p4, profile, cpu_port, commands, queue_rate in switches:
        topology.switches[name] = SwitchSpec(
            name, _path(entries), _path(p4), profile, cpu_port, _path(commands), queue_rate
        )
    topology.links = [
        LinkSpec(Endpoint(*a), Endpoint(*b), bandwidth, latency) for a, b, latency, bandwidth in links
    ]
    return topology


def _path(name: str | None) -> Path | None:
    return None if name is None else Path(name)
