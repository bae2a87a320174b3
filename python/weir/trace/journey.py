"""The journey of a packet through a switch, with all its copies."""

from __future__ import annotations

from weir.trace.record import Record


class Journey(Record):
    """The journey of a packet through a switch.

    Attributes:
        switch: the switch's name; empty for a switch outside a network.
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
