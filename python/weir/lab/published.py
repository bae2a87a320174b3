"""Published numbers as data: what a publication says, and how the lab's own value comes about."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from weir.errors import WeirError

if TYPE_CHECKING:
    from weir.lab.tables import Tables

Value = float | bool
"""A number, or for a relation whether it holds."""

Measure = Callable[["Tables"], Value | None]
"""A function from the tables of a part to the lab's value; None if this run has no such point."""

NOT_EXPLAINED: Final = "not explained"


@dataclass(frozen=True, kw_only=True)
class Fitted:
    """A parameter was set from the published number, so that agreement shows nothing.

    Attributes:
        parameter: the parameter, such as ``pass time of bmv2-vm``.
        part: the part of the lab whose tables have our value.
        value: our value, from these tables.
    """

    parameter: str
    part: str
    value: Measure


@dataclass(frozen=True, kw_only=True)
class Arithmetic:
    """Our value follows from sizes and rates alone, without any run or in every run.

    Attributes:
        value: our value, or a function from the tables of the part to it.
        part: the part of the lab; without one, the value needs no run.
        relative: how far our value may be from the published number, as a share of that number.
        absolute: how far our value may be from the published number, in its unit. A number has one
            of the two bounds, a relation has none.
        because: why our value is beyond the bound, if it is.
    """

    value: Value | Measure
    part: str = ""
    relative: float | None = None
    absolute: float | None = None
    because: str = NOT_EXPLAINED


@dataclass(frozen=True, kw_only=True)
class Predicted:
    """Our value is measured by a run that does not use such a number.

    Attributes:
        part: the part of the lab whose tables have our value.
        value: our value, from these tables.
        relative: see :class:`Arithmetic`, like ``absolute``. Beyond the bound, the number is
            *missed*; this is computed, and cannot be declared.
        absolute: the bound in the number's unit.
        because: why our value is beyond the bound, if it is and if that is known.
    """

    part: str
    value: Measure
    relative: float | None = None
    absolute: float | None = None
    because: str = NOT_EXPLAINED


@dataclass(frozen=True, kw_only=True)
class NoValue:
    """The lab has no value to compare.

    Attributes:
        reason: why not, such as a figure that is lost.
    """

    reason: str


@dataclass(frozen=True, kw_only=True)
class Published:
    """A number of a publication, or a group of numbers that one value of ours stands for.

    Attributes:
        ids: the names of the numbers, unique among all labs: one, or those of the group.
        publication: authors and year.
        place: section, figure or table.
        experiment: the experiment in the publication.
        conditions: the settings of the experiment, such as ``links 1 Mbit/s, X = 1``.
        quantity: the measured quantity.
        value: the published number; for a relation, what is said, in our own words.
        unit: the number's unit.
        ours: how our value comes about.
        own: whether the authors measured or computed it themselves.
        note: a remark, such as that the publication contradicts itself.
    """

    ids: Sequence[str]
    publication: str
    place: str
    experiment: str
    conditions: str = ""
    quantity: str
    value: float | str
    unit: str = ""
    ours: Fitted | Arithmetic | Predicted | NoValue
    own: bool = True
    note: str = ""

    def __post_init__(self) -> None:
        if isinstance(self.ids, str) or not self.ids:
            raise WeirError(f"ids={self.ids!r}: expected a sequence of names")
        if isinstance(self.ours, Arithmetic | Predicted):
            bounds = [one for one in (self.ours.relative, self.ours.absolute) if one is not None]
            if len(bounds) != (0 if self.is_relation else 1):
                what = "a relation has no bound" if self.is_relation else "expected relative or absolute"
                raise WeirError(f"{self.name}: {what}")

    @property
    def name(self) -> str:
        """The id of the number; for a group, the first id and the number of the others."""
        first, *others = self.ids
        return f"{first} and {len(others)} more" if others else first

    @property
    def is_relation(self) -> bool:
        """Whether the published value is a comparison without a number."""
        return isinstance(self.value, str)
