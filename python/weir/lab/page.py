"""Writes the report of a lab as one page, from the findings of its experiments."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from pathlib import Path

import weir
from weir.errors import WeirError
from weir.files import system_errors
from weir.files.opening import make_folder
from weir.hints.usercode import user_code
from weir.lab.compared import Compared, compare
from weir.lab.lab import Findings, Lab, Part
from weir.lab.premises import Conditions, averaged, changed_parameters, own_values, qualified
from weir.lab.published_report import DATA, sections as published_sections, write_data
from weir.lab.settings import complete
from weir.lab.tables import Tables
from weir.network.computer import Computer
from weir.report import Page, Section, Table
from weir.text.counted import count_noun


def write_page(
    lab: Lab,
    out: Path,
    command: str,
    quick: bool,
    seed: int,
    computer: Computer | None = None,
    changed: Sequence[str] = (),
) -> tuple[Mapping[str, Findings], Sequence[Compared]]:
    """Writes ``report.html`` and ``plots/`` from the tables of all complete experiments.

    If the lab repeats a publication, also writes the published numbers and the lab's values as
    data. If an experiment ran with other parameters than the lab's own, the page says so before its
    findings, and the published numbers of this experiment are not compared.

    Args:
        lab: the lab.
        out: the folder of the results.
        command: the command that repeats the run.
        quick: whether the sizes are small.
        seed: the master seed.
        computer: the computer that all switches and hosts of a network share.
        changed: the files of a copied lab that differ from those of the installed lab.

    Returns:
        The findings of each experiment, and the published numbers compared with the lab's values.
    """
    plots = out / "plots"
    with system_errors(plots, "cannot be written"):
        make_folder(plots)
    tables = {part.name: Tables(out / part.name) for part in lab.parts if complete(out / part.name)}
    findings: dict[str, Findings] = {}
    failed: list[Section] = []
    for part in lab.parts:
        if part.name in tables:
            broken = _failures(part, tables[part.name])
            failed += broken
            if not broken:
                part_findings = _part_findings(part, tables[part.name], plots)
                answer = qualified(part_findings.answer, averaged(part, tables[part.name]))
                findings[part.name] = Findings(answer, part_findings.sections)
    # Experiments of the Linux world have the same names as those of the virtual world, but other
    # parameters.
    measured = {} if lab.parts is lab.linux else {name: tables[name] for name in findings}
    conditions = Conditions(computer.name if computer is not None else "", changed)
    values_by_part = {part.name: own_values(part) for part in lab.parts}
    compared = compare(lab.published, measured, values_by_part, conditions, needs_all_values=not lab.real)
    changed_by_part = {
        part.name: changed_parameters(part, tables[part.name], conditions)
        for part in lab.parts
        if part.name in findings
    }
    if compared:
        write_data(compared, out / DATA)
    missing = [part.name for part in lab.parts if part.name not in tables]
    runs = sum(part_tables.runs.height for part_tables in tables.values())
    sections = [
        section
        for name, part_findings in findings.items()
        for section in (*_other_parameters(name, changed_by_part[name]), *part_findings.sections)
    ]
    Page(
        title=lab.question,
        answer=next(
            (part_findings.answer for part_findings in findings.values()), "No experiment is complete."
        ),
        facts=[
            ("lab", lab.name),
            ("experiments", f"{len(tables)} of {len(lab.parts)}" if missing else f"{len(tables)}"),
            ("runs", f"{runs:,}"),
            ("sizes", "quick" if quick else "full"),
            ("seed", f"{seed}"),
            *([("computer", computer.name)] if computer is not None else []),
            ("Weir", weir.__version__),
        ],
        sections=[
            _overview(findings),
            *published_sections(compared),
            *failed,
            *sections,
            _method(lab, computer),
        ],
        network=None if lab.network is None else lab.network(),
        footer=f"Repeat it with: {command}. {_repeat_command(lab)}",
    ).write(out / "report.html")
    return findings, compared


def _part_findings(part: Part, tables: Tables, plots: Path) -> Findings:
    """Calls an experiment's report function and returns its findings.

    If the function fails, the error names the file of the function.
    """
    report = getattr(part.report, "func", part.report)
    file = inspect.getsourcefile(report if inspect.isroutine(report) else type(report)) or part.name
    with user_code(file, WeirError, f"no report of {part.name}"):
        findings: object = part.report(tables, plots)
    wrong = None
    if not isinstance(findings, Findings):
        wrong = f"is {type(findings).__name__}, expected Findings(answer, sections)"
    elif other := [section for section in findings.sections if not isinstance(section, Section)]:
        wrong = f"has a section that is {type(other[0]).__name__}, expected weir.report.Section"
    if wrong is not None:
        raise WeirError(f"the report of {part.name} {wrong}", file=file)
    assert isinstance(findings, Findings)
    return findings


def _other_parameters(name: str, text: str) -> list[Section]:
    """Builds the section that warns readers of an experiment with other parameters than the lab's;
    empty if ``text`` is empty."""
    return [Section(f"{name}: other parameters than the lab's own", [text])] if text else []


def _overview(findings: Mapping[str, Findings]) -> Section:
    rows = [[name, part_findings.answer] for name, part_findings in findings.items()]
    return Section(
        "In short", tables=[Table(["experiment", "what it found"], rows, words=(0, 1), prose=True)]
    )


def _failures(part: Part, tables: Tables) -> list[Section]:
    broken = tables.runs.filter(tables.runs["error"].is_not_null())
    names = part.experiment.space.names
    rows = [
        [" ".join(f"{name}={row[name]}" for name in names), f"{row['seed']}", row["error"]]
        for row in broken.head(100).iter_rows(named=True)
    ]
    if not rows:
        return []
    caption = f"{count_noun(broken.height, 'run')} failed."
    table = Table(["parameters", "seed", "error"], rows, caption, words=(0, 2))
    return [Section(f"Failed: {part.name}", tables=[table])]


def _repeat_command(lab: Lab) -> str:
    if lab.real:
        return "Runs in real time benchmark this machine, and differ each time."
    return "The same command gives the same files, byte for byte."


def _clock(lab: Lab) -> str:
    virtual = (
        "a virtual network on a virtual clock, with compiled P4 programs and complete protocol "
        "stacks of hosts. Times depend on the configuration and the seed, not on the computer."
    )
    if lab.real:
        return (
            f"Each run of the virtual world is {virtual} Each run of the Linux world is the same "
            "topology in network namespaces of this computer, in real time, one run at a time."
        )
    return f"Each run is {virtual}"


def _shared(computer: Computer) -> str:
    title = f" ({computer.title})" if computer.title else ""
    return (
        f"All switches and hosts of a network share the computer {computer.name}{title}. The computer's times replace those of "
        f"profiles; theory on this page that counts passes and links alone leaves out the waits for a processor."
    )


def _method(lab: Lab, computer: Computer | None) -> Section:
    return Section(
        "How it was measured",
        [
            *([] if computer is None else [_shared(computer)]),
            _clock(lab) + " Every number on this page is computed from the Parquet files next to it.",
            *([lab.source] if lab.source else []),
        ],
    )
