"""What the networks of a run were built from, so that results can say it."""

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
    """What networks were built from, in the order in which they were built.

    Attributes:
        topologies: digests.
        programs: digests.
        first: the topology of the first network.
    """

    topologies: list[str] = dataclasses.field(default_factory=list)
    programs: list[str] = dataclasses.field(default_factory=list)
    first: Topology | None = None


_recorder: ContextVar[Provenance | None] = ContextVar("recorder", default=None)


@contextmanager
def recording() -> Iterator[Provenance]:
    """Records the networks that are built in the block, in this thread."""
    found = Provenance()
    token = _recorder.set(found)
    try:
        yield found
    finally:
        _recorder.reset(token)


def record(topology: Topology, programs: Iterable[Program]) -> None:
    """Notes what a network was built from, if someone records."""
    found = _recorder.get()
    if found is None:
        return
    found.first = found.first or topology
    for known, digest in (
        (found.topologies, _topology_digest(topology)),
        *((found.programs, program.digest) for program in programs),
    ):
        if digest not in known:
            known.append(digest)


def _topology_digest(topology: Topology) -> str:
    """A digest of everything that a topology says, with the contents of the files that it names."""
    parts = [topology.hosts, topology.switches, topology.links, topology.routes]
    text = json.dumps(_plain(parts), sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _plain(value: Any) -> Any:
    """A value as JSON can hold it."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        fields = {each.name: _plain(getattr(value, each.name)) for each in dataclasses.fields(value)}
        return {"type": type(value).__name__, **fields}
    if isinstance(value, Path):
        return hashlib.sha256(value.read_bytes()).hexdigest() if value.is_file() else value.name
    if isinstance(value, dict):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    return value if value is None or isinstance(value, (str, int, float, bool)) else repr(value)
