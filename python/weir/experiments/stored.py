"""Writes and reads the files of an experiment's results, and refuses invalid content."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from weir.experiments.network import drawing_of
from weir.experiments.task import Record
from weir.files.sealed import FileHash, Kind, read_sealed, sealed
from weir.files.whole_file import write_whole_json

FORMAT: Final = 2
"""The format version of all files of a result."""

_DECLARED: Final = Kind("result of an experiment", FORMAT, unsealed=("experiment", "function", "names"))
_RUN: Final = Kind("run of an experiment", FORMAT, unsealed=("parameters", "scalars", "series"))

_FILE: Final = re.compile(r"((?!\.\.?/)[^/\0]+/)?(?!\.\.?$)[^/\0]+")
"""The pattern of paths in a result's folder that belong to the result."""

_KEY: Final = re.compile("[0-9a-f]{16}")
"""The pattern of names of runs' files, without suffix; see
:attr:`weir.experiments.task.Task.key`."""


def _texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def _scalar(value: object) -> bool:
    """Returns whether a value can be a measurement or a parameter. polars has no integers of more
    than 64 bits."""
    if isinstance(value, int):
        return -(2**63) <= value < 2**63
    return value is None or isinstance(value, str | float)


def _floats(value: object) -> bool:
    return isinstance(value, list) and all(type(one) in (int, float) for one in value)


def _series(value: object) -> bool:
    """Returns whether a value is a series: a unit, times in seconds, and as many values."""
    return (
        isinstance(value, list)
        and len(value) == 3
        and isinstance(value[0], str)
        and _floats(value[1])
        and _floats(value[2])
        and len(value[1]) == len(value[2])
    )


def _cell(value: object) -> bool:
    """Returns whether a value can be a cell of a data frame. Lists and structures are also
    allowed."""
    return _scalar(value) or isinstance(value, list | dict)


def _columns(value: object) -> bool:
    """Returns whether a value describes the columns of a data frame, all of the same length."""
    return (
        isinstance(value, dict)
        and all(isinstance(column, list) and all(map(_cell, column)) for column in value.values())
        and len({len(column) for column in value.values()}) <= 1
    )


def _mapping_of(check: Callable[[object], bool]) -> Callable[[object], bool]:
    """Returns a function that checks whether a value is a mapping whose values all pass
    ``check``."""
    return lambda value: isinstance(value, dict) and all(map(check, value.values()))


def _instance_of(*kinds: type) -> Callable[[object], bool]:
    """Returns a function that checks whether a value has one of these types; a boolean does not
    count as an integer."""
    return lambda value: type(value) in kinds


def _drawing(value: object) -> bool:
    try:
        return value is None or bool(drawing_of(value))
    except ValueError:
        return False


_DECLARATION: Final[Mapping[str, Callable[[object], bool]]] = {
    "experiment": _instance_of(str),
    "question": _instance_of(str),
    "function": _instance_of(str),
    "version": _instance_of(str),
    "names": _texts,
    "values": _mapping_of(lambda value: isinstance(value, list) and all(map(_scalar, value))),
    "file": _instance_of(str),
    "replaced": _instance_of(dict),
    "only": _mapping_of(_texts),
    "master_seed": _instance_of(int),
    "repetitions": _instance_of(int),
}

_RECORD: Final[Mapping[str, Callable[[object], bool]]] = {
    "parameters": _mapping_of(_scalar),
    "repetition": _scalar,
    "seed": _scalar,
    "error": _instance_of(str, type(None)),
    "log": _instance_of(str),
    "programs": _texts,
    "topologies": _texts,
    "drawing": _drawing,
    "scalars": _mapping_of(_scalar),
    "series": _mapping_of(_series),
    "frames": _mapping_of(_columns),
}


def _files(value: object) -> bool:
    """Returns whether a value maps paths of files within the result's folder to hashes."""
    try:
        return isinstance(value, dict) and all(
            _FILE.fullmatch(name) and FileHash.read(found) for name, found in value.items()
        )
    except ValueError:
        return False


def write_declaration(path: Path, declaration: Mapping[str, Any]) -> None:
    """Writes the data that all runs of a result share."""
    write_whole_json(path, sealed(_DECLARED, declaration), indent=2)


def write_record(path: Path, record: Record) -> None:
    """Writes the record of a run."""
    write_whole_json(path, sealed(_RUN, record))


def read_declaration(path: Path) -> dict[str, Any]:
    """Reads the data that all runs of a result share.

    Raises:
        FileError: the file cannot be read, is damaged, or has another format.
        ValueError: the content of the file is not valid.
    """
    found = _read(path, _DECLARED, _DECLARATION)
    if set(found["names"]) != set(found["values"]):
        raise ValueError("the names and the values have different parameters")
    runs = found.get("runs", [])
    # The keys become the names of files.
    if not _texts(runs) or not all(map(_KEY.fullmatch, runs)):
        raise ValueError("runs: expected the keys of runs")
    if not _files(found.get("files", {})):
        raise ValueError("files: expected the hashes of files")
    return found


def read_record(path: Path, names: list[str] | None = None) -> Record:
    """Reads the record of a run.

    Args:
        path: the record's file.
        names: the expected parameters; None for any.

    Raises:
        FileError: the file cannot be read, is damaged, or has another format.
        ValueError: the content of the file is not valid.
    """
    found = _read(path, _RUN, _RECORD)
    if names is not None and set(found["parameters"]) != set(names):
        raise ValueError("the parameters are not those of the experiment")
    return found


def _read(path: Path, kind: Kind, expected: Mapping[str, Callable[[object], bool]]) -> dict[str, Any]:
    found = read_sealed(path, kind)
    for name, check in expected.items():
        if name not in found or not check(found[name]):
            raise ValueError(f"{name} is missing or has the wrong type")
    return found
