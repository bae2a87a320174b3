"""Published numbers as data, each with the method that computes the lab's value."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from weir.errors import WeirError

if TYPE_CHECKING:
    from weir.lab.tables import Tables

Value = float | bool
"""The type of the lab's value: a number or, for a relation, whether the relation holds."""

Measure = Callable[["Tables"], Value | None]
"""A function that computes the lab's value from the tables of an experiment; ``None`` if the run
has no such point."""

NOT_EXPLAINED: Final = "not explained"


@dataclass(frozen=True, kw_only=True)
class Fitted:
    """The published number was used to set a parameter, so that agreement is not a confirmation.

    Attributes:
        parameter: the parameter, such as ``pass time of bmv2-vm``.
        part: the experiment whose tables contain the lab's value.
        value: the function that computes the lab's value from these tables.
    """

    parameter: str
    part: str
    value: Measure


@dataclass(frozen=True, kw_only=True)
class Arithmetic:
    """The lab's value follows from sizes, rates and fitted times alone, in all runs or without.

    Attributes:
        value: the lab's value, or a function that computes it from the tables of the experiment.
        part: the experiment; ``None`` if the value needs no run.
        relative: the allowed difference from the published number, as a share of that number.
        absolute: the allowed difference from the published number, in its unit. A number has one of
            the two bounds; a relation has none.
        because: the reason why the lab's value is beyond the bound, if it is.
    """

    value: Value | Measure
    part: str = ""
    relative: float | None = None
    absolute: float | None = None
    because: str = NOT_EXPLAINED


@dataclass(frozen=True, kw_only=True)
class Predicted:
    """The lab measures its value by a run that does not use published numbers of this kind.

    Attributes:
        part: the experiment whose tables contain the lab's value.
        value: the function that computes the lab's value from these tables.
        relative: the same as in :class:`Arithmetic`. A number beyond the bound is *missed*; Weir
            computes whether it is, so a lab cannot declare it.
        absolute: the bound in the number's unit.
        because: the reason why the lab's value is beyond the bound, if it is and the reason is
            known.
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
        reason: the reason, such as a lost figure.
    """

    reason: str


@dataclass(frozen=True, kw_only=True)
class Published:
    """A published number, or a group of numbers that are compared with the same value.

    Attributes:
        ids: the ids of the number or of the group's numbers, unique among all labs.
        publication: authors and year.
        place: section, figure or table.
        experiment: the experiment in the publication.
        conditions: the settings of the experiment, such as ``links 1 Mbit/s, X = 1``.
        quantity: the measured quantity.
        value: the published number or, for a relation, the statement in the lab's own words.
        unit: the number's unit.
        ours: the method that computes the lab's value.
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
            bounds = [bound for bound in (self.ours.relative, self.ours.absolute) if bound is not None]
            if len(bounds) != (0 if self.is_relation else 1):
                message = "a relation has no bound" if self.is_relation else "expected relative or absolute"
                raise WeirError(f"{self.name}: {message}")

    @property
    def name(self) -> str:
        """The id of the number; for a group, the first id and the number of further ids."""
        first, *others = self.ids
        return f"{first} and {len(others)} more" if others else first

    @property
    def is_relation(self) -> bool:
        """Whether the published value is a comparison without a number."""
        return isinstance(self.value, str)
