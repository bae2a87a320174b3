"""Writes the page with links to the reports of all labs, by publication."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from weir.lab.lab_run import LabRun
from weir.lab.published_report import counts_line
from weir.report import Entry, Figure, Group, Index

PAGE: Final = "index.html"
"""The file name of the page with links to all reports."""

_OTHER_LABS_TITLE: Final = "Labs of no single publication"


def write_index(folder: Path, runs: Sequence[LabRun], command: str) -> Path:
    """Writes the page, and returns its path.

    Args:
        folder: the folder, which has a folder of results for each lab.
        runs: the run of each lab.
        command: the command that reproduces the page.
    """
    works: dict[str, list[LabRun]] = {}
    for run in runs:
        for work in _publications(run) or [_OTHER_LABS_TITLE]:
            works.setdefault(work, []).append(run)
    other_runs = works.pop(_OTHER_LABS_TITLE, [])
    groups = [Group(work, [_entry(run) for run in runs_of_work]) for work, runs_of_work in works.items()]
    groups += [Group(_OTHER_LABS_TITLE, [_entry(run) for run in other_runs])] if other_runs else []
    page = folder / PAGE
    Index("Labs and their answers", _summary(runs), groups, f"Repeat it with: {command}.").write(page)
    return page


def _publications(run: LabRun) -> list[str]:
    """Lists the publications whose numbers a lab repeats."""
    return list(dict.fromkeys(number.publication for number in run.lab.published)) if run.lab else []


def _summary(runs: Sequence[LabRun]) -> str:
    ran = sum(run.outcome is not None and not run.failures for run in runs)
    parts = [f"{ran} of {len(runs)} labs ran without errors"]
    for label, those in (
        ("failed", [run.name for run in runs if run.failures]),
        ("skipped", [run.name for run in runs if run.skipped]),
    ):
        parts += [f"{label}: {', '.join(those)}"] if those else []
    return "; ".join(parts) + "."


def _entry(run: LabRun) -> Entry:
    outcome = run.outcome
    findings = [] if outcome is None else [*outcome.findings.values()]
    notes = [f"The lab {run.name}."]
    if outcome is not None:
        notes[0] = (
            f"The lab {run.name}, {len(findings)} {'experiment' if len(findings) == 1 else 'experiments'}."
        )
        notes += [f"{counts_line(outcome.published)}."] if outcome.published else []
    notes += [run.lab.source] if run.lab and run.lab.source else []
    return Entry(
        title=run.lab.question if run.lab else run.name,
        link=f"{run.name}/{outcome.report.name}" if outcome else "",
        answer=_first_sentence(findings[0].answer) if findings else "",
        figure=_first_figure(run),
        wrong=[f"Failed: {text}" for text in run.failures],
        notes=[f"Skipped, because {run.skipped}.", *notes] if run.skipped else notes,
    )


def _first_sentence(text: str) -> str:
    return re.split(r"(?<=[.!?])\s+(?=[A-Z0-9])", text, maxsplit=1)[0]


def _first_figure(run: LabRun) -> Figure | None:
    findings = run.outcome.findings.values() if run.outcome else ()
    figures = (
        figure
        for part_findings in findings
        for section in part_findings.sections
        for figure in section.shown_figures
    )
    return next(figures, None)
