"""Writes docs/labs/published.md: what the publications say, and what Weir measures.

``python docs/build/published.py out/delay …`` takes our values from results with the lab's own
parameters and seeds, keeps them in docs/labs/published/LAB.csv with the size of each experiment in
docs/labs/published/runs.csv, and writes the page. Without results, it only writes the page. Results
of several runs with ``--only`` may be in one folder or in several. A lab that measures a computer
may leave out points with ``--set``; the page then says how many of its points were measured.
"""

from __future__ import annotations

import csv
import json
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from weir.experiments.store import DECLARATION, Store
from weir.lab import Compared, Fitted, Lab, NoValue, Part, lab_folders, load_lab
from weir.lab.compared import KINDS, judge
from weir.lab.published_report import DATA, HEAD, cells, count

LABS: Final = Path(__file__).resolve().parents[1] / "labs"
PAGE: Final = LABS / "published.md"
VALUES: Final = LABS / "published"
"""The folder with our values: for each lab a file with the columns ``id`` and ``ours``."""

RUNS: Final = "runs.csv"
"""The file in this folder that says how many runs each experiment had when values were kept."""

_RUNS_HEAD: Final = ("lab", "experiment", "points", "seeds")

START: Final = """\
# What the five works published, and what Weir measures

This page lists each number of the five publications once. The report of a lab contains the same
comparison for the run that it reports, and the file `published.csv` in the lab's results contains
it as data. `docs/build/published.py` makes this page from the declarations of the labs and from
results with the labs' own parameters; a test compares the page with both.

In the tables, “what” gives the conditions and the measured quantity, “ours” is Weir's value, and
“place” is the section, figure or table of the publication. If the published value is a statement
instead of a number, “ours” says whether this statement holds in Weir. In remarks, “here” means in
Weir. In the rows of Fathi 2024, X is the number of recirculations of a packet; in those of Kfoury
and others, P1 to P4 are the periods in which one to four hosts send. The bounds are ours, and some
are wide, for example 50 % for coefficients of variation. To judge a predicted number, look at the
columns “difference” and “bound”.
"""

NOT_RUN: Final = """\
An experiment that was *not run* needs a computer that does little else, and ours did other work.
"""

_NOT_RUN: Final = ("not run", "–")

RUNS_BEHIND: Final = """\
Each value comes from all runs of an experiment, with all of the lab's own points and seeds, unless
the table says that only some points were measured. The values of `mechanisms` were measured on a
computer that also did other work, and those of `causes` on one that did little else.

An experiment with one seed has no noise, so other seeds give the same times. The values of all
other experiments are means over the seeds.
"""


def numbers() -> list[tuple[Lab, Compared]]:
    """All published numbers with the kept values, and the labs that declare them."""
    return [
        (lab, judge(number, values(lab.name).get(number.ids[0])))
        for lab in map(load_lab, lab_folders())
        for number in lab.published
    ]


def values(lab: str) -> dict[str, float | bool]:
    """The kept values of a lab, by id; empty if there are none."""
    return {id: _value(ours) for id, ours in _kept(lab).items()}


def _kept(lab: str) -> dict[str, str]:
    """The kept values of a lab as they are written, by id."""
    file = VALUES / f"{lab}.csv"
    if not file.exists():
        return {}
    with file.open(encoding="utf-8", newline="") as lines:
        return {row["id"]: row["ours"] for row in csv.DictReader(lines)}


def keep(*results: Path, lab: Lab | None = None) -> Path:
    """Keeps our values from the results of a lab, and how many runs they come from.

    Args:
        results: the folders of the results, each with other experiments of the same lab.
        lab: the lab, if it is not installed.

    Raises:
        ValueError: the results are not those of the lab's own parameters and seeds, lack an
            experiment that has values (except of a lab that measures a computer, which keeps the
            values of experiments that were not run again), or contain it twice.
    """
    lab = lab or load_lab(_settings(results[0])["lab"])
    for folder in results:
        _refuse_options(folder, lab)
    chosen = [
        part for part in parts_with_values(lab) if not lab.real or any(_has(part, one) for one in results)
    ]
    folders = {part.name: _folder_of(part, results) for part in chosen}
    sizes = [[lab.name, part.name, *map(str, _size(part, folders[part.name], lab.real))] for part in chosen]
    parts = {
        name: one.ours.part for one in lab.published if not isinstance(one.ours, NoValue) for name in one.ids
    }
    rows = [
        (row["id"], row["ours"])
        for folder in results
        for row in _comparison(folder)
        if row["ours"] and folders.get(parts[row["id"]], results[0]) == folder
    ]
    # A lab that measures a computer keeps the values of the experiments that were not run again.
    rows += [(id, ours) for id, ours in _kept(lab.name).items() if id in parts and parts[id] not in folders]
    VALUES.mkdir(exist_ok=True)
    again = {(lab.name, name) for name in folders}
    others = [[*row.values()] for row in kept_sizes() if (row["lab"], row["experiment"]) not in again]
    _write(VALUES / RUNS, _RUNS_HEAD, sorted([*others, *sizes], key=lambda row: row[0]))
    file = VALUES / f"{lab.name}.csv"
    order = list(parts)
    _write(file, ("id", "ours"), sorted(rows, key=lambda row: order.index(row[0])))
    return file


