"""Reads the public tutorials' ``topology.json``."""

from __future__ import annotations

import os
from pathlib import Path

from weir import _core
from weir.textfile import read_text
from weir.topology.endpoint import Endpoint
from weir.topology.host_spec import HostSpec
from weir.topology.link_spec import LinkSpec
from weir.topology.switch_spec import SwitchSpec
from weir.topology.topology import Topology


def load(path: str | Path) -> Topology:
    """Reads a topology; see :meth:`Topology.load`."""
    file = Path(path)

    def find(name: str) -> str | None:
        found = _search(name, file)
        return None if found is None else str(found)

    def siblings(name: str) -> list[str]:
        wanted = file.parent / name
        try:
            entries = sorted(wanted.parent.iterdir())
        except (OSError, ValueError):
            return []
        return [entry.name for entry in entries if entry.suffix == wanted.suffix and entry.is_file()]

    hosts, switches, links = _core.read_topology(str(path), file.name, read_text(path), find, siblings)
    topology = Topology()
    topology.file = str(path)
    topology.hosts = {row[0]: HostSpec._of(row) for row in hosts}
    for name, entries, p4, profile, cpu_port, commands in switches:
        spec = SwitchSpec(name, _path(entries), _path(p4), profile, cpu_port, _path(commands))
        topology.switches[name] = spec
    topology.links = [
        LinkSpec(Endpoint(*a), Endpoint(*b), bandwidth, latency) for a, b, latency, bandwidth in links
    ]
    return topology


def _path(name: str | None) -> Path | None:
    return None if name is None else Path(name)


def _search(name: str, topology: Path) -> Path | None:
    """A file next to the topology, in the parent folder, or in the current folder."""
    folder = topology.parent
    try:
        above = folder.resolve().parent / name
        if not topology.is_absolute():
            # Messages name files as the user does.
            above = Path(os.path.relpath(above))
        candidates = [folder / name, above, Path(name)]
        return next((candidate for candidate in candidates if candidate.exists()), None)
    except (OSError, ValueError):
        return None
