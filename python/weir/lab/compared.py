"""Compares published numbers with the lab's values."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from weir.errors import WeirError
from weir.hints.usercode import user_code
from weir.lab.premises import Conditions, Own, OwnTables
from weir.lab.published import Arithmetic, Fitted, NoValue, Predicted, Published, Value

if TYPE_CHECKING:
    from weir.lab.tables import Tables

Kind = Literal["predicted", "missed", "arithmetic", "fitted", "no value", "not run"]

KINDS: Final[Mapping[Kind, str]] = {
    "predicted": "measured by a run that uses no published number of this kind, and within the bound",
    "missed": "the lab's value is beyond the bound, or a published statement does not hold in the lab",
    "arithmetic": "the lab's value follows from sizes, rates and fitted times: agreement shows little",
    "fitted": "a parameter was set from the published number, so agreement shows nothing",
    "no value": "the lab has no value to compare",
    "not run": "this run lacks the experiment or the point, or has parameters other than the lab's own",
}
"""The kinds of comparisons, in the order of tables, with their meanings."""

_ROUNDING: Final = 1e-9


@dataclass(frozen=True)
class Compared:
    """A published number, the lab's value, and how they compare.

    Attributes:
        number: the published number.
        value: the lab's value; ``None`` if there is none.
        kind: the kind of comparison, such as ``missed``; see :data:`weir.lab.compared.KINDS`.
        others: the parameters of the run that are not the lab's own, if the number was therefore
            not compared.
    """

    number: Published
    value: Value | None
    kind: Kind
    others: str = ""

    @property
    def difference(self) -> float | None:
        """The lab's value minus the published number; ``None`` if the published value is a relation
        or the lab has no value."""
        if isinstance(self.number.value, str) or self.value is None:
            return None
        return float(self.value) - self.number.value

    @property
    def remark(self) -> str:
        """The remark in the row: the fitted parameter, a reason, or the number's note."""
        parts = [self.number.note]
        if self.others:
            return "; ".join(part for part in (f"other parameters: {self.others}", *parts) if part)
        match self.number.ours:
            case Fitted(parameter=parameter):
                parts.insert(0, f"sets the {parameter}")
            case NoValue(reason=reason):
                parts.insert(0, reason)
            case Arithmetic(because=because) | Predicted(because=because) if self.kind == "missed":
                parts.insert(0, because)
        return "; ".join(part for part in parts if part)


def compare(
    numbers: Iterable[Published],
    tables: Mapping[str, Tables],
    own: Mapping[str, Own] | None = None,
    conditions: Conditions | None = None,
    needs_all_values: bool = True,
) -> list[Compared]:
    """Compares published numbers with the results of a run.

    A number is compared only if its experiment ran with the lab's own program and computer, and
    with the lab's own values of each parameter. If only some values of a parameter ran, numbers
    that belong to one of these values are compared, and other numbers are not.

    Args:
        numbers: the numbers.
        tables: the tables of the experiments that were run, by name.
        own: the lab's own values of parameters, by experiment; ``None`` to compare with all runs.
        conditions: how the run differs from the lab's own conditions.
        needs_all_values: whether a number that belongs to no single value of a parameter is
            compared only if all values of the parameter were run.

    Raises:
        WeirError: a declaration's function failed, or its value is of the wrong kind.
    """
    return [
        _compared(number, tables, own or {}, conditions or Conditions(), needs_all_values)
        for number in numbers
    ]


def _compared(
    number: Published,
    tables: Mapping[str, Tables],
    own: Mapping[str, Own],
    conditions: Conditions,
    needs_all_values: bool,
) -> Compared:
    ours = number.ours
    if isinstance(ours, NoValue) or ours.part not in tables or not callable(ours.value):
        return judge(number, _measure(number, tables))
    if conditions.others:
        return Compared(number, None, "not run", "; ".join(conditions.others))
    if ours.part not in own:
        return judge(number, _measure(number, tables))
    mine = OwnTables(tables[ours.part].folder, own[ours.part], own)
    if mine.is_empty:
        return Compared(number, None, "not run", "; ".join(mine.others))
    if not mine.missing or not needs_all_values:
        return judge(number, _measure(number, {ours.part: mine}))
    value = _measure_some(number, mine)
    if value is not None and mine.missing <= mine.fixed:
        return judge(number, value)
    return Compared(number, None, "not run", "; ".join([*mine.others, *mine.some]))


def _measure_some(number: Published, tables: OwnTables) -> Value | None:
    """Computes the lab's value from results that lack some points; ``None`` if the value needs one
    of these points."""
    try:
        return _measure(number, {number.ours.part: tables})  # type: ignore[union-attr]
    except WeirError:
        return None


def judge(number: Published, value: Value | None) -> Compared:
    """Compares a published number with the lab's value.

    Raises:
        WeirError: the lab's value is not a number or, for a relation, not true or false.
    """
    if isinstance(number.ours, NoValue):
        return Compared(number, None, "no value")
    if value is None:
        return Compared(number, None, "not run")
    if isinstance(value, bool) != number.is_relation:
        expected = "true or false" if number.is_relation else "a number"
        raise WeirError(f"the lab's value of {number.name} is {value!r}, expected {expected}")
    if isinstance(number.ours, Fitted):
        return Compared(number, value, "fitted")
    if not _is_within(number, number.ours, value):
        return Compared(number, value, "missed")
    return Compared(number, value, "arithmetic" if isinstance(number.ours, Arithmetic) else "predicted")


def _is_within(number: Published, ours: Arithmetic | Predicted, value: Value) -> bool:
    if isinstance(number.value, str):
        return value is True
    bound = ours.absolute if ours.relative is None else ours.relative * abs(number.value)
    assert bound is not None, "each number has a bound"
    return abs(float(value) - number.value) <= bound + _ROUNDING * abs(number.value)


def _measure(number: Published, tables: Mapping[str, Tables]) -> Value | None:
    """Computes the lab's value for a published number from the tables of its experiment."""
    ours = number.ours
    if isinstance(ours, NoValue):
        return None
    if not callable(ours.value):
        return ours.value
    if ours.part not in tables:
        return None
    function = getattr(ours.value, "func", ours.value)
    file = inspect.getsourcefile(function) if inspect.isroutine(function) else None
    with user_code(file or number.name, WeirError, f"no value of {number.name}"):
        return ours.value(tables[ours.part])
