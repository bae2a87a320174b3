"""Compares published numbers with the lab's values."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from weir.errors import WeirError
from weir.hints.usercode import user_code
from weir.lab.published import Arithmetic, Fitted, NoValue, Predicted, Published, Value

if TYPE_CHECKING:
    from weir.lab.tables import Tables

Kind = Literal["predicted", "missed", "arithmetic", "fitted", "no value", "not run"]

KINDS: Final[Mapping[Kind, str]] = {
    "predicted": "measured by a run that uses no such number, and within the bound",
    "missed": "the lab's value is beyond the bound",
    "arithmetic": "the lab's value follows from sizes and rates alone",
    "fitted": "a parameter was set from the number, so agreement shows nothing",
    "no value": "the lab has no value to compare",
    "not run": "this run has no such experiment or point",
}
"""The kinds of comparisons, in the order of tables, with their meanings."""

_ROUNDING: Final = 1e-9


@dataclass(frozen=True)
class Compared:
    """A published number, the lab's value, and how they compare.

    Attributes:
        number: the published number.
        value: the lab's value; None if there is none.
        kind: the kind of comparison, such as ``missed``; see :data:`weir.lab.compared.KINDS`.
    """

    number: Published
    value: Value | None
    kind: Kind

    @property
    def difference(self) -> float | None:
        """The lab's value minus the published number; None if the published value is a relation or
        the lab has no value."""
        if isinstance(self.number.value, str) or self.value is None:
            return None
        return float(self.value) - self.number.value

    @property
    def remark(self) -> str:
        """The remark in the row: the fitted parameter, a reason, or the number's note."""
        parts = [self.number.note]
        match self.number.ours:
            case Fitted(parameter=parameter):
                parts.insert(0, f"sets the {parameter}")
            case NoValue(reason=reason):
                parts.insert(0, reason)
            case Arithmetic(because=because) | Predicted(because=because) if self.kind == "missed":
                parts.insert(0, because)
        return "; ".join(part for part in parts if part)


def compare(numbers: Iterable[Published], tables: Mapping[str, Tables]) -> list[Compared]:
    """Compares published numbers with the results of a run.

    Args:
        numbers: the numbers.
        tables: the tables of the experiments that were run, by name.

    Raises:
        WeirError: a declaration's function failed, or its value is of the wrong kind.
    """
    return [judge(number, _measure(number, tables)) for number in numbers]


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