def _settings(results: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((results / "lab.json").read_text(encoding="utf-8"))
    return found


def _comparison(results: Path) -> list[dict[str, str]]:
    with (results / DATA).open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def _refuse_options(results: Path, lab: Lab) -> None:
    """Refuses results that were made with options that change values.

    Raises:
        ValueError: they were made with such options, or belong to another lab.
    """
    settings = _settings(results)
    if settings["lab"] != lab.name:
        raise ValueError(f"{results}: has results of {settings['lab']}, not of {lab.name}")
    # The points of a real lab are compared below.
    names = ["quick", *([] if lab.real else ["values"]), "seeds", "world", "computer"]
    options = [name for name in names if settings.get(name)]
    options += ["seed"] if settings["seed"] != 1 else []
    if options:
        named = ", ".join(f"--{'set' if name == 'values' else name}" for name in options)
        raise ValueError(f"{results}: made with {named}; stored values must be made without")


def _has(part: Part, results: Path) -> bool:
    return (results / part.name / DECLARATION).exists()


def _folder_of(part: Part, results: Sequence[Path]) -> Path:
    """Returns the only folder with an experiment.

    Raises:
        ValueError: several folders have the experiment, or none has it.
    """
    found = [folder for folder in results if _has(part, folder)]
    if len(found) != 1:
        named = ", ".join(map(str, found or results))
        what = "each has" if found else "has no"
        raise ValueError(f"{named}: {what} {part.name}, from which values are kept")
    return found[0]


def parts_with_values(lab: Lab) -> list[Part]:
    """The experiments of a lab whose results have values of published numbers."""
    used = {one.ours.part for one in lab.published if not isinstance(one.ours, NoValue)}
    return [part for part in lab.parts if part.name in used]


def kept_sizes() -> list[dict[str, str]]:
    """How many points and seeds each experiment had when its values were kept."""
    file = VALUES / RUNS
    if not file.exists():
        return []
    with file.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def _size(part: Part, results: Path, partly: bool) -> tuple[int, int]:
    """How many points and seeds an experiment has in some results.

    Args:
        part: the experiment.
        results: the folder of the results.
        partly: whether points may be missing.

    Raises:
        ValueError: they are not the lab's own.
    """
    folder = results / part.name
    store = Store(folder)
    store.check()
    found = store.declaration()
    experiment = part.experiment
    own = {name: list(experiment.space.values(name)) for name in experiment.space.names}
    fewer = partly and own.keys() == found["values"].keys()
    if found["values"] != own and not (
        fewer and all({*found["values"][name]} <= {*values} for name, values in own.items())
    ):
        raise ValueError(f"{folder}: has other parameters than the lab now declares: run it again")
    if found["repetitions"] != experiment.seeds or found["only"]:
        raise ValueError(
            f"{folder}: has {found['repetitions']} seeds, and the lab declares {experiment.seeds}: run it again"
        )
    return len(found["runs"]) // experiment.seeds, experiment.seeds


def _write(file: Path, head: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    file.write_text("".join(f"{','.join(row)}\n" for row in [head, *rows]), encoding="utf-8")


def page(compared: Sequence[tuple[Lab, Compared]]) -> str:
    """The text of the page."""
    all_numbers = [one for _, one in compared]
    labs = {id(one): lab.name for lab, one in compared}
    works = list(dict.fromkeys(one.number.publication for one in all_numbers))
    parts = [START, "## How many of each kind\n", _counts(works, all_numbers)]
    parts.append("".join(f"- *{kind}*: {meaning}.\n" for kind, meaning in KINDS.items()))
    parts += ["## How many runs\n", RUNS_BEHIND]
    sizes = {(row["lab"], row["experiment"]): (row["points"], row["seeds"]) for row in kept_sizes()}
    rows = [
        [
            f"[`{lab.name}`]({lab.name}.md)",
            f"`{part.name}`",
            *_runs(part, *sizes.get((lab.name, part.name), _NOT_RUN)),
        ]
        for lab in {lab.name: lab for lab, _ in compared}.values()
        for part in parts_with_values(lab)
    ]
    if any(row[2] == _NOT_RUN[0] for row in rows):
        parts.append(NOT_RUN)
    parts.append(_table(_RUNS_HEAD, rows))
    for work in works:
        own = [one for one in all_numbers if one.number.publication == work]
        parts += [f"## {work}\n", *_publication_tables(own, labs)]
    return "\n".join(parts)


def _runs(part: Part, points: str, seeds: str) -> tuple[str, str]:
    """The cells of an experiment's size, such as ``4 of 18`` points and ``3`` seeds."""
    declared = str(len(part.experiment.points()))
    return points if points in (declared, _NOT_RUN[0]) else f"{points} of {declared}", seeds


def _counts(works: Sequence[str], compared: Sequence[Compared]) -> str:
    """The counts by publication and kind; cited results of others are counted separately."""
    own = [one for one in compared if one.number.own]
    rows = []
    for work in [*works, ""]:
        mine = [one for one in own if work in ("", one.number.publication)]
        cited = [one for one in compared if not one.number.own and work in ("", one.number.publication)]
        kinds = [f"{count(mine, kind)}" for kind in KINDS]
        rows.append([work or "all", f"{count(mine)}", *kinds, f"{count(cited)}"])
    return _table(["publication", "own numbers", *KINDS, "numbers cited from others"], rows)


def _publication_tables(compared: Sequence[Compared], labs: Mapping[int, str]) -> list[str]:
    """The tables of one publication: by experiment, missed, fitted, without a value, all others."""
    own = [one for one in compared if one.number.own]
    experiments = dict.fromkeys(one.number.experiment for one in own)
    rows = []
    for experiment in experiments:
        mine = [one for one in own if one.number.experiment == experiment]
        names = sorted({labs[id(one)] for one in mine})
        where = ", ".join(f"[`{name}`]({name}.md)" for name in names)
        rows.append([experiment, where, f"{count(mine)}", *(f"{count(mine, kind)}" for kind in KINDS)])
    parts = [_table(["experiment", "lab", "numbers", *KINDS], rows)]
    missed = [one for one in compared if one.kind == "missed"]
    if missed:
        parts += ["### Missed\n", _table(HEAD, map(cells, missed))]
    fitted = [one for one in compared if one.kind == "fitted"]
    if fitted:
        parts += ["### Fitted\n", _table(*_fitted_numbers(fitted))]
    none = [one for one in compared if one.kind == "no value"]
    if none:
        counted: Counter[str] = Counter()
        for one in none:
            assert isinstance(one.number.ours, NoValue)
            counted[one.number.ours.reason] += len(one.number.ids)
        parts += ["### Without a value from Weir\n"]
        parts += [_table(["reason", "numbers"], [[reason, f"{many}"] for reason, many in counted.items()])]
    rest = [one for one in compared if one.kind in ("predicted", "arithmetic", "not run")]
    if rest:
        parts += ["### Predicted and arithmetic\n", _table(HEAD, map(cells, rest))]
    return parts


def _fitted_numbers(compared: Sequence[Compared]) -> tuple[list[str], list[list[str]]]:
    """The numbers from which each parameter was set, by parameter."""
    rows = []
    for one in compared:
        assert isinstance(one.number.ours, Fitted)
        what, published, ours, difference, _, _, place, _ = cells(one)
        rows.append(
            [one.number.ours.parameter, what, published, ours, difference, place, one.number.note or "–"]
        )
    rows.sort(key=lambda row: row[0])
    return ["parameter", "set from", "published", "ours", "difference", "place", "remark"], rows


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "".join("| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |\n" for row in lines)


def _value(text: str) -> float | bool:
    return text == "true" if text in ("true", "false") else float(text)


def main(results: Sequence[str]) -> None:
    """Keeps the values of some results, and writes the page."""
    labs: dict[str, list[Path]] = {}
    for folder in map(Path, results):
        labs.setdefault(_settings(folder)["lab"], []).append(folder)
    for folders in labs.values():
        print(keep(*folders))
    PAGE.write_text(page(numbers()), encoding="utf-8")
    print(PAGE)


if __name__ == "__main__":
    main(sys.argv[1:])
