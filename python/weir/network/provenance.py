"""Records the topologies and programs of a run's networks, for the run's results."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from weir.program import Program
    from weir.topology import Topology


@dataclasses.dataclass
class Provenance:
    """The topologies and programs of networks, in the order in which the networks were built.

    Attributes:
        topologies: digests of the topologies.
        programs: digests of the programs.
        first: the topology of the first network.
    """

    topologies: list[str] = dataclasses.field(default_factory=list)
    programs: list[str] = dataclasses.field(default_factory=list)
    first: Topology | None = None


_recorder: ContextVar[Provenance | None] = ContextVar("recorder", default=None)


@contextmanager
def recording() -> Iterator[Provenance]:
    """Records the topologies and programs of the networks that this thread builds in the block."""
    provenance = Provenance()
    token = _recorder.set(provenance)
    try:
        yield provenance
    finally:
        _recorder.reset(token)


def record(topology: Topology, programs: Iterable[Program]) -> None:
    """Records the topology and programs of a network, if :func:`recording` is active."""
    provenance = _recorder.get()
    if provenance is None:
        return
    provenance.first = provenance.first or topology
    for digests, digest in (
        (provenance.topologies, _topology_digest(topology)),
        *((provenance.programs, program.digest) for program in programs),
    ):
        if digest not in digests:
            digests.append(digest)


def _topology_digest(topology: Topology) -> str:
    """Computes a digest of a topology and of the contents of the files that it names."""
    parts = [topology.hosts, topology.switches, topology.links, topology.routes]
    text = json.dumps(_as_json(parts), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _as_json(value: Any) -> Any:
    """Converts a value to a form that JSON can represent."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {each.name: _as_json(getattr(value, each.name)) for each in dataclasses.fields(value)}
        return {"type": type(value).__name__, **fields}
    if isinstance(value, Path):
        return hashlib.sha256(value.read_bytes()).hexdigest() if value.is_file() else value.name
    if isinstance(value, dict):
        return {str(key): _as_json(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_as_json(item) for item in value]
    return value if value is None or isinstance(value, (str, int, float, bool)) else repr(value)
