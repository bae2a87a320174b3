"""The journey of a packet through a switch, with all its copies, assembled from steps."""

from __future__ import annotations

from weir.trace.record import Copy, Record
from weir.trace.steps import Step


class Journey(Record):
    """The journey of a packet through a switch.

    Attributes:
        switch: the switch's name; empty for a switch outside a network.
        number: the packet's number among the traced packets of the switch, from 0.
        steps: all steps in order.
        copies: the packet and its copies by number, the packet first.
    """

    def __repr__(self) -> str:
        return f"<weir.Journey {self._fate}, {len(self.steps)} steps>"

    def _repr_html_(self) -> str:
        """Renders the journey as a tree in HTML that can be unfolded, for notebooks."""
        from weir.trace.tree_html import journey_html

        return journey_html(self)

    def __str__(self) -> str:
        """Formats the journey as a tree, in several lines of plain text."""
        from weir.trace.step_tree import tree
        from weir.trace.tree_lines import lines, plain_text

        return "\n".join(plain_text(lines(tree(self))))


class Journeys:
    """Assembles journeys from steps.

    Args:
        switch: the switch's name.

    Attributes:
        under_way: the journeys that were not yet returned, by the number of the input packet.
    """

    def __init__(self, switch: str = "") -> None:
        self._switch = switch
        self._count = 0
        self._by_copy: dict[int, Journey] = {}
        self.under_way: dict[int, Journey] = {}

    def add(self, step: Step) -> Journey | None:
        """Adds the next step; returns the step's journey, or ``None`` if its first steps were
        lost."""
        parent = step.what["from"] if step.kind == "copied" else None
        if step.kind == "received":
            journey = self.under_way[step.copy] = Journey(self._switch, self._count)
            self._count += 1
        else:
            found = self._by_copy.get(step.copy if parent is None else parent)
            if found is None:
                return None
            journey = found
        self._by_copy[step.copy] = journey
        journey.steps.append(step)
        journey.copies.setdefault(step.copy, Copy(step.copy, parent)).steps.append(step)
        return journey

    def take_ended(self) -> list[Journey]:
        """Returns the journeys that have ended since the last call, in the order of the input
        packets."""
        ended = [number for number, journey in self.under_way.items() if journey.ended]
        return [self._finish(number) for number in ended]

    def take_all(self) -> list[Journey]:
        """Returns all journeys, including those that have not ended."""
        return [self._finish(number) for number in list(self.under_way)]

    def _finish(self, number: int) -> Journey:
        journey = self.under_way.pop(number)
        for copy in journey.copies:
            del self._by_copy[copy]
        return journey
