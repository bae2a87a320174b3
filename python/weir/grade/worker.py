"""Runs one test of a submission, in a process of its own.

Standard input has the task as JSON, standard output gets the report as JSON. An endless loop or a
crash ends this process only.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any, Final

from weir.errors import P4Error, StfError, WeirError, one_line
from weir.grade.lines import test_lines
from weir.grade.reasons import failure_reasons, mistake_reasons

_MEMORY: Final = 4 << 30
"""The address space of the process in bytes."""

_MAX_DIAGNOSTICS: Final = 20


def run(task: dict[str, Any]) -> dict[str, Any]:
    """Compiles the submission and, if the task names a test, runs the test.

    Returns:
        ``refused`` with the reason if the program has errors, ``mistake`` with the place if a file
        of the exercise is wrong, else ``reasons``, which is empty if the test passed.
    """
    from weir.program import compile
    from weir.stf import run_stf_text

    try:
        program = compile(task["program"], executor=task["executor"])
    except P4Error as error:
        shown = [diagnostic.rendered.rstrip() for diagnostic in error.diagnostics[:_MAX_DIAGNOSTICS]]
        return {"refused": "\n\n".join(shown)}
    except WeirError as error:
        return {"refused": one_line(error.message)}
    if task["test"] is None:
        return {"reasons": []}
    file = Path(task["test"])
    try:
        text = test_lines(file, task["seed"])
    except WeirError as error:
        place = {"file": error.file or str(file), "where": error.where}
        return {"mistake": error.message, **place}
    try:
        return {"reasons": failure_reasons(run_stf_text(program, file.name, text), text)}
    except StfError as error:
        return {"reasons": mistake_reasons(error)}


def _limit(seconds: int) -> None:
    """Limits the processor time and the memory of this process, and the files that it writes."""
    import resource

    resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds))
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))


def main() -> None:
    """Reads the task, and writes the report."""
    task = json.load(sys.stdin)
    _limit(task["seconds"])
    report = os.dup(1)
    # What the exercise's own code prints is not the report.
    os.dup2(2, 1)
    text = json.dumps(run(task))
    with os.fdopen(report, "w", encoding="utf-8") as out:
        out.write(text)


if __name__ == "__main__":
    main()
