"""Decides whether the runs of an experiment have the lab's own parameters.

A published number can be compared only with runs of the network, program and parameters that the
lab declares for it. All labs use this module, so no lab has to check this itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from weir.experiments.parameters import as_text
from weir.lab.tables import Tables
from weir.text.suggest import listing

if TYPE_CHECKING:
    from weir.lab.lab import Part

Own = Mapping[str, Sequence[Sequence[Any]]]
"""The lab's own values of each parameter: those of full size and, for ``--quick``, of small
size."""


@dataclass(frozen=True)
class Conditions:
    """Conditions of a run that hold for all its experiments, and that differ from the lab's own.

    Attributes:
        computer: the name of the computer that all switches and hosts share; empty if there is
            none.
        changed: the files of a copied lab that differ from those of the installed lab.
    """

    computer: str = ""
    changed: Sequence[str] = ()

    @property
    def others(self) -> list[str]:
        """Describes the differences."""
        differences = [f"computer={self.computer}"] if self.computer else []
        return differences + ([f"changed files: {listing(list(self.changed), 3)}"] if self.changed else [])


def own_values(part: Part) -> Own:
    """Returns the lab's own values of each parameter of an experiment."""
    space = part.experiment.space
    return {
        name: [list(space.values(name)), *([list(part.quick[name])] if name in part.quick else [])]
        for name in space.names
    }


def is_size(sets: Sequence[Sequence[Any]]) -> bool:
    """Returns whether a parameter is a size, such as a number of pings: a single number for full
    size and another for small size."""
    return len(sets) == 2 and all(
        len(values) == 1 and isinstance(values[0], (int, float)) and not isinstance(values[0], bool)
        for values in sets
    )


class OwnTables(Tables):
    """The runs of an experiment that have the lab's own values of all parameters.

    A size that is at least the small one counts as the lab's own.

    Attributes:
        others: the parameters with values that are not the lab's own, as ``name=value``.
        missing: the parameters whose own values are not all in the results.
    """

    def __init__(self, folder: Path, own: Own, parts: Mapping[str, Own] | None = None) -> None:
        super().__init__(folder)
        self._own = own
        # The lab's own values by experiment.
        self._parts = parts or {}
        self._fixed: set[str] | None = None
        self._counts = True

    @cached_property
    def _all(self) -> pl.DataFrame:
        return pl.read_parquet(self.folder / "runs.parquet")

    @property
    def runs(self) -> pl.DataFrame:
        """The runs with the lab's own values of all parameters."""
        self._uses(())
        return self._kept

    @cached_property
    def _kept(self) -> pl.DataFrame:
        return self._with_own_values(self._all)

    def frame(self, name: str) -> pl.DataFrame:
        """Reads the data frames of these runs under a name."""
        self._uses(())
        return self._with_own_values(super().frame(name))

    def part(self, name: str) -> Tables | None:
        """Returns the runs of another experiment that have the lab's own values; ``None`` if some
        of these values were not run."""
        other = super().part(name)
        if other is None or name not in self._parts:
            return other
        mine = OwnTables(other.folder, self._parts[name], self._parts)
        return None if mine.is_empty or mine.missing else mine

    def values(self, parameter: str) -> list[Any]:
        """Lists the values of a parameter in these runs."""
        self._uses(())
        with self._not_counted():
            return super().values(parameter)

    def points(self, *parameters: str, **where: Any) -> pl.DataFrame:
        """Computes means over seeds of these runs."""
        self._uses(where)
        with self._not_counted():
            return super().points(*parameters, **where)

    def mean(self, measured: str, **where: Any) -> float | None:
        """Computes the mean over seeds of a number at one point of these runs."""
        self._uses(where)
        with self._not_counted():
            return super().mean(measured, **where)

    @cached_property
    def others(self) -> list[str]:
        """The parameters with values that are not the lab's own, as ``name=value``."""
        differences = []
        for name, sets in self._own.items():
            other = [as_text(value) for value in self._given(name) if not _is_own(value, sets)]
            differences += [f"{name}={','.join(other)}"] if other else []
        return differences

    @cached_property
    def missing(self) -> set[str]:
        """The parameters for which neither all values of full size nor all values of small size
        were run."""
        return {name for name in self._own if self._lacks(name, self._kept)}

    @property
    def some(self) -> list[str]:
        """The parameters that have only some of the lab's own values, as ``name=value only``."""
        return [
            f"{name}={','.join(map(as_text, self._given(name)))} only"
            for name in self._own
            # A run with a foreign value of another parameter says nothing about the values of this
            # one.
            if self._lacks(name, self._all) and not any(other.startswith(f"{name}=") for other in self.others)
        ]

    def _lacks(self, name: str, runs: pl.DataFrame) -> bool:
        """Returns whether runs have neither all values of full size nor all of small size."""
        sets = self._own[name]
        if name not in runs.columns or is_size(sets):
            return False
        run_values = set(runs[name].to_list())
        return not any(set(values) <= run_values for values in sets)

    @property
    def is_empty(self) -> bool:
        """Whether no run has the lab's own values."""
        return self._kept.is_empty()

    @property
    def fixed(self) -> set[str]:
        """The parameters whose value was named in every use of the tables so far."""
        return set(self._fixed or ())

    def _given(self, name: str) -> list[Any]:
        """Lists the values of a parameter in all runs."""
        if name not in self._all.columns:
            return []
        return self._all[name].drop_nulls().unique(maintain_order=True).to_list()

    def _with_own_values(self, rows: pl.DataFrame) -> pl.DataFrame:
        for name, sets in self._own.items():
            if name in rows.columns:
                own_values = [
                    value for value in rows[name].unique().to_list() if value is None or _is_own(value, sets)
                ]
                rows = rows.filter(pl.col(name).is_in(own_values, nulls_equal=True))
        return rows

    def _uses(self, fixed: Iterable[str]) -> None:
        if self._counts:
            self._fixed = set(fixed) if self._fixed is None else self._fixed & set(fixed)

    @contextmanager
    def _not_counted(self) -> Iterator[None]:
        counted, self._counts = self._counts, False
        try:
            yield
        finally:
            self._counts = counted


