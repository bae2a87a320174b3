"""Summarizes failed runs, with each different error once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from weir.experiments.parameters import as_text
from weir.experiments.store import Store
from weir.experiments.task import Record, Task

if TYPE_CHECKING:
    from weir.experiments.runs import Runs

_MAX_ERRORS: Final = 5


def failures_in_short(result: Runs) -> list[str]:
    """Describes the first few different errors of failed runs, one text each, with the error in its
    first line.

    The second line has the number of runs with this error and the parameters and seed of the first
    one. If the result has a folder, the third line names that run's log. If there are more errors,
    one more text has the number of runs with them.
    """
    by_error: dict[str, list[Record]] = {}
    for record in result.failures:
        by_error.setdefault(record["error"], []).append(record)
    first_errors = list(by_error.items())[:_MAX_ERRORS]
    texts = [
        f"{error}\n  {_runs(len(records))}{_first_failure(result, records)}"
        for error, records in first_errors
    ]
    hidden_count = len(result.failures) - sum(len(records) for _, records in first_errors)
    if hidden_count:
        hint = "" if result.folder is None else f": see {result.folder}/runs/*.log"
        texts.append(f"{_runs(hidden_count)} failed with other errors{hint}")
    return texts


def _first_failure(result: Runs, records: list[Record]) -> str:
    record = records[0]
    point = " ".join(
        f"{name}={as_text(value)}" for name, value in record["parameters"].items() if value is not None
    )
    text = f"{', first' if len(records) > 1 else ':'} {point} seed={record['seed']}"
    if result.folder is None:
        return text
    task = Task(0, record["parameters"], record["repetition"], record["seed"])
    return f"{text}\n  log: {Store(result.folder).log(task)}"


def _runs(count: int) -> str:
    return f"{count} run{'' if count == 1 else 's'}"
