"""Writes and reads the files of an experiment's results, and refuses invalid content."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, cast

from weir.errors import FileError
from weir.experiments.measurements import finite
from weir.experiments.network import drawing_of
from weir.experiments.task import Record
from weir.files.schema import file_hashes, instance_of, is_plain_name, list_of, mapping_of, texts, whole
from weir.files.sealed import Kind, read_sealed, sealed
from weir.files.whole_file import write_whole_json

FORMAT: Final = 2
"""The format version of all files of a result."""

_KEY: Final = re.compile("[0-9a-f]{16}")
"""The pattern of names of runs' files, without suffix; see
:attr:`weir.experiments.task.Task.key`."""


def _scalar(value: object) -> bool:
    """Returns whether a value can be a measurement or a parameter. polars has no integers of more
    than 64 bits."""
    if isinstance(value, int):
        return -(2**63) <= value < 2**63
    return value is None or isinstance(value, str | float)


def _floats(value: object) -> bool:
    return isinstance(value, list) and all(type(item) in (int, float) and _scalar(item) for item in value)


def _series(value: object) -> bool:
    """Returns whether a value is a series: a unit, times in seconds, and as many values, some of
    which may be missing."""
    return (
        isinstance(value, list)
        and len(value) == 3
        and isinstance(value[0], str)
        and _floats(value[1])
        and isinstance(value[2], list)
        and _floats([number for number in value[2] if number is not None])
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


def _frames(value: object) -> bool:
    """Returns whether a value maps names of data frames, which become names of files, to their
    columns."""
    return mapping_of(_columns)(value) and all(
        is_plain_name(name, 0) for name in cast("dict[str, object]", value)
    )


def _drawing(value: object) -> bool:
    try:
        return value is None or bool(drawing_of(value))
    except ValueError:
        return False


_DECLARED: Final = Kind(
    "result of an experiment",
    FORMAT,
    unsealed=("experiment", "function", "names"),
    members={
        "experiment": instance_of(str),
        "question": instance_of(str),
        "function": instance_of(str),
        "version": instance_of(str),
        "names": texts,
        "values": mapping_of(list_of(_scalar)),
        "file": instance_of(str),
        "replaced": instance_of(dict),
        "only": mapping_of(texts),
        "master_seed": whole(),
        "repetitions": whole(1, 100_000),
    },
    # The keys become the names of files.
    optional={
        "runs": lambda value: texts(value) and all(map(_KEY.fullmatch, cast("list[str]", value))),
        "files": file_hashes,
    },
)

_RUN: Final = Kind(
    "run of an experiment",
    FORMAT,
    unsealed=("parameters", "scalars", "series"),
    members={
        "parameters": mapping_of(_scalar),
        "repetition": whole(),
        "seed": whole(),
        "error": instance_of(str, type(None)),
        "log": instance_of(str),
        "programs": texts,
        "topologies": texts,
        "drawing": _drawing,
        "scalars": mapping_of(_scalar),
        "series": mapping_of(_series),
        "frames": _frames,
    },
)


def write_declaration(path: Path, declaration: Mapping[str, Any]) -> None:
    """Writes the data that all runs of a result share."""
    write_whole_json(path, sealed(_DECLARED, declaration), indent=2)


def write_record(path: Path, record: Record) -> None:
    """Writes the record of a run."""
    series = {"series": finite(record["series"])} if "series" in record else {}
    write_whole_json(path, sealed(_RUN, {**record, **series}))


def read_declaration(path: Path) -> dict[str, Any]:
    """Reads the data that all runs of a result share.

    Raises:
        FileError: the file cannot be read, is damaged, has another format or wrong content.
    """
    declaration = read_sealed(path, _DECLARED)
    if set(declaration["names"]) != set(declaration["values"]):
        raise FileError(
            f"is not the description of a {_DECLARED.name}: names and values have different parameters",
            file=path,
        )
    return declaration


def read_record(path: Path, names: list[str] | None = None) -> Record:
    """Reads the record of a run.

    Args:
        path: the record's file.
        names: the expected parameters; ``None`` for any.

    Raises:
        FileError: the file cannot be read, is damaged, has another format or wrong content.
    """
    record = read_sealed(path, _RUN)
    if names is not None and set(record["parameters"]) != set(names):
        raise FileError("the parameters are not those of the experiment", file=path)
    # Weir used to write NaN, which is not JSON.
    record |= {name: finite(record[name]) for name in ("scalars", "frames")}
    for _, _, values in record["series"].values():
        values[:] = [math.nan if value is None else value for value in values]
    return record