def _is_own(value: Any, sets: Sequence[Sequence[Any]]) -> bool:
    if is_size(sets):
        return bool(value >= min(values[0] for values in sets))
    return any(value in values for values in sets)


def changed_parameters(part: Part, tables: Tables, conditions: Conditions) -> str:
    """Says which parameters of an experiment's runs are not the lab's own, for the report.

    Args:
        part: the experiment.
        tables: its tables, from which the report has been computed.
        conditions: how the run differs from the lab's own conditions.

    Returns:
        A sentence or more; empty if all parameters are the lab's own.
    """
    own_tables = OwnTables(tables.folder, own_values(part))
    differences = [*conditions.others, *own_tables.others, *own_tables.some]
    if not differences:
        return ""
    several = averaged(part, tables)
    text = (
        f"Other parameters than the lab's own: {'; '.join(differences)}. Numbers and answers are those of this run. "
        "Explanations and captions describe the lab's own parameters, and might not hold here."
    )
    if not several:
        return text
    return (
        f"{text} Several values of {listing(several, len(several))} were run, which some tables and plots do not "
        "tell apart: they show means over all of these values. Run one value at a time to compare them."
    )


def averaged(part: Part, tables: Tables) -> list[str]:
    """Lists parameters over which a report averages, and that have one value in the lab's runs.

    Reports tell apart the parameters that have several values in the lab's own runs.
    """
    return [
        name
        for name in part.experiment.space.names
        if name in tables.averaged and len(part.experiment.space.values(name)) == 1
    ]


def qualified(answer: str, names: Sequence[str]) -> str:
    """Returns an answer that says over which parameters it averages."""
    return f"Mean over several values of {listing(names, len(names))}: {answer}" if names else answer
