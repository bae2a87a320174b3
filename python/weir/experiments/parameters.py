"""The parameters of an experiment, and the combinations of their values."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from weir.errors import ExperimentError, shown
from weir.text.suggest import is_text, listing, nearest

Value = str | int | float | bool
"""The types that a parameter's value may have."""

Point = Mapping[str, Value | None]
"""A combination of parameter values: a value for each parameter, ``None`` for a parameter that does
not apply."""


@dataclass(frozen=True)
class Zipped:
    """Parameters that vary together; see :func:`zipped`."""

    values: Mapping[str, Sequence[Value]]


@dataclass(frozen=True)
class Conditional:
    """Parameters that exist only for certain values of others; see :func:`when`."""

    condition: Mapping[str, Sequence[Value]]
    values: Mapping[str, Sequence[Value]]


def zipped(**values: Iterable[Value]) -> Zipped:
    """Declares parameters that vary together, so that the first values are combined, then the
    second values, and so on.

    >>> zipped(rate=["10Mbit", "100Mbit"], queue=["16p", "160p"])   # doctest: +SKIP

    Raises:
        ExperimentError: there are no parameters, or they have different numbers of values.
    """
    lists = {name: _values(name, choices) for name, choices in values.items()}
    if len({len(choices) for choices in lists.values()}) != 1:
        counts = ", ".join(f"{name} has {len(choices)}" for name, choices in lists.items()) or "there is none"
        raise ExperimentError(f"zipped parameters need the same number of values: {counts}")
    return Zipped(lists)


def when(condition: Mapping[str, Value | Iterable[Value]], **values: Iterable[Value]) -> Conditional:
    """Declares parameters that exist only if others have certain values.

    The function needs defaults for these parameters. In tables they are null where they do not
    apply.

    >>> when({"discipline": ["codel", "fq_codel"]}, target=["5ms", "20ms"])   # doctest: +SKIP

    Args:
        condition: the names of other parameters, each with the value or values it must have.
        values: the parameters.

    Raises:
        ExperimentError: an argument has no values.
    """
    if not isinstance(condition, Mapping) or not condition:
        raise ExperimentError(
            'when() needs a condition first, such as when({"queue": "codel"}, target=["5ms"])'
        )
    must = {
        name: _values(name, [choices] if _is_value(choices) else choices)
        for name, choices in condition.items()
    }
    lists = {name: _values(name, choices) for name, choices in values.items()}
    if not lists:
        raise ExperimentError("when() has a condition but no parameters")
    return Conditional(must, lists)


@dataclass(frozen=True)
class Space:
    """All parameters of an experiment.

    Attributes:
        grid: parameters that are combined freely.
        zips: parameters that vary together.
        conditionals: parameters that exist only for certain values of others.
        where: a function of the parameters, by name, that returns whether to run a combination;
            ``None`` for all.
    """

    grid: Mapping[str, Sequence[Value]]
    zips: Sequence[Zipped]
    conditionals: Sequence[Conditional]
    where: Callable[..., object] | None

    @property
    def names(self) -> list[str]:
        """The names of all parameters, in the order in which tables list them."""
        together = [name for group in self.zips for name in group.values]
        return [*together, *self.grid, *(name for group in self.conditionals for name in group.values)]

    def values(self, name: str) -> Sequence[Value]:
        """Returns the values of a parameter, in the order of their declaration."""
        unique: dict[Value, None] = {}
        groups = [
            self.grid,
            *(group.values for group in self.zips),
            *(group.values for group in self.conditionals),
        ]
        for values in groups:
            unique.update(dict.fromkeys(values.get(name, ())))
        return list(unique)

    def points(self) -> list[Point]:
        """Builds all combinations of values; the last parameter varies fastest."""
        points: list[dict[str, Value | None]] = [{}]
        for group in self.zips:
            rows = [
                dict(zip(group.values, row, strict=True)) for row in zip(*group.values.values(), strict=True)
            ]
            points = [point | row for point in points for row in rows]
        for name, values in self.grid.items():
            points = [point | {name: value} for point in points for value in values]
        for conditional in self.conditionals:
            for name, values in conditional.values.items():
                points = [
                    point | {name: value}
                    for point in points
                    for value in (values if _condition_holds(conditional, point) else (None,))
                ]
        if self.where is not None:
            points = [point for point in points if self.where(**point)]
        return [{name: point.get(name) for name in self.names} for point in points]


