"""A run of an experiment, with its inputs and its record."""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import traceback
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from weir import hints
from weir.errors import WeirError
from weir.experiments.measurements import read_measurements
from weir.experiments.parameters import Point
from weir.text.suggest import nearest

if TYPE_CHECKING:
    from weir.topology import Topology

Record = dict[str, Any]
"""The type of a run's record, which is plain data; see :func:`perform`."""


@dataclass(frozen=True)
class Task:
    """A run to execute.

    Attributes:
        number: the index among all runs, from 0.
        point: the values of the parameters.
        repetition: the number of the repetition, from 0.
        seed: the seed of the run's networks.
    """

    number: int
    point: Point
    repetition: int
    seed: int

    @property
    def key(self) -> str:
        """A name for the run's files, from its parameters and seed."""
        text = json.dumps([sorted(self.point.items()), self.repetition, self.seed])
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    @property
    def title(self) -> str:
        """The run's parameters as text, such as ``rate=1Mbit queue=16p, repetition 3``."""
        parameters = " ".join(f"{name}={value}" for name, value in self.point.items() if value is not None)
        return f"{parameters or 'no parameters'}, repetition {self.repetition + 1}"


def perform(function: Callable[..., object], task: Task, takes_seed: bool) -> Record:
    """Calls the function for a task, and records its result or its failure.

    The record has the task's values, ``error`` (``None``, or one line), ``log`` (the function's
    output, and a failure's traceback), ``programs`` and ``topologies`` (digests), ``drawing`` (the
    first network, only in the first run), ``scalars``, ``series`` and ``frames``.
    """
    from weir.network.provenance import recording

    arguments: dict[str, Any] = {name: value for name, value in task.point.items() if value is not None}
    if takes_seed:
        arguments["seed"] = task.seed
    record: Record = {
        "parameters": dict(task.point),
        "repetition": task.repetition,
        "seed": task.seed,
        "error": None,
        "scalars": {},
        "series": {},
        "frames": {},
    }
    printed = io.StringIO()
    with recording() as provenance, contextlib.redirect_stdout(printed):
        try:
            measured = read_measurements(function(**arguments), task.point)
            record |= {"scalars": measured.scalars, "series": measured.series, "frames": measured.frames}
        except (Exception, SystemExit) as error:
            record["error"] = _text(error)
            printed.write(traceback.format_exc())
    record["log"] = printed.getvalue()
    record["programs"] = provenance.programs
    record["topologies"] = provenance.topologies
    record["drawing"] = _drawing(provenance.first) if task.number == 0 else None
    return record


def mixed_kinds(records: Iterable[tuple[int, Record]]) -> Iterator[tuple[int, Record]]:
    """Finds runs whose measurements are of other kinds than those of earlier runs.

    A table has one kind of values in each column, so a measurement cannot be a number in one run
    and a text in another.

    Args:
        records: the number and the record of each run, in the order of the runs.

    Yields:
        The number of each such run, and its record as that of a failed run.
    """
    kinds: dict[str, str] = {}
    for number, record in records:
        for name, value in record["scalars"].items():
            kind = kinds.setdefault(name, _kind(value)) if value is not None else None
            if kind is not None and kind != _kind(value):
                error = (
                    f'the measurement "{name}" is {_kind(value)} here and {kind} in earlier runs: '
                    "return None where there is no value"
                )
                nothing: Record = {"scalars": {}, "series": {}, "frames": {}}
                yield number, {**record, **nothing, "error": error, "log": f"{record['log']}{error}\n"}
                break


def _kind(value: object) -> str:
    if isinstance(value, bool):
        return "true or false"
    return "a text" if isinstance(value, str) else "a number"


def _text(error: BaseException) -> str:
    """Formats an error in one line, with the name that Python suggests, if any."""
    if isinstance(error, WeirError):
        return str(error)
    text = hints.in_line(error)
    if isinstance(error, AttributeError) and error.name is not None:
        suggestion = nearest(error.name, [name for name in dir(error.obj) if not name.startswith("_")])
        if suggestion is not None:
            return f'{text}; did you mean "{suggestion}"?'
    return text


def _drawing(topology: Topology | None) -> dict[str, Any] | None:
    """Converts a topology to the drawing for a report, as plain data; returns ``None`` if it is too
    large."""
    from weir.experiments.network import MAX_SWITCHES, data_of
    from weir.topology.drawing import drawing

    if topology is None or len(topology.switches) > MAX_SWITCHES:
        return None
    return data_of(drawing(topology.hosts, topology.switches, topology.links))
