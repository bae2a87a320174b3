"""The base class of answers, with rows as text, lists, data frames, files and plots."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from weir.files.columns import Column
from weir.measure import Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class Answer(Table):
    """The rows of an answer, in named columns.

    ``str(answer)`` is a title line, and the rows as an aligned table.
    """

    title: ClassVar[str] = ""
    """The name of the rows in the plural, such as ``drops``."""

    def __init__(self, columns: Sequence[Column]) -> None:
        self._columns = list(columns)

    def columns(self) -> list[Column]:
        """Returns the columns, which the documentation of each answer describes."""
        return list(self._columns)

    def __len__(self) -> int:
        return len(self._columns[0].values)

    def __getitem__(self, name: str) -> list[Any]:
        """Returns the values of a column.

        Raises:
            KeyError: there is no such column.
        """
        for column in self._columns:
            if column.name == name:
                return list(column.values)
        raise KeyError(f"{name}: there are {', '.join(column.name for column in self._columns)}")

    def draw(self, ax: Axes) -> None:
        """Draws the answer into matplotlib axes, with labels."""
        from weir.report import HUES

        ax.set_prop_cycle(color=HUES)
        self._picture(ax)

    @abstractmethod
    def _picture(self, ax: Axes) -> None:
        """Draws the answer in the current colours."""

    def table(self, most: int | None = None) -> list[str]:
        """Formats the head and the rows as lines of text, with aligned columns.

        Args:
            most: the maximum number of rows; ``None`` for all.
        """
        return self._lines(self._columns, most)

    def _lines(self, columns: Sequence[Column], most: int | None) -> list[str]:
        """Formats columns as lines of text; see :meth:`table`."""
        cells = [[_cell(value, column.name) for value in column.values[:most]] for column in columns]
        lines = []
        widths = [
            max([len(column.name), *map(len, texts)]) for column, texts in zip(columns, cells, strict=True)
        ]
        for row in zip(
            *([column.name, *texts] for column, texts in zip(columns, cells, strict=True)), strict=True
        ):
            aligned = [
                cell.ljust(width) if column.kind in ("text", "bool") else cell.rjust(width)
                for column, cell, width in zip(columns, row, widths, strict=True)
            ]
            lines.append("  ".join(aligned).rstrip())
        return lines

    def __str__(self) -> str:
        return "\n".join([f"{self.title}: {len(self)}", *self.table(20)])


def columns_of(rows: Sequence[Sequence[Any]], kinds: dict[str, Any]) -> list[Column]:
    """Converts rows to columns.

    Args:
        rows: values in the order of the columns.
        kinds: the kind of each column, by its name.
    """
    values: list[tuple[Any, ...]] = list(zip(*rows, strict=True)) if rows else [() for _ in kinds]
    return [Column(name, kind, column) for (name, kind), column in zip(kinds.items(), values, strict=True)]


def _cell(value: object, name: str) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, bytes):
        return value[:16].hex() + ("…" if len(value) > 16 else "")
    if isinstance(value, float):
        digits = 6 if name.endswith("_s") else 1 if name.endswith("_us") else 3
        return f"{value:.{digits}f}"
    return str(value)