def read_space(
    groups: Sequence[object], grid: Mapping[str, object], where: Callable[..., object] | None
) -> Space:
    """Builds the parameter space from the arguments of a declaration, which it checks.

    Raises:
        ExperimentError: an argument is not a parameter, or a name is used twice or has no values.
    """
    zips = [group for group in groups if isinstance(group, Zipped)]
    conditionals = [group for group in groups if isinstance(group, Conditional)]
    if len(zips) + len(conditionals) != len(groups):
        raise ExperimentError("expected parameters by name, or groups from weir.zipped() and weir.when()")
    space = Space({name: _values(name, values) for name, values in grid.items()}, zips, conditionals, where)
    names: set[str] = set(space.grid)
    for group in zips:
        for name in group.values:
            if name in names:
                raise ExperimentError(f'the parameter "{name}" is declared twice')
            names.add(name)
    for conditional in conditionals:
        for name, values in conditional.condition.items():
            if name not in names:
                raise ExperimentError(
                    f'a condition names the parameter "{name}", which is not declared before it',
                    suggestion=nearest(name, names),
                )
            _check_known(name, values, space.values(name))
        names.update(conditional.values)
    return space


def replace_values(space: Space, values: Mapping[str, object]) -> Space:
    """Replaces the values of parameters that are combined freely.

    Raises:
        ExperimentError: there is no such parameter, it varies together with others, or it has no
            values.
    """
    for name in values:
        if name not in space.grid:
            reason = "varies with others or depends on them" if name in space.names else "is not declared"
            raise ExperimentError(
                f'the parameter "{name}" {reason}: values can be set for {listing(list(space.grid))}',
                suggestion=nearest(name, space.grid),
            )
    grid = {
        name: _values(name, values[name]) if name in values else choices
        for name, choices in space.grid.items()
    }
    return Space(grid, space.zips, space.conditionals, space.where)


def restrict(space: Space, points: Sequence[Point], only: Mapping[str, Sequence[str]]) -> list[Point]:
    """Selects the points in which the parameters have one of the given values. The values are
    strings.

    Raises:
        ExperimentError: there is no such parameter, or no such value.
    """
    remaining = list(points)
    for name, chosen in only.items():
        if name not in space.names:
            raise ExperimentError(
                f'there is no parameter "{name}": there are {listing(space.names)}',
                suggestion=nearest(name, space.names),
            )
        _check_known(name, chosen, [as_text(value) for value in space.values(name)])
        remaining = [point for point in remaining if as_text(point[name]) in chosen]
    return remaining


def as_text(value: Value | None) -> str:
    """Formats a parameter's value as on the command line."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else str(value)


def _check_known(name: str, chosen: Sequence[Value], known: Sequence[Value]) -> None:
    for value in chosen:
        if value not in known:
            raise ExperimentError(
                f'the parameter "{name}" has no value {as_text(value)}: there are '
                f"{listing([as_text(one) for one in known])}",
                suggestion=nearest(as_text(value), [as_text(one) for one in known]),
            )


def _condition_holds(conditional: Conditional, point: Point) -> bool:
    return all(point.get(name) in values for name, values in conditional.condition.items())


def _is_value(value: object) -> bool:
    return isinstance(value, (str, int, float, bool))


def _values(name: str, declared: object) -> list[Value]:
    """Checks the declared values of a parameter, and returns them as a list.

    Raises:
        ExperimentError: there is no value, a value is repeated or too large, or the values are of
            different kinds.
    """
    if not isinstance(declared, Iterable) or isinstance(declared, (str, bytes, Mapping)):
        raise ExperimentError(
            f"the parameter {name} needs a list of values, such as {name}=[{shown(declared)}]"
        )
    # Converts numpy's numbers to Python's.
    values: list[Value] = [value.item() if hasattr(value, "item") else value for value in declared]
    if not values:
        raise ExperimentError(f"the parameter {name} has no values")
    seen: set[tuple[type, Value]] = set()
    for place, value in enumerate(values):
        if not _is_value(value) or (isinstance(value, float) and not math.isfinite(value)):
            raise ExperimentError(f"{name}[{place}] = {shown(value)}: expected a text, a number or a boolean")
        if isinstance(value, int) and not -(2**63) <= value < 2**63:
            raise ExperimentError(
                f"{name}[{place}] = {shown(value)}: expected a number from -2**63 to 2**63 - 1"
            )
        if isinstance(value, str) and not is_text(value):
            raise ExperimentError(f"{name}[{place}] = {shown(value)}: the text is not UTF-8")
        if (type(value), value) in seen:
            raise ExperimentError(f"the parameter {name} has the value {shown(value)} twice")
        seen.add((type(value), value))
    kinds = {
        "number" if isinstance(v, (int, float)) and not isinstance(v, bool) else type(v).__name__
        for v in values
    }
    if len(kinds) > 1:
        raise ExperimentError(
            f"the values of {name} are of different kinds: expected all numbers, or all texts"
        )
    return values
