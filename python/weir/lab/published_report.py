"""Shows published numbers and the lab's values in a report, in a line, and as data."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import floor, log10
from pathlib import Path
from typing import Final

import polars as pl

from weir.files.whole_file import write_whole_text
from weir.lab.compared import KINDS, Compared
from weir.lab.published import Arithmetic, Predicted, Value
from weir.report import Section, Table, signed

DATA: Final = "published.csv"
"""The file in a lab's results with a row for each published number."""

_FOLD_FROM: Final = 6
"""The number of rows or experiments from which on tables are folded."""


def sections(compared: Sequence[Compared]) -> list[Section]:
    """Builds the sections of the report about published numbers: first the missed numbers, then all
    numbers by experiment."""
    parts = []
    for publication in dict.fromkeys(value.number.publication for value in compared):
        numbers = [value for value in compared if value.number.publication == publication]
        missed = [value for value in numbers if value.kind == "missed"]
        experiments = dict.fromkeys(value.number.experiment for value in numbers)
        parts.append(
            Section(
                f"Published numbers and the lab's values: {publication}",
                [
                    f"{counts_line(numbers)}. Fitted and arithmetic numbers do not confirm anything.",
                    " ".join(f"{kind.capitalize()}: {meaning}." for kind, meaning in KINDS.items()),
                ],
                [
                    *([_missed_table(missed)] if missed else []),
                    *(
                        _table(
                            [value for value in numbers if value.number.experiment == experiment],
                            experiment,
                            folded=len(experiments) >= _FOLD_FROM,
                        )
                        for experiment in experiments
                    ),
                ],
            )
        )
    return parts


def counts_line(compared: Iterable[Compared]) -> str:
    """Counts the published numbers by kind, in a line such as ``120 published numbers: 60
    predicted, 3 missed, …``."""
    numbers = list(compared)
    counts = [(count(numbers, kind), kind) for kind in KINDS]
    listed = ", ".join(f"{many} {kind}" for many, kind in counts if many)
    all_of_them = count(numbers)
    return f"{all_of_them} published number{'' if all_of_them == 1 else 's'}: {listed}"


def count(compared: Iterable[Compared], kind: str | None = None) -> int:
    """Counts the published numbers of a kind; each number of a group counts."""
    return sum(len(value.number.ids) for value in compared if kind in (None, value.kind))


def write_data(compared: Iterable[Compared], file: Path) -> None:
    """Writes a CSV file with a row for each published number, the lab's value, and its method."""
    rows = [
        {
            "id": name,
            "publication": value.number.publication,
            "place": value.number.place,
            "experiment": value.number.experiment,
            "conditions": value.number.conditions,
            "quantity": value.number.quantity,
            "published": value_text(value.number.value),
            "unit": value.number.unit,
            "own": value.number.own,
            "ours": "" if value.value is None else value_text(value.value),
            "difference": "" if value.difference is None else f"{value.difference:.6g}",
            "bound": bound_text(value),
            "kind": value.kind,
            "remark": value.remark,
        }
        for value in compared
        for name in value.number.ids
    ]
    write_whole_text(file, pl.DataFrame(rows).write_csv())


def value_text(value: Value | str) -> str:
    """Formats a value: a number with six digits, or ``true`` or ``false`` for a relation."""
    if isinstance(value, bool):
        return str(value).lower()
    return value if isinstance(value, str) else f"{value:.6g}"


def bound_text(one: Compared) -> str:
    """Formats the allowed difference, such as ``5 %`` or ``0.1 ms``; returns an empty string if
    there is none."""
    match one.number.ours:
        case Arithmetic(relative=float() | int() as share) | Predicted(relative=float() | int() as share):
            return f"{100 * share:g} %"
        case Arithmetic(absolute=float() | int() as size) | Predicted(absolute=float() | int() as size):
            return _with_unit(f"{size:g}", one.number.unit)
    return ""


def cells(one: Compared) -> list[str]:
    """Formats the cells of a row, for the columns in :data:`HEAD`."""
    number = one.number
    if isinstance(one.value, bool):
        ours = "holds" if one.value else "does not hold"
    else:
        ours = "–" if one.value is None else _ours(one.value, number.value)
    many = f" ({len(number.ids)} numbers)" if len(number.ids) > 1 else ""
    name = f"{one.kind}: other parameters" if one.others else one.kind
    kind = name if number.own else f"{name} (others' result)"
    return [
        ": ".join(text for text in (number.conditions, number.quantity) if text) + many,
        _with_unit(value_text(number.value), number.unit),
        ours,
        _difference(one),
        bound_text(one) or "–",
        kind,
        number.place,
        one.remark or "–",
    ]


def _with_unit(number: str, unit: str) -> str:
    """Formats a number with its unit, such as ``3 bytes`` or ``1 byte``."""
    is_noun = unit.isalpha() and unit.endswith("s") and unit not in ("s", "ms", "us", "ns")
    if is_noun and number == "1":
        unit = f"{unit.removesuffix('ies')}y" if unit.endswith("ies") else unit.removesuffix("s")
    return f"{number} {unit}".rstrip()


HEAD: Final = ("what", "published", "ours", "difference", "bound", "kind", "place", "remark")
"""The titles of the columns of tables of published numbers."""


def _ours(value: Value, published: float | str) -> str:
    """Formats the lab's value with one decimal more than the published number, and at least two
    digits."""
    if isinstance(published, str) or value == 0:
        return value_text(value)
    decimals = max(len(value_text(published).partition(".")[2]) + 1, 1 - floor(log10(abs(value))))
    text = f"{value:.{decimals}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _difference(one: Compared) -> str:
    """Formats the difference in per cent of the published number, or in the number's unit if the
    number is 0."""
    if one.difference is None:
        return "–"
    assert not isinstance(one.number.value, str)
    if one.number.value == 0:
        text = f"{one.difference:+.3g}".replace("-", "−") if one.difference else "0"
        return _with_unit(text, one.number.unit)
    return f"{signed(100 * one.difference / abs(one.number.value), 1)} %"


def _missed_table(missed: Sequence[Compared]) -> Table:
    """Builds the table of missed numbers, without a column for the kind of comparison."""
    kind = HEAD.index("kind")
    rows = [row[:kind] + row[kind + 1 :] for row in map(cells, missed)]
    head = HEAD[:kind] + HEAD[kind + 1 :]
    words = [place for place, name in enumerate(head) if name not in ("difference", "bound")]
    many = count(missed)
    caption = "The only missed number." if many == 1 else f"The {many} missed numbers."
    return Table(head, rows, caption, words, prose=True)


def _table(numbers: Sequence[Compared], title: str, folded: bool = False) -> Table:
    rows = [cells(number) for number in numbers]
    words = tuple(place for place, name in enumerate(HEAD) if name not in ("difference", "bound"))
    folded = folded or (len(rows) >= _FOLD_FROM and any(number.kind != "missed" for number in numbers))
    caption = f"{title.rstrip('.')}: {counts_line(numbers)}."
    return Table(HEAD, rows, caption, words, prose=True, folded=folded)
