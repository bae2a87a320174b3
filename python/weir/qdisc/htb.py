"""Hierarchical token bucket: classes that borrow unused bandwidth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from weir import _core, units
from weir.errors import NetworkError, shown
from weir.errors.checks import check_whole
from weir.qdisc.base import Qdisc, child, small_size
from weir.text.suggest import listing, nearest


@dataclass(frozen=True)
class HtbClass:
    """A class of :class:`Htb`.

    Attributes:
        name: the name of the class in filters and other classes.
        rate: guaranteed rate.
        ceil: maximum rate including borrowed bandwidth; the rate by default.
        parent: name of the class from which this class borrows.
        burst: bytes that may leave at once at ``rate`` after a pause.
        cburst: bytes that may leave at once at ``ceil`` after a pause.
        priority: order of borrowing, 0 to 7, lowest first.
        quantum: bytes served in a turn; proportional to the rate by default.
        queue: the discipline in which the packets of the class wait; by default first in, first out
            with 1000 packets.
        filters: for a class with children: filters that select the child for each packet, see
            :class:`Htb`.
    """

    name: str
    rate: str
    ceil: str | None = None
    parent: str | None = None
    burst: str = "1600B"
    cburst: str = "1600B"
    priority: int = 0
    quantum: str | None = None
    queue: Qdisc | str | None = None
    filters: Sequence[tuple[str, str | None]] = ()


@dataclass(frozen=True)
class Htb(Qdisc):
    """Classes that each have a rate and borrow unused bandwidth from each other (tc-htb).

    Attributes:
        classes: the classes, including parents.
        filters: pairs of a filter in tcpdump's language and the name of a class; the first match
            counts. A class with children uses its own filters. With ``None`` instead of a name,
            packets bypass all classes, unshaped.
        default: the class of packets that no filter matches; without it they leave unshaped.
    """

    classes: Sequence[HtbClass]
    filters: Sequence[tuple[str, str | None]] = ()
    default: str | None = None

    def core(self) -> _core.Qdisc:
        """Converts the discipline and its classes to the form that the core takes."""
        classes: list[_core.ClassSettings] = []
        if not isinstance(self.classes, Sequence) or not all(
            isinstance(one, HtbClass) for one in self.classes
        ):
            raise NetworkError(f"classes: expected a list of qdisc.HtbClass, found {shown(self.classes)}")
        for number, one in enumerate(self.classes, 1):
            check_whole(f"priority of class {shown(one.name)}", one.priority, 0, 7)
            rate = units.rate_bps(one.rate, "rate")
            classes.append(
                {
                    "id": number,
                    "parent": None if one.parent is None else self._number(one.parent),
                    "rate": rate,
                    "ceil": rate if one.ceil is None else units.rate_bps(one.ceil, "ceil"),
                    "burst": units.size_bytes(one.burst, "burst"),
                    "cburst": units.size_bytes(one.cburst, "cburst"),
                    "priority": one.priority,
                    "quantum": None if one.quantum is None else small_size(one.quantum, "quantum"),
                    "queue": child(one.queue),
                }
            )
        filters = self._filters(None, self.filters)
        for one in self.classes:
            filters += self._filters(self._number(one.name), one.filters)
        default = None if self.default is None else self._number(self.default)
        return _core.Qdisc.htb(default, classes, filters)

    def _filters(
        self, parent: int | None, filters: Sequence[tuple[str, str | None]]
    ) -> list[tuple[str, int, int | None]]:
        if isinstance(filters, str) or not isinstance(filters, Sequence):
            raise NetworkError(
                f"filters: expected a list of filters with their classes, found {shown(filters)}"
            )
        rows = []
        for rule in filters:
            if not isinstance(rule, tuple) or len(rule) != 2 or not isinstance(rule[0], str):
                raise NetworkError(
                    f'filters: expected a filter and a class such as ("udp", "fast"), found {shown(rule)}'
                )
            rows.append((rule[0], 0 if rule[1] is None else self._number(rule[1]), parent))
        return rows

    def _number(self, name: str) -> int:
        names = [one.name for one in self.classes]
        if name not in names:
            suggestion = nearest(str(name), [str(other) for other in names])
            text = "" if suggestion else f" (there are: {listing([str(other) for other in names])})"
            raise NetworkError(f'there is no class "{name}"{text}', suggestion=suggestion)
        return names.index(name) + 1
