"""Classes that lend one another what they do not use."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from weir import _core, units
from weir.checks import check_whole
from weir.errors import NetworkError
from weir.qdisc.base import Qdisc, below, small
from weir.suggest import listing, nearest


@dataclass(frozen=True)
class HtbClass:
    """A class of :class:`Htb`.

    Attributes:
        name: what filters and other classes call it.
        rate: what it has in any case.
        ceil: what it may have with what it borrows; the rate by default.
        parent: the name of the class it borrows from.
        burst: how much may leave at once at ``rate`` after a pause.
        cburst: how much may leave at once at ``ceil`` after a pause.
        priority: who borrows first, 0 to 7, lowest first.
        quantum: how much is served in a turn; in proportion to the rate by default.
        queue: where its packets wait; first in, first out, 1000 packets by default.
        filters: of a class with classes below it: which of its packets go to which of them, as :class:`Htb` has them.
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
    """Classes with a rate each, which lend one another what they do not use (tc-htb).

    Attributes:
        classes: the classes, parents among them.
        filters: which packets go to which class: a filter in tcpdump's language and a class's name; the first that matches counts. A
            class with others below it sends on by its own filters. None instead of a name: past all classes, at once and unshaped.
        default: the class of packets that no filter matches; without one they leave at once and unshaped.
    """

    classes: Sequence[HtbClass]
    filters: Sequence[tuple[str, str | None]] = ()
    default: str | None = None

    def core(self) -> _core.Qdisc:
        """As the core takes it."""
        rows = []
        if not isinstance(self.classes, Sequence) or not all(
            isinstance(one, HtbClass) for one in self.classes
        ):
            raise NetworkError(f"classes: expected a list of qdisc.HtbClass, found {self.classes!r}")
        for number, one in enumerate(self.classes, 1):
            check_whole(f"priority of class {one.name!r}", one.priority, 0, 7)
            rate = units.rate_bps(one.rate, "rate")
            rows.append(
                (
                    number,
                    None if one.parent is None else self._number(one.parent),
                    rate,
                    rate if one.ceil is None else units.rate_bps(one.ceil, "ceil"),
                    units.size_bytes(one.burst, "burst"),
                    units.size_bytes(one.cburst, "cburst"),
                    one.priority,
                    None if one.quantum is None else small(one.quantum, "quantum"),
                    below(one.queue),
                )
            )
        filters = self._filters(None, self.filters)
        for one in self.classes:
            filters += self._filters(self._number(one.name), one.filters)
        default = None if self.default is None else self._number(self.default)
        return _core.Qdisc.htb(default, rows, filters)

    def _filters(
        self, parent: int | None, filters: Sequence[tuple[str, str | None]]
    ) -> list[tuple[str, int, int | None]]:
        if isinstance(filters, str) or not isinstance(filters, Sequence):
            raise NetworkError(f"filters: expected a list of filters with their classes, found {filters!r}")
        rows = []
        for one in filters:
            if not isinstance(one, tuple) or len(one) != 2 or not isinstance(one[0], str):
                raise NetworkError(
                    f'filters: expected a filter and a class such as ("udp", "fast"), found {one!r}'
                )
            rows.append((one[0], 0 if one[1] is None else self._number(one[1]), parent))
        return rows

    def _number(self, name: str) -> int:
        names = [one.name for one in self.classes]
        if name not in names:
            suggestion = nearest(str(name), [str(known) for known in names])
            text = "" if suggestion else f" (there are: {listing([str(known) for known in names])})"
            raise NetworkError(f'there is no class "{name}"{text}', suggestion=suggestion)
        return names.index(name) + 1
